"""Opens zips that others made, and refuses every one that two readers could read differently.

1. The ending tells in one way only where the directory lies (`ending`).
2. The directory holds exactly as many records as the ending says, and nothing else.
3. Each record is one this reader understands in full (`member`), within the limits.
4. Each local header says what its record says; header, data and descriptor of all entries lie side by side,
   from the first byte to the directory (`layout`).
5. The names, together, are ones the name profile takes. What only the portable profile refuses is noted.
6. Contents are proved as they are read (`content`): no byte of the last piece before its CRC.

All defects are gathered where it is safe to go on; `read_archive` raises the first, `check_archive` tells all.
An `Archive` is a Tree: folders' own entries are not in it, and it has no irregulars, for they were refused.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO, cast

from verify.archive.canonical import judge_container
from verify.archive.content import Data, Stream, blocks, whole
from verify.archive.ending import Ending, find_ending
from verify.archive.fault import Docket, Fault, error_of
from verify.archive.format import CENTRAL_MARK, CENTRAL_SIZE, Central
from verify.archive.layout import judge_layout
from verify.archive.member import Member, Record, Span, judge_local, judge_record
from verify.archive.proving import prove
from verify.archive.source import Source, Window
from verify.errors import Absent, Malformed
from verify.events import SILENT, Events
from verify.limits import DEFAULT, MIB, Limits
from verify.tree.names import FOREIGN, PORTABLE, READABLE, Profile, check_names
from verify.tree.port import Entry, Irregular
from verify.tree.reading import OneByOne

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.archive.proving import Proof
    from verify.digest import Measure


class Container(StrEnum):
    """How strictly the records are read."""

    FOREIGN = "foreign"  # whatever has one reading only
    CANONICAL = "canonical"  # exactly the container that `format` describes


TASK = "read archive"
_TELL_EVERY = 4 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What reading everything but the contents told."""

    source: Source
    ending: Ending | None = None
    members: tuple[Member, ...] = ()  # in the directory's order, folders included
    spans: tuple[Span, ...] = ()  # of the members, in the same order, where all have one
    faults: tuple[Fault, ...] = field(default=())


class Archive:
    """A zip whose structure was accepted; a Tree."""

    def __init__(self, structure: Structure, limits: Limits) -> None:
        self.structure = structure
        self._limits = limits
        pairs = sorted(
            (
                (member.record.raw_name, member, span)
                for member, span in zip(structure.members, structure.spans, strict=True)
                if not member.folder
            ),
            key=lambda pair: pair[0],
        )
        self._entries = tuple(Entry(member.name, member.size, member.executable) for _, member, _ in pairs)
        self._data = {
            member.name: Data(
                member.name, member.deflated, span.data, member.csize, member.size, member.record.central.crc
            )
            for _, member, span in pairs
        }

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What is unusual and harmless."""
        return self.structure.faults

    def entries(self) -> Sequence[Entry]:
        """The files."""
        return self._entries

    def irregulars(self) -> Sequence[Irregular]:
        """None: links and devices were refused."""
        return ()

    def open(self, name: str) -> BinaryIO:
        """The bytes of one file; Malformed while reading where they are not what the headers say."""
        return cast("BinaryIO", io.BufferedReader(Stream(self.blocks(name))))

    def blocks(self, name: str) -> Iterator[bytes]:
        """The same in pieces; the last is given only when all of them are proved."""
        data = self._data.get(name)
        if data is None:
            raise Absent(f"no file {name!r} in the archive")
        return blocks(data, self.structure.source, self._limits.chunk)

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        """Size and SHA-256 of every file, in order."""
        for entry, proof in self.proofs():
            if isinstance(proof, Malformed):
                raise proof
            yield entry, proof

    def proofs(self) -> Iterator[tuple[Entry, Proof]]:
        """The same, and what is wrong with a file in place of its measure."""
        files = [self._data[entry.name] for entry in self._entries]
        return zip(self._entries, prove(files, self.structure.source), strict=True)

    @contextmanager
    def reading(self) -> Iterator[_Reader]:
        """Short files through a window."""
        yield _Reader(self, self._data)


class _Reader(OneByOne):
    """An archive's files one after the other."""

    def __init__(self, archive: Archive, data: Mapping[str, Data]) -> None:
        super().__init__(archive)
        self._window = Window(archive.structure.source)
        self._data = data

    def whole(self, entry: Entry) -> bytes:
        """Proved, and therefore as long as it was listed."""
        return whole(self._data[entry.name], self._window)


def read_archive(
    file: BinaryIO,
    *,
    container: Container = Container.FOREIGN,
    names: Profile | None = None,
    limits: Limits = DEFAULT,
) -> Archive:
    """Open a zip. Raises Malformed, or Exhausted and Absent where nobody can say."""
    structure = read_structure(file, container=container, names=names, limits=limits)
    error = error_of(structure.faults)
    if error is not None:
        raise error
    return Archive(structure, limits)


