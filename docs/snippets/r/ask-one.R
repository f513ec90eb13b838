# Age and gender of one first name on a date. Needs httr2.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript ask-one.R
library(httr2)

answer <- request(Sys.getenv("DONORLENS_URL")) |>
  req_url_path_append("enrich/v1/age_gender/name", "Thomas", "date", "2017-07-01") |>
  req_url_query(format = "json") |>
  req_headers("X-API-Key" = Sys.getenv("DONORLENS_KEY"), .redact = "X-API-Key") |>
  req_perform() |>
  resp_body_json()

print(answer$age)
print(answer$gender)
