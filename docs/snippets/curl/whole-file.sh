#!/bin/sh
# A whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones.
# DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… sh whole-file.sh contributions.csv enriched.csv
# A third argument maps columns: 'map.first_name=Given&map.date=Paid'
set -eu
[ $# -ge 2 ] || { echo 'usage: whole-file.sh INPUT.csv OUTPUT.csv [map.FIELD=Column&…]' >&2; exit 2; }
input=$1
output=$2
[ -r "$input" ] || { echo "$input cannot be read" >&2; exit 2; }

answer=$(curl --fail-with-body -sS -w '\n%header{location}' -T "$input" -X POST \
  "$DONORLENS_URL/enrich/v1/batches?type=contributions&min_age=18${3:+&$3}" \
  -H "X-API-Key: $DONORLENS_KEY" -H 'Content-Type: text/csv') || { echo "$answer" >&2; exit 1; }
batch=$(echo "$answer" | tail -n 1)

batch_state() {
  curl --fail-with-body -sS "$DONORLENS_URL$batch?format=json" -H "X-API-Key: $DONORLENS_KEY"
}

shown=
while
  answer=$(curl -sS -o "$output" -w '%{http_code} %header{retry-after}' \
    "$DONORLENS_URL$batch/results?format=csv" -H "X-API-Key: $DONORLENS_KEY")
  [ "${answer% *}" = 409 ] # not finished
do
  waits=$(batch_state | sed -n 's/.*"waits_for":"\([^"]*\)".*/waiting: \1/p')
  reason=$(echo "$waits" | tr -d '0-9') # ignore changing numbers and times
  [ -z "$waits" ] || [ "$reason" = "$shown" ] || echo "$waits" >&2
  shown=$reason
  sleep "${answer#* }"
done

[ "${answer% *}" = 200 ] || { cat "$output" >&2; exit 1; }
late=$(batch_state | sed -n 's/.*"pending":\([1-9][0-9]*\).*/rows that still wait for their address (PENDING): \1/p')
[ -z "$late" ] || echo "$late" >&2
