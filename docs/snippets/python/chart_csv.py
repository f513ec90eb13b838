"""The file of a chart: donors of a candidate, day by day. Needs Python 3.9 alone.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 chart_csv.py P90000001 2024
"""
import csv
import io
import os
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

question = urlencode({"candidate_id": sys.argv[1], "cycle": sys.argv[2]})
url = f"{os.environ['DONORLENS_URL']}/data-charts/v1/cumulative_donors/candidate?{question}"
request = Request(url, headers={"X-API-Key": os.environ["DONORLENS_KEY"]})

with urlopen(request) as answer:
    days = list(csv.DictReader(io.TextIOWrapper(answer, "utf-8")))

if not days:
    sys.exit("nothing found: /data-charts/v1/about shows the candidates and cycles that are loaded")
print(days[-1]["REF_DATE"], days[-1]["CUMUL_DONORS"])
