#!/bin/sh
# Age and gender of one first name on a date.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh ask-one.sh
set -eu

curl --fail-with-body -sS "$DONORLENS_URL/enrich/v1/age_gender/name/Thomas/date/2017-07-01?format=json" \
  -H "X-API-Key: $DONORLENS_KEY"
