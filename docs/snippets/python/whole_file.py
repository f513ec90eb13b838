"""A whole file of donors as a batch: send it, wait until it is done, read your columns with the added ones. Needs the Python client.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 whole_file.py contributions.csv enriched.csv
Map your own column names after the files: map.first_name=Given map.date=Paid
"""
import os
import re
import shutil
import sys
from pathlib import Path

from donorlens import Donorlens

if len(sys.argv) < 3:
    sys.exit("usage: whole_file.py INPUT.csv OUTPUT.csv [map.FIELD=Column …]")
source, target, *columns = sys.argv[1:]
client = Donorlens(os.environ["DONORLENS_URL"], os.environ["DONORLENS_KEY"])
shown = None


def show_progress(batch):
    global shown
    counts, reason = batch["counts"], batch["waits_for"] or ""
    status = (counts["done"], re.sub(r"\d", "", reason))  # numbers and times in a reason change
    if status != shown:
        waiting = f", waiting: {reason}" if reason else ""
        print(f"{counts['done']} of {counts['total']} rows{waiting}", file=sys.stderr)
    shown = status


mapping = dict(column.split("=", 1) for column in columns)
batch = client.submit_batch(Path(source), type="contributions", min_age=18, **mapping)  # streamed, so of any size
batch = client.wait_for_batch(batch["id"], on_progress=show_progress)
with client.result_stream(batch["id"]) as results, open(target, "wb") as file:
    shutil.copyfileobj(results, file)
if batch["addresses"]["pending"]:  # read the results again later
    print(f"rows that still wait for their address (PENDING): {batch['addresses']['pending']}", file=sys.stderr)
