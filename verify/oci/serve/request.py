"""One request as a value, and the addresses of the protocol.

    /v2/                              BASE          /v2/NAME/manifests/TAG-OR-DIGEST   MANIFEST
    /v2/_catalog                      CATALOG       /v2/NAME/tags/list                 TAGS
    /v2/NAME/blobs/DIGEST             BLOB          /v2/NAME/referrers/DIGEST          REFERRERS
    /v2/NAME/blobs/uploads/[SESSION]  UPLOADS, UPLOAD

A name is taken apart from its end, so that a repository may be called `a/blobs/uploads`. Escapes are decoded
once, before anything is judged; what names a file later is judged again by its own grammar.

>>> parse_route("/v2/example.com/net/manifests/v1.4.0")
Route(endpoint=<Endpoint.MANIFEST: 'manifest'>, name='example.com/net', reference='v1.4.0')
>>> parse_route("/v2/a/blobs/uploads/tags/list").name
'a/blobs/uploads'
>>> parse_route("/v1/") is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, Self
from urllib.parse import parse_qsl, unquote

from verify.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping

_QUERY_FIELDS = 16


class Body(Protocol):
    """What a client sends along. Raises `BodyEnded` when it sends less than it said, or too slowly."""

    @property
    def length(self) -> int | None:
        """How much it said it would send; None where only the end will tell."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; b"" at the end."""


class Endpoint(StrEnum):
    """What an address is of."""

    BASE = "base"
    CATALOG = "catalog"
    BLOB = "blob"
    UPLOADS = "uploads"
    UPLOAD = "upload"
    MANIFEST = "manifest"
    TAGS = "tags"
    REFERRERS = "referrers"


@dataclass(frozen=True, slots=True)
class Route:
    """An address, taken apart. Neither the name nor the reference has been judged."""

    endpoint: Endpoint
    name: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Method, path, query, headers with names in lower case, and a body that is read at most once."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Body

    @classmethod
    def parse(cls, method: str, target: str, headers: Mapping[str, str], body: Body) -> Self:
        """From a request line. Raises Malformed."""
        path, _, query = target.partition("?")
        if not path.startswith("/"):
            raise Malformed("address: expected one that begins with /")
        try:
            decoded = unquote(path, errors="strict")
            pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_QUERY_FIELDS)
        except ValueError as error:
            raise Malformed("address: expected UTF-8 and few query fields") from error
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise Malformed("address: a query field stands twice")
        return cls(method=method, path=decoded, query=fields, headers=headers, body=body)


_PATTERNS = (
    (Endpoint.UPLOADS, re.compile(r"(.+)/blobs/uploads/?()", re.DOTALL)),
    (Endpoint.UPLOAD, re.compile(r"(.+)/blobs/uploads/([^/]+)", re.DOTALL)),
    (Endpoint.BLOB, re.compile(r"(.+)/blobs/([^/]+)", re.DOTALL)),
    (Endpoint.MANIFEST, re.compile(r"(.+)/manifests/([^/]+)", re.DOTALL)),
    (Endpoint.TAGS, re.compile(r"(.+)/tags/list()", re.DOTALL)),
    (Endpoint.REFERRERS, re.compile(r"(.+)/referrers/([^/]+)", re.DOTALL)),
)


def parse_route(path: str) -> Route | None:
    """What a path addresses, or None."""
    if path in {"/v2", "/v2/"}:
        return Route(Endpoint.BASE)
    if path == "/v2/_catalog":
        return Route(Endpoint.CATALOG)
    if not path.startswith("/v2/"):
        return None
    for endpoint, pattern in _PATTERNS:
        match = pattern.fullmatch(path, len("/v2/"))
        if match is not None:
            return Route(endpoint, match[1], match[2])
    return None
