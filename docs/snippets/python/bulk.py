"""Ethnicity of many surnames at once, results in the order of the queries. Needs only Python 3.9.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 bulk.py
"""
import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

queries = [{"surname": "Garcia", "year": 2016}, {"surname": "Smith", "year": 2004}]
request = Request(
    f"{os.environ['DONORLENS_URL']}/enrich/v1/ethnicity",
    data=json.dumps({"queries": queries}).encode(),
    headers={"X-API-Key": os.environ["DONORLENS_KEY"], "Content-Type": "application/json"},
)

try:
    with urlopen(request) as answer:
        results = json.load(answer)["results"]
except HTTPError as error:  # its body explains the error
    raise SystemExit(error.read().decode())

for query, result in zip(queries, results):
    percent = result["pct" + result["race"]] if result["race"] else None
    print(query["surname"], result["race"], percent)
