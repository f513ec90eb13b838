"""Age and gender of one first name on a date. Needs only Python 3.9.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 ask_one.py
"""
import json
import os
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

name, date = "Thomas", "2017-07-01"
url = f"{os.environ['DONORLENS_URL']}/enrich/v1/age_gender/name/{quote(name, safe='')}/date/{date}?format=json"
request = Request(url, headers={"X-API-Key": os.environ["DONORLENS_KEY"]})

try:
    with urlopen(request) as answer:
        print(json.load(answer))
except HTTPError as error:  # its body explains the error
    raise SystemExit(error.read().decode())
