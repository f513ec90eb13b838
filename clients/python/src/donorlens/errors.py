from __future__ import annotations

import errno
import json
import socket
from email.message import Message
from email.utils import parsedate_to_datetime
from math import ceil
from time import time
from typing import Any, Optional, TypedDict
from urllib.error import URLError
from urllib.parse import urlsplit


MAX_SHOWN_ERRORS = 10


class InvalidPart(TypedDict):
    """One invalid part of the input: its JSON pointer, and what is wrong."""

    pointer: str
    detail: str


class DonorlensProblem(Exception):
    """An error response of the service (RFC 9457)."""

    code: str
    """Stable code of the error; `unknown` if the response comes from an intermediary such as a proxy."""
    status: int
    errors: list[InvalidPart]
    """Every invalid part of the input."""
    request_id: Optional[str]
    """Also in the operators' log."""
    retry_after_seconds: Optional[int]
    """Seconds of `Retry-After`, if the service sent it."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        document = _problem_document(body)
        self.code = document.get("code", "unknown")
        self.status = status
        self.errors = document.get("errors", [])
        text = ": ".join(filter(None, [document.get("title", f"Status {status}"), document.get("detail")]))
        parts = [f"{part['pointer']}: {part['detail']}" for part in self.errors[:MAX_SHOWN_ERRORS]]
        super().__init__("\n  ".join([text, *parts]))
        self.request_id = headers.get("x-request-id")
        self.retry_after_seconds = retry_after_seconds(headers)


class DonorlensUnreachable(Exception):
    """The service did not respond: wrong address, unknown host or broken connection. It may still have processed the request."""

    address: str
    """Origin of the service."""
    code: Optional[str]
    """Network error such as `ECONNREFUSED`; None if unknown."""

    def __init__(self, url: str, cause: Exception) -> None:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]  # without a password
        self.address = f"{parts.scheme}://{host}"
        self.code = _network_code(cause)
        code = f" ({self.code})" if self.code else ""
        super().__init__(
            f"The service does not answer at {self.address}{code}: check that it runs, and check base_url and the network."
        )


class BatchEndedError(Exception):
    """The batch was cancelled, has failed or has expired."""

    def __init__(self, batch: dict[str, Any]) -> None:
        reason = f": {batch['error']}" if batch.get("error") else ""
        super().__init__(f"The batch is {batch['state']}{reason}.")
        self.batch = batch


def retry_after_seconds(headers: Message) -> Optional[int]:
    """`Retry-After` in seconds; the header may be a date."""
    text: Optional[str] = headers.get("retry-after")
    if text is None:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return max(0, ceil(parsedate_to_datetime(text).timestamp() - time()))
    except (TypeError, ValueError):
        return None


def _problem_document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _network_code(error: object) -> Optional[str]:
    """Name of a network error, as Node and the TypeScript client have it."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, socket.gaierror):
        return "ENOTFOUND"
    if isinstance(reason, socket.timeout):
        return "ETIMEDOUT"
    if isinstance(reason, OSError) and reason.errno in errno.errorcode:
        return errno.errorcode[reason.errno]
    return "ECONNRESET" if isinstance(reason, ConnectionError) else None
