"""One entry of a zip, judged: its central record alone, then against its local header.

Central record: flags are 3 (descriptor), 11 (UTF-8) and the two that only say how hard the writer tried; method
0 or 8; version at most 45 (a reader may refuse more); disk 0; a stored entry has one size; name UTF-8, ASCII
without bit 11; type regular, or a folder where the name ends in `/`, by mode bits and by the DOS bit.

Local header: same name, flags, method, time, CRC and sizes. With a descriptor, CRC and sizes there are zero or
the same, and the descriptor, which begins with its mark, is right. Versions may differ where one is 45: whether
zip64 is needed is known only after the local header is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.archive.extra import MEANINGFUL, differing, parse_extra, widen
from verify.archive.format import (
    DEFLATED,
    DESCRIPTOR,
    DESCRIPTOR64,
    DESCRIPTOR_MARK,
    FLAG_DESCRIPTOR,
    FLAG_ENCRYPTED,
    FLAG_LEVEL,
    FLAG_UTF8,
    FULL32,
    LOCAL_MARK,
    LOCAL_SIZE,
    MARKS,
    NEEDS_ZIP64,
    STORED,
    ZIP64_ID,
    Central,
    Local,
)
from verify.errors import Malformed

if TYPE_CHECKING:
    from verify.archive.fault import Docket
    from verify.archive.source import Window

_FLAGS = FLAG_LEVEL | FLAG_DESCRIPTOR | FLAG_UTF8
_KIND = 0o170000
_REGULAR = 0o100000
_FOLDER = 0o040000
_LINK = 0o120000
_SPECIAL = 0o7000
_DOS_FOLDER = 0x10
_DOS_LABEL = 0x08


class Record(NamedTuple):
    """A central record with the parts that vary in length."""

    central: Central
    raw_name: bytes
    raw_extra: bytes
    comment: bytes
    shared: bytes  # from the version needed to the size of the name, as a local header has them too


class Member(NamedTuple):
    """An entry as its central record has it, every number in full."""

    record: Record
    name: str
    folder: bool
    executable: bool | None
    size: int
    csize: int
    offset: int
    fields: dict[int, bytes]

    @property
    def deflated(self) -> bool:
        """Or stored."""
        return self.record.central.method == DEFLATED


class Span(NamedTuple):
    """Where an entry lies: header, data, end of data or descriptor."""

    start: int
    data: int
    end: int
    name: str


def judge_record(record: Record, docket: Docket) -> Member | None:
    """None where its numbers cannot be told."""
    central, raw, raw_extra, comment, _ = record
    name = _decode(raw, central.flags, docket)
    fields: dict[int, bytes] = {}
    try:
        if raw_extra:
            fields = parse_extra(raw_extra)
        size, csize, offset = widen(fields, (central.size, central.csize, central.offset))
    except Malformed as error:
        docket.fail(error.check or "archive.extra", error.message, name)
        return None
    for kind, (check, text) in MEANINGFUL.items() if fields else ():
        if kind in fields:
            docket.fail(check, text, name)
    if comment:
        _judge_comment(comment, name, docket)
    _judge_coding(central, size, csize, name, docket)
    folder = raw.endswith(b"/")
    mode = central.external >> 16
    if mode or central.external & (_DOS_FOLDER | _DOS_LABEL):
        _judge_type(mode, central.external, folder, name, docket)
    if folder:
        _judge_folder(size, name, docket)
    return Member(record, name, folder, bool(mode & 0o100) if mode else None, size, csize, offset, fields)


def _decode(raw: bytes, flags: int, docket: Docket) -> str:
    try:
        return raw.decode("utf-8" if flags & FLAG_UTF8 else "ascii")
    except UnicodeDecodeError:
        name = raw.decode("utf-8", "replace")
        said = "is not the UTF-8 it says it is" if flags & FLAG_UTF8 else "is in an encoding nobody states"
        docket.fail("archive.name-encoding", f"the name {said}", name)
        return name


def _judge_comment(comment: bytes, name: str, docket: Docket) -> None:
    if any(mark in comment for mark in MARKS):
        docket.fail("archive.eocd-in-comment", "the comment holds the mark of a zip record", name)
    else:
        docket.note("archive.entry-comment", f"the entry has a comment of {len(comment)} bytes", name)


def _judge_coding(central: Central, size: int, csize: int, name: str, docket: Docket) -> None:
    if central.flags & ~_FLAGS:
        check = "archive.encrypted" if central.flags & FLAG_ENCRYPTED else "archive.flags"
        docket.fail(check, f"flags: got {central.flags:#06x}", name)
    if central.method not in (STORED, DEFLATED):
        docket.fail("archive.method", f"method: expected 0 or 8, got {central.method}", name)
    if central.method == STORED and size != csize:
        docket.fail("archive.size", f"stored: expected one size, got {size} and {csize}", name)
    if central.needs > NEEDS_ZIP64:
        docket.fail("archive.version", f"version needed: expected at most 45, got {central.needs}", name)
    if central.disk:
        docket.fail("archive.disk", f"disk: expected 0, got {central.disk}", name)


def _judge_type(mode: int, external: int, folder: bool, name: str, docket: Docket) -> None:
    kind = mode & _KIND
    if kind == _LINK:
        docket.fail("archive.symlink", "the entry is a symbolic link", name)
    elif kind not in (0, _REGULAR, _FOLDER) or external & _DOS_LABEL:
        docket.fail("archive.device", f"neither file nor folder: mode {mode:o}", name)
    elif folder != (kind == _FOLDER or bool(external & _DOS_FOLDER)) and (kind or not folder):
        docket.fail("archive.folder-flag", "file by its name and folder by its mode, or the other way", name)
    if mode & _SPECIAL:
        docket.fail("archive.special-mode", f"setuid, setgid or sticky: mode {mode:o}", name)


def _judge_folder(size: int, name: str, docket: Docket) -> None:
    if size:
        docket.fail("archive.folder-data", f"a folder with {size} bytes of data", name)
    else:
        docket.note(
            "archive.directory-entry",
            "a folder has an entry of its own; it is not part of the tree hash, though some tools count it",
            name,
        )


def judge_local(member: Member, window: Window, docket: Docket) -> Span | None:
    """None where there is no such header."""
    central, raw_name, raw_extra, _, shared = member.record
    head = window.at(member.offset, LOCAL_SIZE + len(raw_name))
    late = bool(central.flags & FLAG_DESCRIPTOR)
    # most entries: all that the headers share is the same, or left to the descriptor. Saves the closer look
    if not raw_extra and head == (shared[:10] + bytes(12) + shared[22:] if late else shared).join(
        (LOCAL_MARK, b"\0\0" + raw_name)
    ):
        end = member.offset + len(head) + member.csize
        if late:
            end += _descriptor_size(member, b"", window.at(end, DESCRIPTOR64.size), docket)
        return Span(member.offset, member.offset + len(head), end, member.name)
    if len(head) < LOCAL_SIZE or not head.startswith(LOCAL_MARK):
        docket.fail("archive.local-missing", f"no local header at {member.offset}", member.name)
        return None
    return _judge_closely(member, head, window, docket)


def _judge_closely(member: Member, head: bytes, window: Window, docket: Docket) -> Span:
    central, raw_name, *_ = member.record
    local = Local.unpack(head)
    rest = window.at(member.offset + LOCAL_SIZE, local.name_size + local.extra_size)
    if rest[: local.name_size] != raw_name:
        told = rest[: local.name_size].decode("utf-8", "backslashreplace")
        docket.fail("archive.local-name", f"the local header names it {told!r}", member.name)
    extra = rest[local.name_size :]
    _judge_fields(local, central, member.name, docket)
    _judge_sizes(local, extra, member, docket)
    data = member.offset + LOCAL_SIZE + len(rest)
    end = data + member.csize
    if central.flags & FLAG_DESCRIPTOR:
        end += _descriptor_size(member, extra, window.at(end, DESCRIPTOR64.size), docket)
    return Span(member.offset, data, end, member.name)


def _judge_fields(local: Local, central: Central, name: str, docket: Docket) -> None:
    pairs = (
        ("archive.local-flags", "flags", local.flags, central.flags),
        ("archive.local-method", "method", local.method, central.method),
        ("archive.local-time", "time", (local.date, local.time), (central.date, central.time)),
    )
    for check, noun, here, there in pairs:
        if here != there:
            docket.fail(check, f"{noun}: {here} in the local header, {there} in the directory", name)
    if local.needs != central.needs and NEEDS_ZIP64 not in (local.needs, central.needs):
        docket.fail("archive.local-version", f"version needed: {local.needs} and {central.needs}", name)


def _judge_sizes(local: Local, extra: bytes, member: Member, docket: Docket) -> None:
    name, late = member.name, bool(member.record.central.flags & FLAG_DESCRIPTOR)
    try:
        fields = parse_extra(extra)
        size, csize = _local_sizes(local, fields)
    except Malformed as error:
        docket.fail(error.check or "archive.extra", f"local header: {error.message}", name)
        return
    for kind in differing(member.fields, fields):
        check, text = MEANINGFUL.get(kind, ("archive.local-extra", f"extra field {kind:04x} differs"))
        docket.fail(check, f"local header: {text}", name)
    crc = member.record.central.crc
    if local.crc != crc and not (late and local.crc == 0):
        docket.fail("archive.local-crc", f"crc: {local.crc:08x} and {crc:08x}", name)
    for noun, here, there in (("size", size, member.size), ("compressed size", csize, member.csize)):
        if here != there and not (late and here == 0):
            docket.fail("archive.local-size", f"{noun}: {here} and {there}", name)


def _local_sizes(local: Local, fields: dict[int, bytes]) -> tuple[int, int]:
    """Both sizes in full. A zip64 field in a local header always holds both, needed or not."""
    field = fields.get(ZIP64_ID)
    if field is None:
        return local.size, local.csize
    if len(field) != 16:
        raise Malformed(
            f"zip64 extra field: expected 16 bytes, got {len(field)}", check="archive.zip64-extra"
        )
    size, csize = int.from_bytes(field[:8], "little"), int.from_bytes(field[8:], "little")
    if local.size not in (FULL32, size) or local.csize not in (FULL32, csize):
        raise Malformed("zip64 extra field: sizes differ from the header's", check="archive.zip64-extra")
    return size, csize


def _descriptor_size(member: Member, extra: bytes, found: bytes, docket: Docket) -> int:
    """The 64-bit form exactly where either header has a zip64 field."""
    wide = ZIP64_ID in member.fields or extra.startswith(ZIP64_ID.to_bytes(2, "little"))
    form = DESCRIPTOR64 if wide or max(member.size, member.csize) >= FULL32 else DESCRIPTOR
    right = form.pack(DESCRIPTOR_MARK, member.record.central.crc, member.csize, member.size)
    if found[: form.size] != right:
        docket.fail("archive.descriptor", "the data descriptor is missing or wrong", member.name)
    return form.size
