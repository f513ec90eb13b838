"""Run against a service: DONORLENS_URL and DONORLENS_KEY; FAULTY_URL is a server that refuses requests, by key."""

import datetime
import io
import os
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

from donorlens import BatchEndedError, Donorlens, DonorlensProblem, DonorlensUnreachable

CSV = "first_name,last_name,date\nThomas,Garcia,2016-10-01\nMaria,Smith,2016-03-01\n"
HAS_PANDAS = find_spec("pandas") is not None or "CI" in os.environ


def client(key=os.environ["DONORLENS_KEY"]):
    return Donorlens(os.environ["DONORLENS_URL"], key)


def faulty(key, **options):
    return Donorlens(os.environ["FAULTY_URL"], key, **options)


class Lookups(unittest.TestCase):
    def test_return_results_in_the_order_of_the_queries(self):
        queries = [{"name": "Thomas", "date": datetime.date(2017, 7, 1)}, {"name": "Wqzx", "date": "2017-07-01"}]
        self.assertEqual(client().age_gender(queries), [{"age": 70, "gender": "m"}, {"age": None, "gender": None}])
        [garcia] = client().ethnicity([{"surname": "Garcia", "year": 2016}], detail=True)
        self.assertEqual([garcia["race"], garcia["census"]], ["hispanic", 2010])
        [smith] = client().contributions([{"name": "SMITH, MARIA", "date": "2016-03-01"}], min_age=18)
        self.assertEqual([smith["gender"], smith["geocode_status"]], ["f", "SKIPPED"])

    def test_raise_an_error_response_with_its_code_and_every_invalid_part(self):
        with self.assertRaises(DonorlensProblem) as raised:
            client().age_gender([{"name": "Thomas", "date": "yesterday"}])
        problem = raised.exception
        self.assertEqual([problem.code, problem.status], ["invalid-request", 400])
        self.assertEqual([part["pointer"] for part in problem.errors], ["/queries/0/date"])
        self.assertIn("\n  /queries/0/date: ", str(problem))
        self.assertRegex(problem.request_id, "^[0-9a-f-]{36}$")
        with self.assertRaises(DonorlensProblem) as raised:
            client().age_gender([], detials=True)
        self.assertIn("detail", str(raised.exception))

    def test_refuse_values_that_json_has_not(self):
        for value in (float("nan"), object()):
            with self.assertRaises((ValueError, TypeError)):
                client().ethnicity([{"surname": "Garcia", "year": value}])


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "donors.csv"
        self.path.write_text(CSV)

    def test_take_a_path_a_text_bytes_and_a_stream_and_return_rows_one_by_one(self):
        for source in (self.path, CSV, CSV.encode(), io.BytesIO(CSV.encode())):
            states = []
            id = client().submit_batch(source, type="contributions", min_age=18)["id"]
            batch = client().wait_for_batch(id, on_progress=lambda batch: states.append(batch["state"]))
            self.assertEqual([batch["counts"]["ok"], states[-1]], [2, "completed"])
            self.assertEqual([row["gender"] for row in client().results(id, detail=True)], ["m", "f"])

    def test_map_columns_and_make_one_batch_of_one_idempotency_key(self):
        csv = CSV.replace("first_name,last_name", "GIVEN,FAMILY")
        options = {"map": {"first_name": "GIVEN", "surname": "FAMILY"}, "idempotency_key": "one-file-python"}
        [first, second] = [client().submit_batch(csv, **options)["id"] for _ in range(2)]
        self.assertEqual(first, second)
        client().wait_for_batch(first)
        with client().result_stream(first) as results:
            self.assertRegex(results.read().decode(), "^GIVEN,FAMILY,date,AGE")

    def test_send_the_url_of_a_webhook_as_a_header(self):
        with self.assertRaises(DonorlensProblem) as raised:
            client().submit_batch(CSV, webhook_url="https://10.0.0.7/ä b")
        self.assertEqual([part["pointer"] for part in raised.exception.errors], ["/header/Webhook-Url"])

    def test_raise_the_error_of_a_service_that_refuses_a_long_upload_before_its_end(self):
        with self.assertRaises(DonorlensProblem) as raised:
            client("no-key").submit_batch(CSV * 500_000)
        self.assertEqual(raised.exception.code, "unauthorized")

    def test_do_not_blame_the_service_for_a_file_that_cannot_be_read(self):
        with self.assertRaises(FileNotFoundError):
            client().submit_batch(Path("/no/such/file"))


