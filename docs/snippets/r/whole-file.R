# A whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones. Needs httr2.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript whole-file.R contributions.csv enriched.csv
library(httr2)

files <- commandArgs(trailingOnly = TRUE)
if (length(files) != 2) stop("usage: whole-file.R INPUT.csv OUTPUT.csv")
service <- request(Sys.getenv("DONORLENS_URL")) |>
  req_headers("X-API-Key" = Sys.getenv("DONORLENS_KEY"), .redact = "X-API-Key") |>
  req_error(body = resp_body_string) # its body explains the error

batch <- service |>
  req_url_path("/enrich/v1/batches") |>
  req_url_query(type = "contributions", min_age = 18) |>
  req_body_file(files[1], type = "text/csv") |>
  req_perform() |>
  resp_body_json()

shown <- NULL
while (!batch$state %in% c("completed", "cancelled", "failed", "expired")) {
  answer <- service |> req_url_path(batch$links$self) |> req_url_query(format = "json") |> req_perform()
  batch <- resp_body_json(answer)
  reason <- gsub("[0-9]", "", batch$waits_for) # ignore changing numbers and times
  if (length(reason) > 0 && !identical(reason, shown)) message("waiting: ", batch$waits_for)
  shown <- reason
  if (resp_header_exists(answer, "Retry-After")) Sys.sleep(as.numeric(resp_header(answer, "Retry-After")))
}

stopifnot(batch$state == "completed")
service |> req_url_path(batch$links$results) |> req_url_query(format = "csv") |> req_perform(path = files[2])
if (batch$addresses$pending > 0) message("rows that still wait for their address (PENDING): ", batch$addresses$pending)
enriched <- read.csv(files[2], colClasses = "character") # codes keep leading zeros
print(head(enriched))
