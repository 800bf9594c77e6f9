"""Is a zip byte for byte what modseal would have written?

`judge_container` compares every header with the one `format` makes from the same facts, and names the first
field that differs: it needs no encoder and reads no contents. `check_canonical` writes the archive again and
compares all bytes, deflate streams included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.archive.format import (
    ATTRIBUTES_EXECUTABLE,
    CENTRAL_SIZE,
    Central,
    Facts,
    Local,
    central_record,
    ending,
    local_header,
)
from verify.archive.source import Source, Window
from verify.errors import Exhausted, Malformed
from verify.events import SILENT, Events
from verify.limits import DEFAULT, MIB, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.archive.deflate import Encoder
    from verify.archive.fault import Docket
    from verify.archive.member import Member
    from verify.archive.reader import Archive, Structure
    from verify.archive.writer import Encoding

CHECK = "archive.not-canonical"
SLOW_MOST = 32 * MIB


def judge_container(structure: Structure, docket: Docket) -> None:
    """Every header of a zip whose structure is sound."""
    if structure.ending is None or not structure.members:
        return
    window = Window(structure.source)
    before: bytes | None = None
    at = 0
    for member, span in zip(structure.members, structure.spans, strict=True):
        raw = member.record.raw_name
        if before is not None and raw <= before:
            docket.fail(CHECK, "order: its name sorts before the one it follows", member.name)
        if member.offset != at:
            docket.fail(CHECK, f"offset: expected {at}, got {member.offset}", member.name)
        before, at = raw, span.end
        for text in _differences(member, window):
            docket.fail(CHECK, text, member.name)
    end = structure.ending
    right = ending(len(structure.members), end.size, end.offset)
    if structure.source.read_at(end.end, len(right) + 1) != right:
        docket.fail(CHECK, "end records: not the ones this directory needs")


def _differences(member: Member, window: Window) -> list[str]:
    central, raw, extra, comment, _ = member.record
    if member.folder:
        return ["type: a folder has an entry of its own"]
    facts = Facts(
        name=raw,
        method=central.method,
        crc=central.crc,
        csize=member.csize,
        size=member.size,
        executable=central.external == ATTRIBUTES_EXECUTABLE,
    )
    right, header = central_record(facts, member.offset), local_header(facts)
    wanted, local = Central.unpack(right), window.at(member.offset, len(header))
    found: list[str] = []
    if wanted != central:
        found += _fields("directory", Central._fields, wanted, central)
    if right[CENTRAL_SIZE + len(raw) :] != extra or comment:
        found.append("directory: another extra field, or a comment")
    if local != header:
        found += _fields("local", Local._fields, Local.unpack(header), Local.unpack(local)) or [
            "local header: another extra field"
        ]
    if member.deflated and member.csize >= member.size:
        found.append("method: deflated, and not smaller")
    return found


def _fields(where: str, names: Sequence[str], wanted: Sequence[object], got: Sequence[object]) -> list[str]:
    return [
        f"{where} {name}: expected {one}, got {other}"
        for name, one, other in zip(names, wanted, got, strict=True)
        if one != other
    ]


def encoding_of(archive: Archive) -> Encoding:
    """The encoding it must be, if it is canonical: one deflated entry makes it deflate/1."""
    from verify.archive.writer import Encoding  # noqa: PLC0415 - see check_canonical

    deflated = any(member.deflated for member in archive.structure.members)
    return Encoding.DEFLATE if deflated else Encoding.STORE


def check_canonical(
    archive: Archive,
    docket: Docket,
    *,
    encoder: Encoder | None = None,
    most: int | None = SLOW_MOST,
    events: Events = SILENT,
    limits: Limits = DEFAULT,
) -> None:
    """Write it again and compare; the docket gets `archive.not-canonical` where a byte differs.

    `most` bounds the contents that an encoder that is slow may deflate again: Exhausted beyond.
    """
    # only those who ask for canonical bytes wait for the writer and the encoders
    from verify.archive.deflate import reference_encoder  # noqa: PLC0415
    from verify.archive.writer import ArchiveProfile, Encoding, write_archive  # noqa: PLC0415

    encoding = encoding_of(archive)
    total = sum(entry.size for entry in archive.entries())
    if encoding is Encoding.DEFLATE:
        encoder = encoder or reference_encoder()
    if most is not None and encoding is Encoding.DEFLATE and encoder and encoder.slow and total > most:
        raise Exhausted(
            f"re-encoding: expected at most {most} bytes with the slow encoder, got {total}",
            check="archive.slow-encoder",
        )
    mirror = _Mirror(archive.structure.source)
    profile = ArchiveProfile(keep_executable=_keeps_modes(archive))
    try:
        written = write_archive(
            archive, mirror, encoding=encoding, profile=profile, encoder=encoder, events=events, limits=limits
        )
    except _Differs as differs:
        docket.fail(CHECK, f"byte {differs.offset}: {_where(archive, differs.offset)}")
    except Malformed as error:
        docket.fail(error.check or CHECK, str(error))
    else:
        if written.size != archive.structure.source.size:
            docket.fail(CHECK, f"size: expected {written.size}, got {archive.structure.source.size}")


def _keeps_modes(archive: Archive) -> bool:
    members = archive.structure.members
    return any(member.record.central.external == ATTRIBUTES_EXECUTABLE for member in members)


def _where(archive: Archive, offset: int) -> str:
    for member, span in zip(archive.structure.members, archive.structure.spans, strict=True):
        if span.start <= offset < span.end:
            part = "header" if offset < span.data else "data"
            return f"in the {part} of {member.name!r}"
    return "in the directory or after it"


class _Differs(Exception):
    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class _Mirror:
    """An output that holds every byte against the archive's own."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = 0

    def write(self, data: bytes, /) -> int:
        there = self._source.read_at(self._at, len(data))
        if there != data:
            same = next((i for i, (a, b) in enumerate(zip(there, data, strict=False)) if a != b), len(there))
            raise _Differs(self._at + same)
        self._at += len(data)
        return len(data)
