"""Packs a tree into its one archive.

1. The names, with the prefix, are checked against the portable profile; irregulars, an empty tree and a
   kept executable bit where the tree has none are refused.
2. Each file is read once where it fits in memory (`WHOLE`): CRC, SHA-256 and compressed form come from the
   same bytes, so the header is final when it is written and the output need not be seekable. A longer file
   is read twice to be stored (first its CRC, then CRC, SHA-256 and copy together, which must agree), and once
   to be deflated, through a temporary file.
3. A file that is not as long as it was listed, or differs between its two readings, is Refuted
   (`tree.swapped`).
4. The hash of the tree comes from the same bytes that were written.

>>> import io
>>> from verify.tree.port import Entry
>>> class One:
...     def entries(self): return (Entry("a.cue", 5),)
...     def irregulars(self): return ()
...     def open(self, name): return io.BytesIO(b"x: 1" + bytes([10]))
>>> out = io.BytesIO()
>>> written = write_archive(One(), out)
>>> written.size == len(out.getvalue()), str(written.tree_hash)
(True, 'h1:8pP7K1GbHBUIdkUC2anYmaGHS1e9yC3hd3Lm74mNBCY=')
"""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

from verify.archive.deflate import reference_encoder
from verify.archive.format import DEFLATED, STORED, Facts, central_record, ending, local_header
from verify.archive.sink import Output, Sink
from verify.digest import Digest, TreeHash
from verify.errors import Malformed, Misused, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, MIB, Limits
from verify.tree.names import PORTABLE, check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from verify.archive.deflate import Encoder
    from verify.tree.port import Entry, Tree

WHOLE = 24 * MIB  # with the compressed form beside it this stays below the memory budget
TASK = "pack"


class Encoding(StrEnum):
    """The two named encodings."""

    STORE = "store/1"
    DEFLATE = "deflate/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveProfile:
    """What besides the tree decides the bytes."""

    prefix: str = ""  # ends in a slash where it is a folder
    keep_executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written."""

    digest: Digest
    size: int
    entries: int
    tree_hash: TreeHash


@runtime_checkable
class Reading(Protocol):
    """A tree that can open many files in a row for less than one by one."""

    def reading(self) -> AbstractContextManager[Callable[[str], BinaryIO]]:
        """As the tree's `open`, for as long as the context lasts."""


def write_archive(
    tree: Tree,
    out: Output,
    *,
    encoding: Encoding = Encoding.STORE,
    profile: ArchiveProfile | None = None,
    encoder: Encoder | None = None,
    events: Events = SILENT,
    limits: Limits = DEFAULT,
    spool: Callable[[], BinaryIO] = tempfile.TemporaryFile,
) -> Written:
    """Write the archive of `tree` to `out`, front to back. Raises Malformed, Refuted, Misused, Exhausted."""
    profile = profile or ArchiveProfile()
    if encoding is Encoding.DEFLATE:
        encoder = encoder or reference_encoder()
    entries = tree.entries()
    _check_packable(tree, entries, profile)
    chosen = encoder if encoding is Encoding.DEFLATE else None
    reading = tree.reading() if isinstance(tree, Reading) else nullcontext(tree.open)
    events.begin(TASK, sum(entry.size for entry in entries))
    try:
        with reading as read, Sink(out) as sink:
            return _write(_Packer(read, chosen, spool, limits.chunk), sink, entries, profile, events)
    finally:
        events.end(TASK)


def _check_packable(tree: Tree, entries: Sequence[Entry], profile: ArchiveProfile) -> None:
    odd = tree.irregulars()
    if odd:
        more = f" and {len(odd) - 1} more" if len(odd) > 1 else ""
        raise Malformed(
            f"{odd[0].name!r} is a {odd[0].oddity.value}{more}: expected regular files only",
            check=f"tree.{odd[0].oddity.value}",
        )
    if not entries:
        raise Malformed("tree is empty: expected at least one file", check="archive.empty")
    if profile.keep_executable and any(entry.executable is None for entry in entries):
        raise Misused("cannot keep the executable bit: this tree has no modes", check="archive.no-modes")
    faults = check_names([profile.prefix + entry.name for entry in entries], PORTABLE)
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise Malformed(f"name {faults[0].name!r}: {faults[0].detail}{more}", check=faults[0].check.id)


