# The rows of a chart: donors of a candidate, day by day. Needs the R client beside it.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript chart-rows.R P90000001 2024
source("donorlens.R")

selection <- commandArgs(trailingOnly = TRUE)
if (length(selection) != 2) stop("usage: chart-rows.R CANDIDATE_ID CYCLE")
client <- create_donorlens(Sys.getenv("DONORLENS_URL"), Sys.getenv("DONORLENS_KEY"))
days <- client$chart("cumulative_donors/candidate", candidate_id = selection[1], cycle = selection[2])

if (nrow(days) == 0) stop("nothing found: /data-charts/v1/about shows the candidates and cycles that are loaded")
cat(tail(days$ref_date, 1), tail(days$cumul_donors, 1), "\n")
plot(as.Date(days$ref_date), days$cumul_donors, type = "s", xlab = "", ylab = "donors")
