"""Requests put to a Registry without a socket."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from verify.limits import DEFAULT, Limits
from verify.oci.serve.registry import Registry
from verify.oci.serve.repositories import LayoutTree
from verify.oci.serve.request import Request
from verify.oci.serve.uploads import Uploads

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.oci.serve.answers import Answer


class Bytes(io.BytesIO):
    """A body of stated length, or of none."""

    def __init__(self, data: bytes, *, framed: bool = True) -> None:
        super().__init__(data)
        self.length = len(data) if framed else None


@dataclass(frozen=True, slots=True)
class Asker:
    """A registry to ask."""

    registry: Registry

    def __call__(
        self, method: str, target: str, body: bytes = b"", *, framed: bool = True, **headers: str
    ) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = Request.parse(method, target, named, Bytes(body, framed=framed))
        return self.registry.answer(request)


def tree(
    folder: Path,
    *,
    writable: bool = True,
    limits: Limits = DEFAULT,
    clock: Callable[[], float] = lambda: 0.0,
) -> Asker:
    """Over a tree of layouts."""
    uploads = Uploads(folder, limits=limits, clock=clock) if writable else None
    return Asker(Registry(LayoutTree(folder, limits=limits), uploads=uploads, limits=limits))


def content(answer: Answer) -> bytes:
    """All of a body, as it would be sent."""
    if answer.stream is None:
        return answer.body
    try:
        return b"".join(answer.stream.blocks)
    finally:
        answer.stream.close()


def encoded(text: str) -> str:
    """A text for a query."""
    return quote(text, safe="")
