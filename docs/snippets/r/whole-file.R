# A whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones. Needs the R client beside it.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript whole-file.R contributions.csv enriched.csv
# Map your own column names after the files: map.first_name=Given map.date=Paid
source("donorlens.R")

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 2) stop("usage: whole-file.R INPUT.csv OUTPUT.csv [map.FIELD=Column ...]")
client <- create_donorlens(Sys.getenv("DONORLENS_URL"), Sys.getenv("DONORLENS_KEY"))

shown <- NULL
show_progress <- function(batch) {
  status <- c(batch$counts$done, gsub("[0-9]", "", batch$waits_for)) # numbers and times in a reason change
  if (!identical(status, shown)) {
    waiting <- if (is.null(batch$waits_for)) "" else paste(", waiting:", batch$waits_for)
    message(batch$counts$done, " of ", batch$counts$total, " rows", waiting)
  }
  shown <<- status
}

columns <- strsplit(sub("^map\\.", "", arguments[-(1:2)]), "=")
map <- setNames(lapply(columns, `[`, 2), lapply(columns, `[`, 1))
batch <- client$submit_batch(arguments[1], type = "contributions", min_age = 18, map = map)
batch <- client$wait_for_batch(batch$id, on_progress = show_progress)
client$result_stream(batch$id, arguments[2])
if (batch$addresses$pending > 0) message("rows that still wait for their address (PENDING): ", batch$addresses$pending)
enriched <- read.csv(arguments[2], colClasses = "character") # codes keep leading zeros
