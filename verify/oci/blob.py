"""Bytes on their way out of a store, compared with what was asked for while they pass. The only place that does.

A `VerifyingReader` hands out the last bytes only after all of them were checked: where the size is known it
reads one byte more than that, and when the content is complete, and only then, it gives the rest. A caller
who reads exactly `size` bytes and stops has therefore read verified bytes. Without a size the check is made
at the end of the stream, so read until b"" comes. Nothing is verified before that: `verified` tells.

>>> import io
>>> from verify.digest import Digest
>>> reader = VerifyingReader(io.BytesIO(b"{}"), Digest.of(b"{}"), size=2)
>>> reader.read(2), reader.verified
(b'{}', True)
>>> VerifyingReader(io.BytesIO(b"{]"), Digest.of(b"{}"), size=2).read(2)
Traceback (most recent call last):
verify.errors.Refuted: blob sha256:44136fa355b3…: its bytes have sha256:2125223e9996…
"""

from __future__ import annotations

import hashlib
import io
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

from verify.digest import Digest
from verify.errors import Exhausted, Refuted
from verify.limits import DEFAULT
from verify.oci.descriptor import Descriptor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from verify.digest import Reader

TITLE: Final = "org.opencontainers.image.title"


class VerifyingReader:
    """A reader of one blob. Raises Refuted (`oci.digest-mismatch`, `oci.size-mismatch`), Exhausted (`oci.too-large`)."""

    def __init__(
        self,
        source: Reader,
        digest: Digest,
        *,
        size: int | None = None,
        most: int = DEFAULT.blob_bytes,
        what: str = "blob",
        close: Callable[[], None] | None = None,
    ) -> None:
        self.digest = digest
        self.size = size
        self.verified = False
        self._source = source
        self._most = most if size is None else size
        self._what = f"{what} {short(digest)}"
        self._close = close if close is not None else getattr(source, "close", None)
        self._state = hashlib.new(digest.algorithm)
        self._count = 0
        self._failed: Exception | None = None
        if size is not None and size > most:
            self.close()
            raise Exhausted(f"{self._what}: {size} bytes, more than {most}", check="oci.too-large")

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, everything if negative; b"" at the end."""
        if self._failed is not None:
            raise self._failed
        if size == 0 or self.verified:
            return b""
        try:
            return self._rest() if size < 0 else self._some(size)
        except (Refuted, Exhausted) as error:
            self._failed = error
            raise

    def _rest(self) -> bytes:
        blocks = []
        while block := self._some(DEFAULT.chunk):
            blocks.append(block)
        return b"".join(blocks)

    def _some(self, size: int) -> bytes:
        if self.verified:
            return b""
        left = self._most - self._count
        block = self._source.read(min(size, left)) if left else b""
        self._state.update(block)
        self._count += len(block)
        if not block or (self.size is not None and self._count == self.size):
            self._finish(ended=not block and left > 0)
        return block

    def _finish(self, *, ended: bool) -> None:
        if self.size is not None and self._count < self.size:
            raise Refuted(
                f"{self._what}: expected {self.size} bytes, got {self._count}", check="oci.size-mismatch"
            )
        if not ended and self._source.read(1):
            self._refuse_more()
        found = f"{self.digest.algorithm}:{self._state.hexdigest()}"
        if found != self.digest.text:
            raise Refuted(
                f"{self._what}: its bytes have {short(Digest.parse(found))}", check="oci.digest-mismatch"
            )
        self.verified = True

    def _refuse_more(self) -> None:
        if self.size is None:
            raise Exhausted(f"{self._what}: longer than {self._most} bytes", check="oci.too-large")
        raise Refuted(f"{self._what}: expected {self.size} bytes, got more", check="oci.size-mismatch")

    def close(self) -> None:
        """Nothing more is read. It says nothing about what was not read."""
        if self._close is not None:
            with suppress(OSError):
                self._close()
            self._close = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Bytes on their way into a store: what they are, and how to read them, as often as it takes."""

    descriptor: Descriptor
    open: Callable[[], Reader] = field(repr=False)

    @classmethod
    def of(cls, data: bytes, media_type: str, *, annotations: Mapping[str, str] | None = None) -> Self:
        """Bytes in memory."""
        descriptor = Descriptor.of(data, media_type, annotations=annotations)
        return cls(descriptor=descriptor, open=lambda: io.BytesIO(data))

    def typed(self, media_type: str, *, title: str | None = None) -> Self:
        """The same bytes under another media type, titled by a file name or by nothing."""
        annotations = {} if title is None else {TITLE: title}
        descriptor = replace(self.descriptor, media_type=media_type, annotations=annotations)
        return replace(self, descriptor=descriptor)


def short(digest: Digest) -> str:
    """Enough of a digest for a message."""
    return f"{digest.algorithm}:{digest.hex[:12]}…"
