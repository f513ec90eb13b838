from __future__ import annotations

import http.client
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from time import sleep
from typing import TYPE_CHECKING, Any, BinaryIO, Optional, TypeVar, Union, cast
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPHandler, HTTPSHandler, Request, build_opener

from .errors import DonorlensProblem, DonorlensUnreachable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Value = Union[str, int, float, date]
Option = Union[Value, Sequence[Value], None]
"""A query parameter. A list repeats it, None omits it."""
Body = Union[bytes, BinaryIO, None]
T = TypeVar("T")

MAX_WAIT_SECONDS = 60
"""Longer waits, such as for a daily quota, are left to the caller."""


class Response(io.BufferedReader):
    """Binary stream of a response. A connection that breaks before its end raises DonorlensUnreachable."""

    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        super().__init__(_Body(url, response))
        self.headers = response.headers


class _Body(io.RawIOBase):
    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        self._url = url
        self._response = response

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count = self._response.readinto(buffer)
            if count == 0 and self._response.length:  # http.client takes a short body for a whole one
                raise http.client.IncompleteRead(b"", self._response.length)
            return count
        except (OSError, http.client.HTTPException) as error:
            raise DonorlensUnreachable(self._url, error) from error

    def close(self) -> None:
        self._response.close()
        super().close()


class Connection:
    """Sends requests with the API key and raises DonorlensProblem and DonorlensUnreachable."""

    def __init__(self, base_url: str, key: str, retries: int, timeout: float) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self.retries = retries
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._opener = build_opener(_HTTPHandler, _HTTPSHandler)

    def send(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Option]] = None,
        body: Body = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Response:
        """Sends a request once, streaming its body."""
        parameters = urlencode(list(_parameters(query or {})))
        url = self._base_url + path + (f"?{parameters}" if parameters else "")
        request = Request(url, data=body, headers=dict(headers or {}), method=method)
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")  # not sent to another host
        try:
            return Response(url, self._opener.open(request, timeout=self._timeout))
        except HTTPError as error:
            with Response(url, cast(http.client.HTTPResponse, error.fp)) as response:
                raise DonorlensProblem(error.code, error.headers, response.read()) from None
        except (OSError, http.client.HTTPException) as error:
            raise DonorlensUnreachable(url, error) from error


def with_retries(attempt: Callable[[], T], max_retries: int) -> T:
    """Repeats an attempt that was refused with `Retry-After`, at most `max_retries` times."""
    retries = 0
    while True:
        try:
            return attempt()
        except DonorlensProblem as problem:
            seconds = _retry_delay_seconds(problem)
            if seconds is None or retries >= max_retries:
                raise
        retries += 1
        sleep(seconds)


def read_json(response: Response) -> Any:
    with response:
        return json.load(response)


def json_bytes(value: object) -> bytes:
    return json.dumps(value, allow_nan=False, default=_json_value).encode()


def _retry_delay_seconds(problem: DonorlensProblem) -> Optional[int]:
    """Seconds of `Retry-After` if the error is a 429 or 503, which did nothing and may be repeated; otherwise None."""
    seconds = problem.retry_after_seconds
    if problem.status not in (429, 503) or seconds is None or seconds > MAX_WAIT_SECONDS:
        return None
    return max(1, seconds)


def _parameters(query: Mapping[str, Option]) -> Iterator[tuple[str, str]]:
    for name, option in query.items():
        values = [option] if isinstance(option, str) or not isinstance(option, Sequence) else option
        for value in values:
            if value is not None:
                yield name, str(value).lower() if isinstance(value, bool) else str(value)


def _json_value(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is no value of JSON")


class _ReadsEarlyResponse:
    """A service that refuses an upload responds and closes the connection before it has read the body. The response explains why."""

    def request(self, *args: Any, **options: Any) -> None:
        try:
            super().request(*args, **options)  # type: ignore[misc]
        except (BrokenPipeError, ConnectionResetError):
            pass  # getresponse() returns the response, or raises


class _HTTPConnection(_ReadsEarlyResponse, http.client.HTTPConnection):
    pass


class _HTTPSConnection(_ReadsEarlyResponse, http.client.HTTPSConnection):
    pass


class _HTTPHandler(HTTPHandler):
    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_HTTPConnection, req)


class _HTTPSHandler(HTTPSHandler):
    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_HTTPSConnection, req)  # type: ignore[arg-type]
