#!/bin/sh
# Ethnicity of many surnames at once, results in the order of the queries.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh bulk.sh
set -eu

curl --fail-with-body -sS "$DONORLENS_URL/enrich/v1/ethnicity" \
  -H "X-API-Key: $DONORLENS_KEY" -H 'Content-Type: application/json' \
  -d '{"queries":[{"surname":"Garcia","year":2016},{"surname":"Smith","year":2004}]}'
