#!/bin/sh
# A whole file as a batch: send it, wait until it is done, read your columns with ours appended.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh whole-file.sh contributions.csv enriched.csv
set -eu
input=$1
output=$2

batch=$(curl -fsS -o /dev/null -w '%header{location}' -T "$input" -X POST \
  "$DONORLENS_URL/enrich/v1/batches?type=contributions" \
  -H "X-API-Key: $DONORLENS_KEY" -H 'Content-Type: text/csv')

told=
while
  answer=$(curl -sS -o "$output" -w '%{http_code} %header{retry-after}' \
    "$DONORLENS_URL$batch/results?format=csv" -H "X-API-Key: $DONORLENS_KEY")
  [ "${answer% *}" = 409 ] # not finished
do
  waits=$(curl -fsS "$DONORLENS_URL$batch?format=json" -H "X-API-Key: $DONORLENS_KEY" |
    sed -n 's/.*"waits_for":"\([^"]*\)".*/waiting: \1/p')
  [ -z "$waits" ] || [ "$waits" = "$told" ] || echo "$waits" >&2
  told=$waits
  sleep "${answer#* }"
done

[ "${answer% *}" = 200 ] || { cat "$output" >&2; exit 1; }
