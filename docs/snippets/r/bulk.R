# Ethnicity of many surnames at once, results in the order of the queries. Needs httr2 and jsonlite.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript bulk.R
library(httr2)

donors <- data.frame(surname = c("Garcia", "Smith"), year = c(2016L, 2004L))

answer <- request(Sys.getenv("DONORLENS_URL")) |>
  req_url_path_append("enrich/v1/ethnicity") |>
  req_headers("X-API-Key" = Sys.getenv("DONORLENS_KEY"), .redact = "X-API-Key") |>
  req_body_json(list(queries = donors)) |>
  req_retry(max_tries = 3) |>
  req_perform() |>
  resp_body_json(simplifyVector = TRUE)

print(cbind(donors, answer$results[c("race", "pcthispanic")]))
