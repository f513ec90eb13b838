"""A whole file as a batch: send it, wait until it is done, read your columns with ours appended. Needs Python 3.9 alone.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 whole_file.py contributions.csv enriched.csv
"""
import json
import os
import shutil
import sys
import time
from urllib.request import Request, urlopen

BASE = os.environ["DONORLENS_URL"]
KEY = {"X-API-Key": os.environ["DONORLENS_KEY"]}


def ask(path):
    return urlopen(Request(BASE + path, headers=KEY))


source, target = sys.argv[1:3]
with open(source, "rb") as file:  # sent as it is read, whatever its size
    headers = {**KEY, "Content-Type": "text/csv", "Content-Length": str(os.path.getsize(source))}
    with urlopen(Request(BASE + "/enrich/v1/batches?type=contributions", data=file, headers=headers)) as answer:
        batch = json.load(answer)

told = ""
while batch["state"] not in ("completed", "cancelled", "failed", "expired"):
    with ask(batch["links"]["self"] + "?format=json") as answer:
        wait = float(answer.headers.get("Retry-After", 0))
        batch = json.load(answer)
    words = f"{batch['progress']:.0%}" + (f"; waiting: {batch['waits_for']}" if batch["waits_for"] else "")
    if words != told:
        print(words, file=sys.stderr)
    told = words
    time.sleep(wait)

if batch["state"] != "completed":
    raise SystemExit(f"The batch is {batch['state']}.")
with ask(batch["links"]["results"] + "?format=csv") as answer, open(target, "wb") as file:
    shutil.copyfileobj(answer, file)
if batch["addresses"]["pending"]:  # found too late: read the results again after a while
    print(f"{batch['addresses']['pending']} rows still wait for their address (PENDING)", file=sys.stderr)