def read_structure(
    file: BinaryIO,
    *,
    container: Container = Container.FOREIGN,
    names: Profile | None = None,
    limits: Limits = DEFAULT,
) -> Structure:
    """All but the contents; raises nothing about the zip, its faults say it all.

    `names` is FOREIGN unless said otherwise, and PORTABLE for what must be canonical.
    """
    docket, source = Docket(), Source(file)
    if names is None:
        names = PORTABLE if container is Container.CANONICAL else FOREIGN
    ending = _bounded(source, docket, limits)
    if ending is None:
        return Structure(source=source, faults=tuple(docket.faults))
    records = _read_directory(source, ending, docket)
    members = [member for record in records if (member := judge_record(record, docket)) is not None]
    _judge_totals(members, docket, limits)
    spans: list[Span] = []
    window = Window(source)
    for member in sorted(members, key=_offset):
        span = judge_local(member, window, docket)
        if span is not None:
            spans.append(span)
    if len(spans) == len(records):
        judge_layout(spans, ending.offset, window, docket)
    _judge_names(members, names, docket)
    by_start = {span.start: span for span in spans}
    structure = Structure(
        source=source,
        ending=ending,
        members=tuple(members),
        spans=tuple(by_start[member.offset] for member in members) if len(spans) == len(members) else (),
    )
    if container is Container.CANONICAL and docket.sound:
        judge_container(structure, docket)
    return replace(structure, faults=tuple(docket.faults))


def _offset(member: Member) -> int:
    return member.offset


def _bounded(source: Source, docket: Docket, limits: Limits) -> Ending | None:
    if source.size > limits.archive_bytes:
        docket.undecided(
            "archive.too-large", f"expected at most {limits.archive_bytes} bytes, got {source.size}"
        )
        return None
    ending = find_ending(source, docket)
    if ending is None:
        return None
    if max(ending.count, ending.size // (CENTRAL_SIZE + 4096)) > limits.archive_entries:
        docket.undecided(
            "archive.too-many-entries", f"expected at most {limits.archive_entries}, got {ending.count}"
        )
        return None
    if ending.size > limits.archive_directory:
        docket.undecided(
            "archive.too-large",
            f"directory: expected at most {limits.archive_directory} bytes, got {ending.size}",
        )
        return None
    return ending


def _read_directory(source: Source, ending: Ending, docket: Docket) -> list[Record]:
    blob = source.read_at(ending.offset, ending.size)
    records: list[Record] = []
    at = 0
    # one more than claimed is enough to know that the claim is wrong
    while (
        len(blob) - at >= CENTRAL_SIZE and blob.startswith(CENTRAL_MARK, at) and len(records) <= ending.count
    ):
        central = Central.unpack(blob, at)
        names = at + CENTRAL_SIZE
        extras = names + central.name_size
        comments = extras + central.extra_size
        end = comments + central.comment_size
        if end > len(blob):
            break
        name, extra, comment = blob[names:extras], blob[extras:comments], blob[comments:end]
        records.append(Record(central, name, extra, comment, blob[at + 6 : at + 30]))
        at = end
    if len(records) != ending.count:
        docket.fail("archive.count", f"entries: the end record says {ending.count}, the directory has others")
    elif at != len(blob):
        docket.fail("archive.directory", f"{len(blob) - at} bytes of the directory are no record")
    if not any(not record.raw_name.endswith(b"/") for record in records):
        docket.undecided("archive.empty", "the archive holds no file")
    return records


def _judge_totals(members: list[Member], docket: Docket, limits: Limits) -> None:
    total = sum(member.size for member in members)
    packed = sum(member.csize for member in members)
    if total > limits.archive_total:
        docket.undecided(
            "archive.too-large", f"contents: expected at most {limits.archive_total} bytes, got {total}"
        )
    if total > limits.archive_ratio_floor and total > packed * limits.archive_ratio:
        docket.fail("archive.ratio", f"{packed} compressed bytes cannot become {total}")


def _judge_names(members: list[Member], profile: Profile, docket: Docket) -> None:
    files = [member.name for member in members if not member.folder]
    folders = [member.name[:-1] for member in members if member.folder]
    unusual = check_names(files, PORTABLE, folders=folders)
    # these three only ever refuse less than the portable one
    refused = (
        ()
        if profile in (READABLE, FOREIGN, PORTABLE) and not unusual
        else check_names(files, profile, folders=folders)
    )
    for fault in refused:
        docket.fail(fault.check.id, fault.detail, fault.name)
    told = {(fault.check.id, fault.name) for fault in refused}
    for fault in unusual:
        if (fault.check.id, fault.name) not in told:
            docket.note(fault.check.id, fault.detail, fault.name)


def prove_contents(archive: Archive, docket: Docket, events: Events = SILENT) -> list[tuple[Entry, Measure]]:
    """Read every file; the docket gets what is wrong, the result holds what is right."""
    proved: list[tuple[Entry, Measure]] = []
    events.begin(TASK, sum(entry.size for entry in archive.entries()))
    untold = 0
    try:
        for entry, proof in archive.proofs():
            if isinstance(proof, Malformed):
                docket.fail(proof.check or "archive.deflate", proof.message, entry.name)
            else:
                proved.append((entry, proof))
            untold += entry.size
            if untold > _TELL_EVERY:
                events.advance(TASK, untold)
                untold = 0
        events.advance(TASK, untold)
    finally:
        events.end(TASK)
    return proved
