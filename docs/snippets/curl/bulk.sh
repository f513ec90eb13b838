#!/bin/sh
# Ethnicity of up to 10,000 surnames in one request, results in the order of the queries.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh bulk.sh
# Of a file with one surname on each line, in the year of the donations: sh bulk.sh surnames.txt 2016
set -eu
[ $# -eq 0 ] || [ $# -eq 2 ] || { echo 'usage: bulk.sh [SURNAMES.txt YEAR]' >&2; exit 2; }

queries() {
  if [ $# -eq 0 ]; then
    echo '{"surname":"Garcia","year":2016},{"surname":"Smith","year":2004}'
  else
    tr -d '\r' < "$1" | sed 's/[\\"]/\\&/g; s/.*/{"surname":"&","year":'"$2"'}/' | paste -s -d , -
  fi
}

{ echo '{"queries":['; queries "$@"; echo ']}'; } | curl --fail-with-body -sS "$DONORLENS_URL/enrich/v1/ethnicity" \
  -H "X-API-Key: $DONORLENS_KEY" -H 'Content-Type: application/json' --data-binary @-
