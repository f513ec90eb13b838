#!/bin/sh
# Ages and genders of a file of names, from its columns name and date: your columns with AGE and GENDER behind them.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh names-file.sh names.csv ages.csv
set -eu
[ $# -eq 2 ] || { echo 'usage: names-file.sh NAMES.csv AGES.csv' >&2; exit 2; }

answer=$(curl --fail-with-body -sS -w '\n%header{location}' -T "$1" -X POST \
  "$DONORLENS_URL/enrich/v1/batches?type=age_gender" \
  -H "X-API-Key: $DONORLENS_KEY" -H 'Content-Type: text/csv') || { echo "$answer" >&2; exit 1; }
batch=$(echo "$answer" | tail -n 1)

# The results answer 409 until the batch has finished: curl then repeats the request after the seconds of Retry-After.
curl --fail -s --retry 3600 --retry-max-time 3600 --retry-all-errors -o "$2" \
  "$DONORLENS_URL$batch/results?format=csv" -H "X-API-Key: $DONORLENS_KEY" ||
  { echo "the results cannot be read: $DONORLENS_URL$batch" >&2; exit 1; }
