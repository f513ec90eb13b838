# Client of the donorlens HTTP API for R 4.1 or newer with httr2 and jsonlite. Copy this file and source() it.
#
#   client <- create_donorlens("http://127.0.0.1:3000", Sys.getenv("DONORLENS_KEY"))
#   client$age_gender(data.frame(name = "Thomas", date = "2017-07-01"))
#
# Every function signals a condition of class donorlens_problem for an error response (code, status, errors, request_id,
# retry_after_seconds) and donorlens_unreachable without a response (address). `...` are the query parameters of the
# operation, such as detail = TRUE or min_age = 18; the service refuses unknown ones.

create_donorlens <- local({
  max_wait_seconds <- 60 # longer waits, such as for a daily quota, are left to the caller
  share_of_rest <- 0.1 # a long batch is polled less often
  max_pause_seconds <- 30
  max_shown_errors <- 10

  `%or%` <- function(value, default) if (is.null(value)) default else value

  condition <- function(class, message, ...) {
    structure(class = c(class, "error", "condition"), list(message = message, call = NULL, ...))
  }

  # Encodes every character, also in a value that looks encoded, such as "100%25".
  encode <- function(text) vapply(text, URLencode, "", reserved = TRUE, repeated = TRUE)

  # as.character(100000) is "1e+05", which the service refuses.
  text_of_value <- function(value) {
    if (is.logical(value)) return(tolower(value))
    if (!is.numeric(value)) return(as.character(value))
    vapply(value, format, "", scientific = FALSE, trim = TRUE, digits = 15)
  }

  # Writes 100000 as it is: a number in scientific notation is no ZIP code or id.
  write_csv <- function(frame, file) {
    former <- options(scipen = 100)
    on.exit(options(former))
    write.csv(frame, file, row.names = FALSE, na = "", fileEncoding = "UTF-8")
  }

  # Vectors repeat a parameter, NULL omits it.
  query_string <- function(query) {
    values <- lapply(query, text_of_value)
    encoded <- encode(unlist(values))
    names <- encode(rep(names(values), lengths(values)))
    if (length(encoded) == 0) "" else paste0("?", paste0(names, "=", encoded, collapse = "&"))
  }

  # `Retry-After` in seconds; the header may be a date.
  retry_after_seconds <- function(response) {
    text <- httr2::resp_header(response, "Retry-After")
    if (is.null(text)) return(NULL)
    if (grepl("^[0-9]+$", text)) return(as.numeric(text))
    moment <- curl::parse_date(text)
    if (is.na(moment)) NULL else max(0, ceiling(as.numeric(moment) - as.numeric(Sys.time())))
  }

  # An error response (RFC 9457). Without a problem document it comes from an intermediary such as a proxy.
  problem_of <- function(response, body) {
    document <- tryCatch(jsonlite::fromJSON(body), error = function(e) NULL)
    if (!is.list(document)) document <- list()
    status <- httr2::resp_status(response)
    errors <- document$errors %or% data.frame(pointer = character(), detail = character())
    text <- paste(c(document$title %or% paste("Status", status), document$detail), collapse = ": ")
    shown <- head(errors, max_shown_errors)
    condition(
      "donorlens_problem",
      paste(c(text, sprintf("%s: %s", shown$pointer, shown$detail)), collapse = "\n  "),
      code = document$code %or% "unknown",
      status = status,
      errors = errors,
      request_id = httr2::resp_header(response, "x-request-id"),
      retry_after_seconds = retry_after_seconds(response)
    )
  }

  unreachable <- function(url, cause) {
    address <- sub("^(https?://)(?:[^/@]*@)?([^/]*).*", "\\1\\2", url, perl = TRUE) # without a password
    reason <- gsub("\\s+", " ", conditionMessage(cause$parent %or% cause))
    condition(
      "donorlens_unreachable",
      paste0("The service does not answer at ", address, " (", reason, "): check that it runs, and check base_url and the network."),
      address = address
    )
  }

  # Sends a request once. The response is saved in a file, so that one of any size needs little memory.
  send <- function(request, file) {
    part <- tempfile(".donorlens-", dirname(file))
    on.exit(unlink(part))
    response <- tryCatch(
      httr2::req_perform(request, path = part),
      error = function(cause) stop(unreachable(request$url, cause))
    )
    if (httr2::resp_status(response) >= 400) stop(problem_of(response, text_of(part)))
    file.rename(part, file)
    response
  }

  text_of <- function(file) {
    text <- readChar(file, file.size(file), useBytes = TRUE)
    Encoding(text) <- "UTF-8"
    text
  }

  # Seconds of `Retry-After` if the error is a 429 or 503, which did nothing and may be repeated; otherwise NULL.
  retry_delay_seconds <- function(problem) {
    seconds <- problem$retry_after_seconds
    if (!problem$status %in% c(429, 503) || is.null(seconds) || seconds > max_wait_seconds) NULL else max(1, seconds)
  }

  # Repeats an attempt that was refused with `Retry-After`, at most max_retries times.
  with_retries <- function(attempt, max_retries) {
    retries <- 0
    repeat {
      result <- tryCatch(attempt(), donorlens_problem = identity)
      if (!inherits(result, "donorlens_problem")) return(result)
      seconds <- retry_delay_seconds(result)
      if (is.null(seconds) || retries >= max_retries) stop(result)
      retries <- retries + 1
      Sys.sleep(seconds)
    }
  }

  batch_path <- function(id) paste0("/enrich/v1/batches/", encode(id))

  # Client of one service.
  #   base_url: base URL of the service, such as https://donorlens.example.org
  #   retries: maximum retries of a request refused with `Retry-After` (429, 503)
  #   timeout: seconds without any data after which a request is given up
  function(base_url, key, retries = 3, timeout = 300) {
    request_of <- function(method, path, query = list(), headers = list()) {
      httr2::request(paste0(sub("/+$", "", base_url), path, query_string(query))) |>
        httr2::req_method(method) |>
        httr2::req_headers(Authorization = paste("Bearer", key), !!!headers) |>
        httr2::req_options(low_speed_limit = 1, low_speed_time = timeout) |>
        httr2::req_retry(max_tries = 1, is_transient = function(response) FALSE, backoff = function(tries) 0) |> # see with_retries
        httr2::req_error(is_error = function(response) FALSE)
    }

    # The JSON of a response, and its Retry-After.
    json_of <- function(request) {
      file <- tempfile()
      on.exit(unlink(file))
      response <- with_retries(function() send(request, file), retries)
      list(value = jsonlite::fromJSON(text_of(file)), retry_after_seconds = retry_after_seconds(response))
    }

    rows_of <- function(request) {
      rows <- json_of(request)$value$results
      if (length(rows) == 0) data.frame() else rows
    }

    lookup <- function(name, queries, query) {
      request_of("POST", paste0("/enrich/v1/", name), query) |>
        httr2::req_body_json(list(queries = queries), digits = 22) |>
        rows_of()
    }

    list(
      # Age and gender of first names: a data frame with name and date in, a data frame in the same order out.
      age_gender = function(queries, ...) lookup("age_gender", queries, list(...)),

      # Ethnicity of surnames: a data frame with surname and year.
      ethnicity = function(queries, ...) lookup("ethnicity", queries, list(...)),

      # All attributes of contributions. A new address is PENDING: send many as a batch.
      contributions = function(queries, ...) lookup("contributions", queries, list(...)),

      # Submits a file or a data frame. It is stored durably when this returns.
      #   map: field to your column: c(first_name = "GIVEN"). Known headers need no mapping.
      #   webhook_url: public https URL that receives a webhook at the end
      #   idempotency_key: the same key with the same file is one batch, however often it is sent. Random by default.
      submit_batch = function(source, content_type = "text/csv", map = NULL, webhook_url = NULL, idempotency_key = NULL, ...) {
        if (is.data.frame(source)) {
          file <- tempfile(fileext = ".csv")
          on.exit(unlink(file))
          write_csv(source, file)
          source <- file
        }
        if (!file.exists(source) || dir.exists(source)) stop(source, " is no file")
        if (length(map) > 0) names(map) <- paste0("map.", names(map))
        headers <- list(
          `Idempotency-Key` = idempotency_key %or% paste(openssl::rand_bytes(16), collapse = ""),
          `Webhook-Url` = if (!is.null(webhook_url)) URLencode(webhook_url)
        )
        request_of("POST", "/enrich/v1/batches", c(list(...), as.list(map)), Filter(Negate(is.null), headers)) |>
          httr2::req_body_file(source, content_type) |>
          json_of() |>
          getElement("value")
      },

      # Polls until the batch has completed. Signals a condition of class batch_ended_error if it cannot.
      #   on_progress: called with each polled state
      wait_for_batch = function(id, on_progress = NULL) {
        repeat {
          state <- json_of(request_of("GET", batch_path(id), list(format = "json")))
          batch <- state$value
          if (!is.null(on_progress)) on_progress(batch)
          if (batch$state == "completed") return(batch)
          if (batch$state %in% c("cancelled", "failed", "expired")) {
            message <- paste0("The batch is ", paste(c(batch$state, batch$error), collapse = ": "), ".")
            stop(condition("batch_ended_error", message, batch = batch))
          }
          rest <- min((batch$eta_seconds %or% 0) * share_of_rest, max_pause_seconds)
          Sys.sleep(max(state$retry_after_seconds %or% 1, rest))
        }
      },

      # Streams the results into a file and returns its path. Options: partial, detail, raw.
      result_stream = function(id, file, format = "csv", ...) {
        request <- request_of("GET", paste0(batch_path(id), "/results"), list(..., format = format))
        with_retries(function() send(request, file), retries)
        invisible(file)
      },

      # The results as a data frame: the added columns, and the id, if any, in the order of the input.
      results = function(id, ...) {
        file <- tempfile()
        on.exit(unlink(file))
        request <- request_of("GET", paste0(batch_path(id), "/results"), list(..., format = "ndjson"))
        with_retries(function() send(request, file), retries)
        jsonlite::stream_in(file(file), verbose = FALSE)
      },

      # Rows of a table under /data-charts/v1: chart("cumulative_donors/candidate", candidate_id = "P90000001", cycle = 2024).
      chart = function(name, ...) {
        rows_of(request_of("GET", paste0("/data-charts/v1/", name), list(..., format = "json")))
      },

      # Any operation by its method and path; the body is sent as JSON. The response is saved in a file whose path is returned.
      request = function(method, path, query = list(), body = NULL, file = tempfile()) {
        request <- request_of(method, path, query)
        if (!is.null(body)) request <- httr2::req_body_json(request, body, digits = 22)
        with_retries(function() send(request, file), retries)
        invisible(file)
      }
    )
  }
})