class Charts(unittest.TestCase):
    QUERY = {"candidate_id": [os.environ["CANDIDATE_ID"]], "cycle": [2016, 2020]}

    def test_are_rows(self):
        days = client().chart("cumulative_donors/candidate", **self.QUERY)
        self.assertEqual({day["cycle"] for day in days}, {2016, 2020})
        self.assertEqual([days[0]["ref_date"], days[0]["cumul_donors"]], ["2015-01-01", 1])

    def test_are_files_by_path(self):
        with client().request("GET", "/data-charts/v1/contributions/search", query={**self.QUERY, "raw": True}) as file:
            self.assertRegex(file.readline().decode(), "^CYCLE,CAND_ID,CMTE_ID,")


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Frames(unittest.TestCase):
    def test_are_accepted_and_returned(self):
        import pandas

        names = pandas.DataFrame({"name": ["Thomas"], "date": pandas.to_datetime(["2017-07-01"]), "id": [None]})
        self.assertEqual(client().age_gender(names), [{"age": 70, "gender": "m"}])
        donors = pandas.read_csv(io.StringIO(CSV), dtype=str)
        batch = client().wait_for_batch(client().submit_batch(donors)["id"])
        enriched = donors.join(client().results_frame(batch["id"]))
        self.assertEqual([enriched.first_name[1], enriched.gender[1]], ["Maria", "f"])
        self.assertEqual(str(enriched.age.dtype), "Int64")
        donors = donors.assign(id=["1", "2"])[donors.first_name == "Maria"]  # its index begins at 1
        batch = client().wait_for_batch(client().submit_batch(donors)["id"])
        results = client().results_frame(batch["id"])
        self.assertIn("id", results)
        enriched = donors.reset_index(drop=True).join(results.drop(columns="id", errors="ignore"))
        self.assertEqual(enriched[["id", "first_name", "gender"]].values.tolist(), [["2", "Maria", "f"]])
        days = client().chart_frame("cumulative_donors/candidate", **Charts.QUERY)
        self.assertEqual(days.cumul_donors[0], 1)


class Faults(unittest.TestCase):
    def test_a_request_refused_with_retry_after_is_repeated_with_the_same_body(self):
        self.assertEqual(faulty("busy").age_gender([{"name": "A"}]), [{"requests": 2, "bodies": 1}])
        self.assertEqual(faulty("busy-until-a-date").chart("x"), [{"requests": 2, "bodies": 1}])
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"a\n1\n")
            file.flush()
            self.assertEqual(faulty("busy-file").submit_batch(Path(file.name))["results"][0]["requests"], 2)
            with self.assertRaises(DonorlensProblem):
                faulty("busy-stream").submit_batch(io.BytesIO(b"a\n1\n"))

    def test_retries_end_at_their_limit_and_where_the_wait_is_longer_than_a_minute(self):
        with self.assertRaises(DonorlensProblem) as raised:
            faulty("always-busy", retries=1).age_gender([])
        self.assertEqual(str(raised.exception), "request 2")
        with self.assertRaises(DonorlensProblem) as raised:
            faulty("quota").age_gender([])
        self.assertEqual([raised.exception.status, raised.exception.retry_after_seconds], [429, 40_000])

    def test_an_error_of_a_proxy_has_its_status(self):
        with self.assertRaises(DonorlensProblem) as raised:
            faulty("proxy").age_gender([])
        problem = raised.exception
        self.assertEqual([str(problem), problem.code, problem.errors], ["Status 502", "unknown", []])

    def test_a_service_that_does_not_respond_is_named_with_what_to_check(self):
        for key, code in (("closed", "ECONNRESET"), ("half", None), ("half-error", None), ("silent", "ETIMEDOUT")):
            with self.assertRaises(DonorlensUnreachable) as raised:
                faulty(key, timeout=1).age_gender([])
            error = raised.exception
            self.assertEqual([key, error.code, error.address], [key, code, os.environ["FAULTY_URL"]])
        with self.assertRaises(DonorlensUnreachable) as raised:
            Donorlens("http://127.0.0.1:1/below?secret", "a").ethnicity([])
        self.assertEqual(
            str(raised.exception),
            "The service does not answer at http://127.0.0.1:1 (ECONNREFUSED): check that it runs, and check base_url and the network.",
        )
        with self.assertRaises(ValueError):
            Donorlens("file:///etc/passwd", "a")

    def test_waiting_ends_if_the_batch_cannot_complete(self):
        with self.assertRaises(BatchEndedError) as raised:
            faulty("failed").wait_for_batch("a")
        self.assertEqual([raised.exception.batch["id"], str(raised.exception)], ["a", "The batch is failed: no header."])

    def test_an_interrupted_stream_raises_an_error(self):
        for key in ("half", "half-chunked"):
            with self.assertRaises(DonorlensUnreachable):
                list(faulty(key).result_stream("a"))


if __name__ == "__main__":
    unittest.main()
