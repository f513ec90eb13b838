# The CSV of a chart: donors of a candidate, day by day. Needs only base R.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript chart-csv.R P90000001 2024
asked <- commandArgs(trailingOnly = TRUE)
if (length(asked) != 2) stop("usage: chart-csv.R CANDIDATE_ID CYCLE")

days <- read.csv(url(
  paste0(Sys.getenv("DONORLENS_URL"), "/data-charts/v1/cumulative_donors/candidate?candidate_id=", asked[1], "&cycle=", asked[2]),
  headers = c("X-API-Key" = Sys.getenv("DONORLENS_KEY"))
))

if (nrow(days) == 0) stop("nothing found: /data-charts/v1/about shows the candidates and cycles that are loaded")
days$REF_DATE <- as.Date(days$REF_DATE)
plot(days$REF_DATE, days$CUMUL_DONORS, type = "s", xlab = "", ylab = "donors")
