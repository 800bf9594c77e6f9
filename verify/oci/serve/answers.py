"""Answers as values, and the one place where an error becomes a status and a code.

Only codes that the distribution specification names are used, and UNKNOWN for faults of ours, as registries
do. Every answer with a body states its length: some clients refuse one that does not.

    absent      404      the client's bytes are wrong   400      too large    413
    read-only   405      the folder is damaged          500      too many     429

Where things lie on this machine is nobody's business: what is wrong with the folder is a note for the log.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self
from urllib.parse import urlencode

from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.errors import ModsealError

_ABSENT = {
    "oci.blob-unknown": ("BLOB_UNKNOWN", "no such blob"),
    "oci.manifest-unknown": ("MANIFEST_UNKNOWN", "no such manifest"),
}
_CLIENT = {
    "digest.malformed": "DIGEST_INVALID",
    "oci.digest-mismatch": "DIGEST_INVALID",
    "oci.size-mismatch": "SIZE_INVALID",
    "oci.reference": "NAME_INVALID",
}


@dataclass(frozen=True, slots=True)
class Stream:
    """A body that is read while it is sent. Reading may raise: then the answer stops short of its length."""

    blocks: Iterator[bytes]
    size: int
    close: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, headers, body; `note` is for whoever runs the server."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    stream: Stream | None = None
    note: str = ""

    @property
    def length(self) -> int:
        """Of the body."""
        return len(self.body) if self.stream is None else self.stream.size

    def header(self, name: str) -> str | None:
        """The first of that name."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def having(self, *headers: tuple[str, str]) -> Self:
        """With more headers."""
        return replace(self, headers=(*self.headers, *headers))


def as_json(value: object, *headers: tuple[str, str], media_type: str = "application/json") -> Answer:
    """200 with a document."""
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    return Answer(status=200, headers=(("Content-Type", media_type), *headers), body=body)


def refuse(status: int, code: str, message: str) -> Answer:
    """The protocol's error document. JSON in ASCII: what the message quotes stays harmless in a terminal."""
    document = as_json({"errors": [{"code": code, "message": message}]})
    return replace(document, status=status)


def told(error: ModsealError, *, storing: str | None = None) -> Answer:
    """What an error answers. `storing` is the code for bytes that are refused; without it we are only reading."""
    message = error.message
    if isinstance(error, Absent):
        return refuse(404, *_ABSENT.get(error.check or "", ("NAME_UNKNOWN", "no such repository")))
    if isinstance(error, Misused):
        return refuse(400, _CLIENT.get(error.check or "", "UNSUPPORTED"), message)
    if error.check == "digest.malformed":
        return refuse(400, "DIGEST_INVALID", message)
    ours = (error.check or "").startswith("oci.layout-")  # the folder's fault, whoever found it
    if storing is not None and isinstance(error, Malformed | Refuted) and not ours:
        return refuse(400, _CLIENT.get(error.check or "", storing), message)
    if storing is not None and isinstance(error, Exhausted):
        return refuse(413, "MANIFEST_INVALID" if storing == "MANIFEST_INVALID" else "SIZE_INVALID", message)
    if error.check == "oci.layout-locked":
        return replace(refuse(503, "UNKNOWN", "busy").having(("Retry-After", "1")), note=message)
    return replace(
        refuse(500, "UNKNOWN", "what is stored cannot be given: see the server's log"), note=message
    )


def next_link(path: str, query: Mapping[str, str]) -> tuple[str, str]:
    """The header that leads to the next page."""
    return ("Link", f'<{path}?{urlencode(query)}>; rel="next"')
