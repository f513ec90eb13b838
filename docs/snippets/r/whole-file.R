# A whole file as a batch: send it, wait until it is done, read your columns with ours appended. Needs httr2.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript whole-file.R contributions.csv enriched.csv
library(httr2)

files <- commandArgs(trailingOnly = TRUE)
service <- request(Sys.getenv("DONORLENS_URL")) |>
  req_headers("X-API-Key" = Sys.getenv("DONORLENS_KEY"), .redact = "X-API-Key")

batch <- service |>
  req_url_path("/enrich/v1/batches") |>
  req_url_query(type = "contributions") |>
  req_body_file(files[1], type = "text/csv") |>
  req_perform() |>
  resp_body_json()

told <- NULL
while (!batch$state %in% c("completed", "cancelled", "failed", "expired")) {
  answer <- service |> req_url_path(batch$links$self) |> req_url_query(format = "json") |> req_perform()
  batch <- resp_body_json(answer)
  if (!is.null(batch$waits_for) && !identical(batch$waits_for, told)) message("waiting: ", batch$waits_for)
  told <- batch$waits_for
  if (resp_header_exists(answer, "Retry-After")) Sys.sleep(as.numeric(resp_header(answer, "Retry-After")))
}

stopifnot(batch$state == "completed")
service |> req_url_path(batch$links$results) |> req_url_query(format = "csv") |> req_perform(path = files[2])
enriched <- read.csv(files[2], colClasses = "character") # codes keep their zeros
print(head(enriched))
