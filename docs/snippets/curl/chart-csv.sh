#!/bin/sh
# The CSV of a chart: donors of a candidate, day by day.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh chart-csv.sh P90000001 2024
set -eu
[ $# -eq 2 ] || { echo 'usage: chart-csv.sh CANDIDATE_ID CYCLE' >&2; exit 2; }

curl --fail-with-body -sS "$DONORLENS_URL/data-charts/v1/cumulative_donors/candidate?candidate_id=$1&cycle=$2" \
  -H "X-API-Key: $DONORLENS_KEY"
