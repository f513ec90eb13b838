# Run against a service: DONORLENS_URL and DONORLENS_KEY; FAULTY_URL is a server that refuses requests, by key.
source("donorlens.R")

client <- create_donorlens(Sys.getenv("DONORLENS_URL"), Sys.getenv("DONORLENS_KEY"))
faulty <- function(key, ...) create_donorlens(Sys.getenv("FAULTY_URL"), key, ...)
signalled <- function(expression) tryCatch({ expression; stop("no condition") }, error = identity)
donors <- data.frame(first_name = c("Thomas", "Maria"), last_name = c("Garcia", "Smith"), date = as.Date("2016-10-01"))

# Lookups return results in the order of the queries.
ages <- client$age_gender(data.frame(name = c("Thomas", "Wqzx"), date = as.Date("2017-07-01")))
stopifnot(identical(ages, data.frame(age = c(70L, NA), gender = c("m", NA))))
garcia <- client$ethnicity(data.frame(surname = "Garcia", year = 2016), detail = TRUE)
stopifnot(garcia$race == "hispanic", garcia$census == 2010)
smith <- client$contributions(data.frame(name = "SMITH, MARIA", date = "2016-03-01"), min_age = 18)
stopifnot(smith$gender == "f", smith$geocode_status == "SKIPPED")

# An error response has its code and every invalid part.
problem <- signalled(client$age_gender(data.frame(name = c("Thomas", NA), date = c("yesterday", "2017-07-01"))))
stopifnot(
  inherits(problem, "donorlens_problem"), problem$code == "invalid-request", problem$status == 400,
  identical(problem$errors$pointer, c("/queries/0/date", "/queries/1/name")),
  grepl("\n  /queries/1/name: ", conditionMessage(problem)), nchar(problem$request_id) == 36
)

# A batch takes a file or a data frame, and returns rows.
file <- tempfile(fileext = ".csv")
write.csv(donors, file, row.names = FALSE)
for (source in list(donors, file)) {
  states <- character()
  id <- client$submit_batch(source, type = "contributions", min_age = 18)$id
  batch <- client$wait_for_batch(id, on_progress = function(batch) states <<- c(states, batch$state))
  stopifnot(batch$counts$ok == 2, tail(states, 1) == "completed")
  stopifnot(identical(client$results(id, detail = TRUE)$gender, c("m", "f")))
}

# Columns are mapped, and one idempotency key makes one batch. Names keep their letters.
own <- data.frame(GIVEN = "José", FAMILY = "Garcia", date = "2016-10-01")
submit <- function() {
  client$submit_batch(own, map = c(first_name = "GIVEN", surname = "FAMILY"), idempotency_key = "one-file-r")$id
}
id <- submit()
stopifnot(submit() == id)
batch <- client$wait_for_batch(id)
lines <- readLines(client$result_stream(id, tempfile()), encoding = "UTF-8")
stopifnot(startsWith(lines[1], "\"GIVEN\",\"FAMILY\",\"date\",AGE") || startsWith(lines[1], "GIVEN,FAMILY,date,AGE"), grepl("José", lines[2]))

# Numbers have no exponent, and text that looks percent-encoded is sent as it is.
internals <- environment(create_donorlens)
parameters <- list(limit = 100000, n = 100000L, cycle = c(2016, 2020), share = 0.1, a = "5%25", b = NULL)
query <- internals$query_string(parameters)
stopifnot(query == "?limit=100000&n=100000&cycle=2016&cycle=2020&share=0.1&a=5%2525")
stopifnot(internals$query_string(list()) == "", internals$batch_path("a%2Fb") == "/enrich/v1/batches/a%252Fb")
own <- data.frame(`GIVEN%20NAME` = "Maria", FAMILY = "Smith", date = "2016-10-01", AMOUNT = 100000, check.names = FALSE)
former <- getOption("scipen")
id <- client$submit_batch(own, map = c(first_name = "GIVEN%20NAME", surname = "FAMILY"))$id
stopifnot(getOption("scipen") == former)
client$wait_for_batch(id)
stopifnot(grepl("2016-10-01\"?,100000,", readLines(client$result_stream(id, tempfile()))[2]))

# The URL of a webhook is a header.
problem <- signalled(client$submit_batch(donors, webhook_url = "https://10.0.0.7/a b"))
stopifnot(problem$errors$pointer == "/header/Webhook-Url")

# Charts are rows, and any file is read by its path.
selection <- list(candidate_id = Sys.getenv("CANDIDATE_ID"), cycle = c(2016, 2020))
days <- do.call(client$chart, c("cumulative_donors/candidate", selection))
stopifnot(setequal(days$cycle, c(2016, 2020)), days$ref_date[1] == "2015-01-01", days$cumul_donors[1] == 1)
stopifnot(nrow(client$chart("cumulative_donors/candidate", candidate_id = "P99999999")) == 0)
file <- client$request("GET", "/data-charts/v1/contributions/search", c(selection, raw = TRUE, limit = 100000))
stopifnot(startsWith(readLines(file, 1), "CYCLE,CAND_ID,CMTE_ID,"))

# A request refused with Retry-After is repeated with the same body.
stopifnot(faulty("busy")$age_gender(data.frame(name = "A"))$requests == 2)
stopifnot(identical(unlist(faulty("busy-until-a-date")$chart("x")), c(requests = 2L, bodies = 1L)))
stopifnot(faulty("busy-file")$submit_batch(donors)$results$bodies == 1)

# Retries end at their limit, and where the wait is longer than a minute.
stopifnot(conditionMessage(signalled(faulty("always-busy", retries = 1)$age_gender(donors))) == "request 2")
problem <- signalled(faulty("quota")$age_gender(donors))
stopifnot(problem$status == 429, problem$retry_after_seconds == 40000)

# An error of a proxy has its status.
problem <- signalled(faulty("proxy")$age_gender(donors))
stopifnot(conditionMessage(problem) == "Status 502", problem$code == "unknown", nrow(problem$errors) == 0)

# Waiting ends if the batch cannot complete.
ended <- signalled(faulty("failed")$wait_for_batch("a"))
stopifnot(inherits(ended, "batch_ended_error"), ended$batch$id == "a")
stopifnot(conditionMessage(ended) == "The batch is failed: no header.")

# A service that does not respond is named with what to check. An interrupted response leaves no file.
for (key in c("closed", "half", "half-error", "silent", "half-chunked")) {
  error <- signalled(faulty(key, timeout = 1)$age_gender(donors))
  stopifnot(inherits(error, "donorlens_unreachable"), error$address == Sys.getenv("FAULTY_URL"))
}
folder <- tempfile()
dir.create(folder)
signalled(faulty("half-chunked")$result_stream("a", file.path(folder, "results.csv")))
stopifnot(length(list.files(folder, all.files = TRUE, no.. = TRUE)) == 0)
error <- signalled(create_donorlens("http://user:secret@127.0.0.1:1/below", "a")$ethnicity(data.frame()))
stopifnot(grepl("^The service does not answer at http://127.0.0.1:1 \\(.+\\): .*base_url", conditionMessage(error)))
stopifnot(!grepl("secret", conditionMessage(error)))
