from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Optional, Union
from urllib.parse import quote
from uuid import uuid4

from .connection import Connection, Option, Response, json_bytes, read_json, with_retries
from .errors import BatchEndedError, retry_after_seconds

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Batch = dict[str, Any]
"""A batch as the service describes it: `id`, `state`, `counts`, `addresses`, `waits_for`, `eta_seconds` and more."""
Queries = Union[Iterable[Mapping[str, Any]], "pandas.DataFrame"]
Source = Union[Path, str, bytes, BinaryIO, "pandas.DataFrame"]
"""Content of a file: its path, its text or bytes, a binary stream or a frame. Everything except a stream is retried on 429 and 503."""
Format = Literal["csv", "ndjson", "json", "parquet", "xlsx"]

ENDED = ("cancelled", "failed", "expired")
SHARE_OF_REST = 0.1
"""A long batch is polled less often."""
MAX_PAUSE_SECONDS = 30


class Donorlens:
    """
    Client of one service.

    Every method raises DonorlensProblem for an error response, and DonorlensUnreachable without a response. Options are
    the query parameters of the operation, such as `detail=True` or `min_age=18`; the service refuses unknown ones.
    """

    def __init__(self, base_url: str, key: str, *, retries: int = 3, timeout: float = 300) -> None:
        """
        :param base_url: base URL of the service, such as `https://donorlens.example.org`
        :param retries: maximum retries of a request refused with `Retry-After` (429, 503)
        :param timeout: seconds without any data after which a request is given up
        """
        self._connection = Connection(base_url, key, retries, timeout)

    def age_gender(self, queries: Queries, **options: Option) -> list[Row]:
        """Age and gender of first names (`name`, `date`), in the order of the queries. An unknown name has None."""
        return self._lookup("age_gender", queries, options)

    def ethnicity(self, queries: Queries, **options: Option) -> list[Row]:
        """Ethnicity of surnames (`surname`, `year`), in the order of the queries."""
        return self._lookup("ethnicity", queries, options)

    def contributions(self, queries: Queries, **options: Option) -> list[Row]:
        """All attributes of contributions. A new address is PENDING: send many as a batch."""
        return self._lookup("contributions", queries, options)

    def submit_batch(
        self,
        source: Source,
        *,
        content_type: str = "text/csv",
        map: Optional[Mapping[str, str]] = None,
        webhook_url: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        **options: Option,
    ) -> Batch:
        """
        Submits a file. It is stored durably when this returns.

        :param content_type: `text/csv`, `application/x-ndjson`, `application/json` or `application/gzip`; gzip is detected
        :param map: field to your column: `{"first_name": "GIVEN"}`. Known headers need no mapping.
        :param webhook_url: public https URL that receives a webhook at the end
        :param idempotency_key: the same key with the same file is one batch, however often it is sent. Random by default.
        """
        headers = {"Content-Type": content_type, "Idempotency-Key": idempotency_key or str(uuid4())}
        if webhook_url is not None:
            headers["Webhook-Url"] = quote(webhook_url, safe="%/:?#[]@!$&'()*+,;=")  # headers are ASCII
        query = {**options, **{f"map.{field}": column for field, column in (map or {}).items()}}

        def attempt(body: Union[bytes, BinaryIO]) -> Batch:
            response = self._connection.send("POST", "/enrich/v1/batches", query, body, headers)
            batch: Batch = read_json(response)
            return batch

        def attempt_file(path: Path) -> Batch:
            with path.open("rb") as file:
                return attempt(file)

        content = source.to_csv(index=False) if hasattr(source, "to_csv") else source
        retries = self._connection.retries
        if isinstance(content, Path):
            return with_retries(partial(attempt_file, content), retries)
        if isinstance(content, str):
            content = content.encode()
        return with_retries(partial(attempt, content), retries if isinstance(content, bytes) else 0)

    def wait_for_batch(self, id: str, on_progress: Optional[Callable[[Batch], object]] = None) -> Batch:
        """
        Polls until the batch has completed.

        :param on_progress: called with each polled state
        :raises BatchEndedError: if the batch cannot complete
        """
        while True:
            response = self.request("GET", _batch_path(id), query={"format": "json"})
            batch: Batch = read_json(response)
            if on_progress is not None:
                on_progress(batch)
            if batch["state"] == "completed":
                return batch
            if batch["state"] in ENDED:
                raise BatchEndedError(batch)
            rest = (batch["eta_seconds"] or 0) * SHARE_OF_REST
            sleep(max(retry_after_seconds(response.headers) or 1, min(rest, MAX_PAUSE_SECONDS)))

    def result_stream(self, id: str, format: Format = "csv", **options: Option) -> Response:
        """Binary stream of the results. Options: `partial`, `detail`, `raw`."""
        return self.request("GET", f"{_batch_path(id)}/results", query={**options, "format": format})

    def results(self, id: str, **options: Option) -> Iterator[Row]:
        """The results row by row, with one row in memory: the added columns and the `id`, if any."""
        with self.result_stream(id, "ndjson", **options) as lines:
            for line in lines:
                yield json.loads(line)

    def results_frame(self, id: str, **options: Option) -> pandas.DataFrame:
        """The results as a pandas frame; its rows are those of the input, in the same order."""
        return _frame_of(self.results(id, **options))

    def chart(self, name: str, **options: Option) -> list[Row]:
        """Rows of a table under `/data-charts/v1`: `chart("cumulative_donors/candidate", candidate_id=["P90000001"], cycle=[2024])`."""
        response = self.request("GET", f"/data-charts/v1/{name}", query={**options, "format": "json"})
        rows: list[Row] = read_json(response)["results"]
        return rows

    def chart_frame(self, name: str, **options: Option) -> pandas.DataFrame:
        """Rows of a chart as a pandas frame."""
        return _frame_of(self.chart(name, **options))

    def request(
        self, method: str, path: str, *, query: Optional[Mapping[str, Option]] = None, body: object = None
    ) -> Response:
        """Any operation by its method and path. The response is a binary stream; the body is sent as JSON."""
        data = None if body is None else json_bytes(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        return with_retries(
            lambda: self._connection.send(method, path, query, data, headers), self._connection.retries
        )

    def _lookup(self, name: str, queries: Queries, options: Mapping[str, Option]) -> list[Row]:
        response = self.request("POST", f"/enrich/v1/{name}", query=options, body={"queries": _records_of(queries)})
        rows: list[Row] = read_json(response)["results"]
        return rows


def _batch_path(id: str) -> str:
    return f"/enrich/v1/batches/{quote(id, safe='')}"


def _records_of(queries: Queries) -> list[Mapping[str, Any]]:
    """Queries as a list. Missing values of a frame are omitted, because JSON has none."""
    if not hasattr(queries, "notna"):
        return list(queries)
    frame: pandas.DataFrame = queries
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def _frame_of(rows: Iterable[Row]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(list(rows)).convert_dtypes()
