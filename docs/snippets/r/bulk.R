# Ages and genders of up to 10,000 names in one request, from the columns name and date of a CSV. Needs the R client beside it.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… Rscript bulk.R names.csv ages.csv
source("donorlens.R")

files <- commandArgs(trailingOnly = TRUE)
if (length(files) != 2) stop("usage: bulk.R NAMES.csv AGES.csv")
client <- create_donorlens(Sys.getenv("DONORLENS_URL"), Sys.getenv("DONORLENS_KEY"))

queries <- read.csv(files[1], colClasses = "character", na.strings = NULL, encoding = "UTF-8")[c("name", "date")]
results <- client$age_gender(queries) # in the order of the queries
write.csv(cbind(queries, results), files[2], row.names = FALSE, na = "")
