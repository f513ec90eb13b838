"""Ages and genders of up to 10,000 names in one request, from the columns name and date of a CSV. Needs the Python client.

DONORLENS_URL=http://127.0.0.1:3000 DONORLENS_KEY=… python3 bulk.py names.csv > ages.csv
"""
import csv
import os
import sys

from donorlens import Donorlens

if len(sys.argv) != 2:
    sys.exit("usage: bulk.py NAMES.csv > AGES.csv")
client = Donorlens(os.environ["DONORLENS_URL"], os.environ["DONORLENS_KEY"])

with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
    queries = [{"name": row["name"], "date": row["date"]} for row in csv.DictReader(file)]
results = client.age_gender(queries)  # in the order of the queries

ages = csv.DictWriter(sys.stdout, ["name", "date", "age", "gender"], lineterminator="\n")
ages.writeheader()
ages.writerows({**query, **result} for query, result in zip(queries, results))
