"""Packs a tree into its one archive.

1. The names, with the prefix, are checked against the portable profile; irregulars, an empty tree and a
   kept executable bit where the tree has none are refused.
2. Each file is read once where it fits in memory (`part.WHOLE`): CRC, SHA-256 and compressed form come from
   the same bytes, so the header is final when it is written and the output need not be seekable. A longer
   file is read twice to be stored (first its CRC, then CRC, SHA-256 and copy together, which must agree), and
   once to be deflated, through a temporary file. Hashing and compressing go on in threads beside.
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
import zlib
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from verify.archive.format import STORED, Facts, central_record, ending, local_header
from verify.archive.part import InMemory, ReadTwice, Wanted, streamed, temporary
from verify.archive.sink import LONG, Beside, Output, Sink
from verify.digest import Digest, TreeHash
from verify.errors import Malformed, Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, MIB, Limits
from verify.tree.names import PORTABLE, check_names
from verify.tree.reading import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from verify.archive.deflate import Encoder
    from verify.archive.part import Part, Sha256
    from verify.tree.port import Entry, Tree
    from verify.tree.reading import Reader

TASK = "pack"
_TELL_EVERY = 4 * MIB


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


def write_archive(
    tree: Tree,
    out: Output,
    *,
    encoding: Encoding = Encoding.STORE,
    profile: ArchiveProfile | None = None,
    encoder: Encoder | None = None,
    events: Events = SILENT,
    limits: Limits = DEFAULT,
    spool: Callable[[], BinaryIO] = temporary,
) -> Written:
    """Write the archive of `tree` to `out`, front to back. Raises Malformed, Refuted, Misused, Exhausted."""
    profile = profile or ArchiveProfile()
    entries = tree.entries()
    _check_packable(tree, entries, profile)
    wanted = _wanted(entries, profile)
    events.begin(TASK, sum(entry.size for entry in entries))
    try:
        with reading(tree) as reader, Beside() as beside, Sink(out) as sink:
            if encoding is Encoding.DEFLATE:
                parts = _deflated(reader, encoder, beside, spool, limits.chunk, wanted)
            else:
                parts = _stored(reader, beside, limits.chunk, wanted)
            with closing(parts):
                return _write(sink, parts, events)
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


def _write(sink: Sink, parts: Iterable[Part], events: Events) -> Written:
    records: list[bytes] = []
    lines: list[tuple[bytes, Sha256]] = []
    untold = 0
    for part in parts:
        at, facts = sink.offset, part.facts
        sink.write(local_header(facts))
        lines.append((facts.name, part.write(sink)))
        records.append(central_record(facts, at))
        untold += facts.size
        if untold > _TELL_EVERY:
            events.advance(TASK, untold)
            untold = 0
    events.advance(TASK, untold)
    start = sink.offset
    for record in records:
        sink.write(record)
    sink.write(ending(len(records), sink.offset - start, start))
    return Written(
        digest=Digest("sha256:" + sink.finish().hex()),
        size=sink.offset,
        entries=len(records),
        tree_hash=TreeHash.from_lines(
            (name, sha256 if isinstance(sha256, bytes) else sha256.result()) for name, sha256 in lines
        ),
    )


def _wanted(entries: Sequence[Entry], profile: ArchiveProfile) -> list[Wanted]:
    """In the order of the names' bytes, which a prefix does not change."""
    prefix, keep = profile.prefix.encode(), profile.keep_executable
    named = [Wanted(prefix + each.name.encode(), each, keep and bool(each.executable)) for each in entries]
    return sorted(named)


def _stored(reader: Reader, beside: Beside, chunk: int, wanted: Iterable[Wanted]) -> Generator[Part]:
    for each in wanted:
        name, entry, executable = each
        size = entry.size
        if streamed(entry):
            yield ReadTwice(each, reader.open, beside, chunk)
            continue
        data = reader.whole(entry)
        if size < LONG:
            sha256: Sha256 = hashlib.sha256(data).digest()
        else:
            sha256 = beside.begin(size, partial(_sha256, data))
        yield InMemory(entry, Facts(name, STORED, zlib.crc32(data), size, size, executable), data, sha256)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _deflated(
    reader: Reader,
    encoder: Encoder | None,
    beside: Beside,
    spool: Callable[[], BinaryIO],
    chunk: int,
    wanted: Iterable[Wanted],
) -> Generator[Part]:
    # slow to load, and stored archives need none of it
    from verify.archive.deflate import reference_encoder  # noqa: PLC0415
    from verify.archive.deflating import Deflating  # noqa: PLC0415

    encoder = encoder or reference_encoder()
    yield from Deflating(reader, encoder, beside, spool, chunk).parts(wanted)
