"""The rows of a chart: donors of a candidate, day by day. Needs the Python client.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 chart_rows.py P90000001 2024
"""
import os
import sys

from donorlens import Donorlens

if len(sys.argv) != 3:
    sys.exit("usage: chart_rows.py CANDIDATE_ID CYCLE")
client = Donorlens(os.environ["DONORLENS_URL"], os.environ["DONORLENS_KEY"])
days = client.chart("cumulative_donors/candidate", candidate_id=sys.argv[1], cycle=sys.argv[2])

if not days:
    sys.exit("nothing found: /data-charts/v1/about shows the candidates and cycles that are loaded")
print(days[-1]["ref_date"], days[-1]["cumul_donors"])