def _write(
    packer: _Packer, sink: Sink, entries: Sequence[Entry], profile: ArchiveProfile, events: Events
) -> Written:
    records: list[bytes] = []
    lines: list[tuple[bytes, bytes]] = []
    named = sorted(((profile.prefix + each.name).encode(), each) for each in entries)
    for name, entry in named:
        at = sink.offset
        facts, sha256 = packer.add(sink, name, entry, executable=profile.keep_executable)
        records.append(central_record(facts, at))
        lines.append((name, sha256))
        events.advance(TASK, entry.size)
    start = sink.offset
    for record in records:
        sink.write(record)
    sink.write(ending(len(records), sink.offset - start, start))
    return Written(
        digest=Digest("sha256:" + sink.finish().hex()),
        size=sink.offset,
        entries=len(records),
        tree_hash=TreeHash.from_lines(lines),
    )


class _Packer:
    """Reads one file at a time and puts its entry into the sink."""

    def __init__(
        self,
        read: Callable[[str], BinaryIO],
        encoder: Encoder | None,
        spool: Callable[[], BinaryIO],
        chunk: int,
    ) -> None:
        self._open = read
        self._encoder = encoder
        self._spool = spool
        self._chunk = chunk

    def add(self, sink: Sink, name: bytes, entry: Entry, *, executable: bool) -> tuple[Facts, bytes]:
        """Local header and data; gives the facts and the SHA-256 of the content."""
        mode = executable and bool(entry.executable)
        if entry.size <= WHOLE:
            return self._add_whole(sink, name, entry, mode)
        if self._encoder is not None:
            added = self._add_spooled(sink, name, entry, mode, self._encoder)
            if added is not None:
                return added
        return self._add_twice(sink, name, entry, mode)

    def _add_whole(self, sink: Sink, name: bytes, entry: Entry, mode: bool) -> tuple[Facts, bytes]:
        with self._open(entry.name) as file:
            data = file.read(entry.size + 1)  # a buffered reader gives less only at the end
        if len(data) != entry.size:
            raise _swapped(entry, len(data))
        digest = sink.hash_beside(data)
        body, method = data, STORED
        if self._encoder is not None:
            stream = self._encoder.compressor()
            deflated = stream.compress(data) + stream.flush()
            if len(deflated) < len(data):
                body, method = deflated, DEFLATED
        facts = Facts(
            name=name, method=method, crc=zlib.crc32(data), csize=len(body), size=len(data), executable=mode
        )
        sink.write(local_header(facts))
        sink.write(body)
        return facts, digest()

    def _add_twice(self, sink: Sink, name: bytes, entry: Entry, mode: bool) -> tuple[Facts, bytes]:
        crc = 0
        for block in self._blocks(entry):
            crc = zlib.crc32(block, crc)
        facts = Facts(name=name, method=STORED, crc=crc, csize=entry.size, size=entry.size, executable=mode)
        sink.write(local_header(facts))
        again, sha256 = 0, hashlib.sha256()
        for block in self._blocks(entry):
            sink.write(block)
            again = zlib.crc32(block, again)
            sha256.update(block)
        if again != crc:
            raise Refuted(f"file {entry.name!r} changed while it was read", check="tree.swapped")
        return facts, sha256.digest()

    def _add_spooled(
        self, sink: Sink, name: bytes, entry: Entry, mode: bool, encoder: Encoder
    ) -> tuple[Facts, bytes] | None:
        """None where the deflated form is not smaller."""
        stream, crc, sha256 = encoder.compressor(), 0, hashlib.sha256()
        with self._spool() as spool:
            csize = 0
            for block in self._blocks(entry):
                crc = zlib.crc32(block, crc)
                sha256.update(block)
                csize += spool.write(stream.compress(block))
            csize += spool.write(stream.flush())
            if csize >= entry.size:
                return None
            facts = Facts(name=name, method=DEFLATED, crc=crc, csize=csize, size=entry.size, executable=mode)
            sink.write(local_header(facts))
            spool.seek(0)
            while block := spool.read(self._chunk):
                sink.write(block)
        return facts, sha256.digest()

    def _blocks(self, entry: Entry) -> Iterator[bytes]:
        got = 0
        with self._open(entry.name) as file:
            while block := file.read(min(self._chunk, entry.size + 1 - got)):
                got += len(block)
                if got > entry.size:
                    break
                yield block
        if got != entry.size:
            raise _swapped(entry, got)


def _swapped(entry: Entry, got: int) -> Refuted:
    more = "more" if got > entry.size else str(got)
    return Refuted(
        f"file {entry.name!r}: expected {entry.size} bytes as listed, got {more}", check="tree.swapped"
    )
