"""The CSV of a chart: donors of a candidate, day by day. Needs only Python 3.9.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 chart_csv.py P90000001 2024
"""
import csv
import io
import os
import sys
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

if len(sys.argv) != 3:
    sys.exit("usage: chart_csv.py CANDIDATE_ID CYCLE")
question = urlencode({"candidate_id": sys.argv[1], "cycle": sys.argv[2]})
url = f"{os.environ['DONORLENS_URL']}/data-charts/v1/cumulative_donors/candidate?{question}"
request = Request(url, headers={"X-API-Key": os.environ["DONORLENS_KEY"]})

try:
    with urlopen(request) as answer:
        days = list(csv.DictReader(io.TextIOWrapper(answer, "utf-8")))
except HTTPError as error:  # its body explains the error
    raise SystemExit(error.read().decode())

if not days:
    sys.exit("nothing found: /data-charts/v1/about shows the candidates and cycles that are loaded")
print(days[-1]["REF_DATE"], days[-1]["CUMUL_DONORS"])
