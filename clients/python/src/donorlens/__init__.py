"""Client of the donorlens HTTP API. Needs only the standard library."""

from .client import Batch, Donorlens, Queries, Row, Source
from .connection import Option, Response
from .errors import BatchEndedError, DonorlensProblem, DonorlensUnreachable, InvalidPart

__all__ = [
    "Batch",
    "BatchEndedError",
    "Donorlens",
    "DonorlensProblem",
    "DonorlensUnreachable",
    "InvalidPart",
    "Option",
    "Queries",
    "Response",
    "Row",
    "Source",
]
