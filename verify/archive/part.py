"""One entry of an archive that is being written: what its headers say, its data, and the digest of its content.

Three kinds, which write the same bytes for the same file:

- `InMemory`: read in one piece.
- `ReadTwice`: stored, and too long for memory. CRC first, then CRC, SHA-256 and copy together, which must agree.
- `Spooled`: deflated, and too long for memory. Read once; what it became waits in a temporary file.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, TypeAlias, cast

from verify.archive.format import STORED, Facts
from verify.errors import Refuted
from verify.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.archive.sink import Beside, Sink
    from verify.tree.port import Entry
    from verify.workers import Job

WHOLE = 4 * MIB  # longer files are streamed


def streamed(entry: Entry) -> bool:
    """Whether it is too long for memory."""
    return entry.size > WHOLE


def temporary() -> BinaryIO:
    """A file without a name, for what waits."""
    import tempfile  # noqa: PLC0415 - slow to load, and stored archives need none

    return cast("BinaryIO", tempfile.TemporaryFile())


Sha256: TypeAlias = "bytes | Job[bytes]"  # or who will know it


class Wanted(NamedTuple):
    """An entry to be: its name in the archive, where it comes from, and its mode."""

    name: bytes
    entry: Entry
    executable: bool


class Part(Protocol):
    """What the writer puts down, in order."""

    @property
    def entry(self) -> Entry:
        """Where it came from."""

    @property
    def facts(self) -> Facts:
        """For its headers; final."""

    def write(self, sink: Sink) -> Sha256:
        """All of its data. Raises as reading does."""


class InMemory(NamedTuple):
    """All of it is at hand."""

    entry: Entry
    facts: Facts
    body: bytes
    sha256: Sha256

    def write(self, sink: Sink) -> Sha256:
        """At once."""
        sink.write(self.body)
        return self.sha256


class ReadTwice:
    """Made by the first reading, written by the second."""

    def __init__(self, wanted: Wanted, reopen: Callable[[str], BinaryIO], beside: Beside, chunk: int) -> None:
        self.entry = wanted.entry
        self._reopen = reopen
        self._chunk = chunk
        self._beside = beside
        crc = 0
        for block in blocks(self._reopen(self.entry.name), self.entry, self._chunk):
            crc = zlib.crc32(block, crc)
        size = self.entry.size
        self.facts = Facts(wanted.name, STORED, crc, size, size, wanted.executable)

    def write(self, sink: Sink) -> Sha256:
        """Read it again."""
        crc, state = 0, hashlib.sha256()
        for block in blocks(self._reopen(self.entry.name), self.entry, self._chunk):
            self._beside.begin(len(block), partial(state.update, block))
            crc = zlib.crc32(block, crc)
            sink.write(block)
        if crc != self.facts.crc:
            raise Refuted(f"file {self.entry.name!r} changed while it was read", check="tree.swapped")
        return self._beside.begin(0, state.digest)


class Spooled(NamedTuple):
    """What it became lies in a file, which is closed when it has been written."""

    entry: Entry
    facts: Facts
    spool: BinaryIO
    sha256: bytes
    chunk: int

    def write(self, sink: Sink) -> Sha256:
        """Copy it."""
        with self.spool as spool:
            spool.seek(0)
            while block := spool.read(self.chunk):
                sink.write(block)
        return self.sha256


def blocks(file: BinaryIO, entry: Entry, chunk: int) -> Iterator[bytes]:
    """A file in pieces, and closed. Raises Refuted (`tree.swapped`) unless it is as long as it was listed."""
    got = 0
    with file:
        while block := file.read(min(chunk, entry.size + 1 - got)):
            got += len(block)
            if got > entry.size:
                break
            yield block
    if got != entry.size:
        more = "more" if got > entry.size else str(got)
        raise Refuted(
            f"file {entry.name!r}: expected {entry.size} bytes as listed, got {more}", check="tree.swapped"
        )
