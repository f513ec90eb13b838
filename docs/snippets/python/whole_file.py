"""A whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones. Needs only Python 3.9.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 whole_file.py contributions.csv enriched.csv
Map your own column names after the files: map.first_name=Given map.date=Paid
"""
import json
import os
import re
import shutil
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

BASE = os.environ["DONORLENS_URL"]
KEY = {"X-API-Key": os.environ["DONORLENS_KEY"]}


def ask(path, **more):
    try:
        return urlopen(Request(BASE + path, **{"headers": KEY, **more}))
    except HTTPError as error:  # its body explains the error
        raise SystemExit(error.read().decode())


if len(sys.argv) < 3:
    sys.exit("usage: whole_file.py INPUT.csv OUTPUT.csv [map.FIELD=Column …]")
source, target, *columns = sys.argv[1:]
question = urlencode({"type": "contributions", "min_age": 18, **dict(one.split("=", 1) for one in columns)})
with open(source, "rb") as file:  # streamed, so of any size
    headers = {**KEY, "Content-Type": "text/csv", "Content-Length": str(os.path.getsize(source))}
    with ask(f"/enrich/v1/batches?{question}", data=file, headers=headers) as answer:
        batch = json.load(answer)

shown = ""
while batch["state"] not in ("completed", "cancelled", "failed", "expired"):
    with ask(batch["links"]["self"] + "?format=json") as answer:
        wait = float(answer.headers.get("Retry-After", 0))
        batch = json.load(answer)
    reason = re.sub(r"\d", "", batch["waits_for"] or "")  # ignore changing numbers and times
    if reason not in ("", shown):
        print(f"waiting: {batch['waits_for']}", file=sys.stderr)
    shown = reason
    time.sleep(wait)

if batch["state"] != "completed":
    raise SystemExit(f"The batch is {batch['state']}.")
with ask(batch["links"]["results"] + "?format=csv") as answer, open(target, "wb") as file:
    shutil.copyfileobj(answer, file)
if batch["addresses"]["pending"]:  # read the results again later
    print(f"rows that still wait for their address (PENDING): {batch['addresses']['pending']}", file=sys.stderr)
