"""Makes the attack corpus: small zips, each with one defect, and the table of what modseal says of them.

    python tools/zip_corpus.py DIRECTORY     write the zips
    python tools/zip_corpus.py --check       is fixtures/zips/corpus.json what this script would write?
    python tools/zip_corpus.py --update      write it

The writer here is its own: it shares nothing with the product, and can lie in every field.
Every zip begins as two files, `go.mod` and `a.txt`, under one prefix; a case alters, adds or replaces.
The table holds, for each case, its defect in words, the checks that refuse it and those that are only noted.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zlib
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent.parent / "fixtures" / "zips" / "corpus.json"
PREFIX = "example.com/m@v1.0.0/"
REGULAR = 0o100644
NONE = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One entry, every field of which can lie. `local` and `central` override header fields by name."""

    name: bytes
    data: bytes = b"hello\n"
    body: bytes | None = None  # what stands in the file; deflated `data` where None
    method: int = 8
    flags: int | None = None
    mode: int = REGULAR
    dos: int = 0
    both: dict[str, int | bytes] = field(default_factory=dict)
    local: dict[str, int | bytes] = field(default_factory=dict)
    central: dict[str, int | bytes] = field(default_factory=dict)
    after: bytes = b""  # between this entry and the next
    descriptor: bytes = b""
    in_central: bool = True
    in_local: bool = True
    offset: int | None = None


@dataclass(frozen=True, kw_only=True)
class Zip:
    """A whole file."""

    pieces: tuple[Piece, ...]
    prefix: bytes = b""
    adjusted: bool = True  # offsets count the prefix
    before_directory: bytes = b""
    after_directory: bytes = b""
    end: dict[str, int] = field(default_factory=dict)
    end64: dict[str, int] | None = None  # a 64-bit end record and locator, with overrides
    comment: bytes = b""
    suffix: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Case:
    """An id, the defect in words, the checks that refuse it (none: accepted), those noted, and the zip."""

    id: str
    defect: str
    refused: tuple[str, ...]
    noted: tuple[str, ...]
    data: bytes = field(repr=False)


def deflated(data: bytes) -> bytes:
    """Raw deflate; only sizes and validity matter here, never the exact bytes."""
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


def extra(kind: int, value: bytes) -> bytes:
    """One extra field."""
    return struct.pack("<2H", kind, len(value)) + value


def descriptor(data: bytes, body: bytes) -> bytes:
    """A right one, 32-bit."""
    return struct.pack("<4s3I", b"PK\x07\x08", zlib.crc32(data), len(body), len(data))


def render(piece: Piece, offset: int) -> tuple[bytes, bytes]:
    """Local part and central record."""
    body = piece.body
    if body is None:
        body = deflated(piece.data) if piece.method == 8 else piece.data
    flags = piece.flags if piece.flags is not None else 0 if piece.name.isascii() else 0x0800
    values: dict[str, Any] = {
        "made": 3 << 8 | 20, "need": 20, "flags": flags, "method": piece.method, "time": 0, "date": 0x21,
        "crc": zlib.crc32(piece.data), "csize": len(body), "size": len(piece.data), "name": piece.name,
        "extra": b"", "comment": b"", "disk": 0, "internal": 0, "external": piece.mode << 16 | piece.dos,
        "offset": offset if piece.offset is None else piece.offset,
    } | piece.both  # fmt: skip
    here = values | piece.local
    there = values | piece.central
    local = struct.pack(
        "<4s5H3I2H", b"PK\x03\x04", *(here[k] for k in ("need", "flags", "method", "time", "date")),
        *(here[k] for k in ("crc", "csize", "size")), len(here["name"]), len(here["extra"]),
    ) + here["name"] + here["extra"] + body + piece.descriptor  # fmt: skip
    central = struct.pack(
        "<4s6H3I5H2I", b"PK\x01\x02",
        *(there[k] for k in ("made", "need", "flags", "method", "time", "date", "crc", "csize", "size")),
        len(there["name"]), len(there["extra"]), len(there["comment"]),
        *(there[k] for k in ("disk", "internal", "external", "offset")),
    ) + there["name"] + there["extra"] + there["comment"]  # fmt: skip
    return (local if piece.in_local else b""), (central if piece.in_central else b"")


def build(archive: Zip) -> bytes:
    """The bytes."""
    out = bytearray(archive.prefix)
    shift = 0 if archive.adjusted else len(archive.prefix)
    records = []
    for piece in archive.pieces:
        local, central = render(piece, len(out) - shift)
        out += local + piece.after
        if central:
            records.append(central)
    out += archive.before_directory
    start = len(out) - shift
    out += b"".join(records)
    size = len(out) - shift - start
    out += archive.after_directory
    if archive.end64 is not None:
        wide = {
            "record": 44,
            "count": len(records),
            "size": size,
            "offset": start,
            "at": len(out),
            "disks": 1,
            "disk": 0,
        }
        wide |= archive.end64
        out += struct.pack(
            "<4sQ2H2I4Q", b"PK\x06\x06", wide["record"], 3 << 8 | 45, 45, wide["disk"], wide["disk"],
            wide["count"], wide["count"], wide["size"], wide["offset"],
        ) + struct.pack("<4sIQI", b"PK\x06\x07", 0, wide["at"], wide["disks"])  # fmt: skip
    end = {"disk": 0, "count": len(records), "size": size, "offset": start, "comment": len(archive.comment)}
    end |= archive.end
    out += struct.pack(
        "<4s4H2IH", b"PK\x05\x06", end["disk"], end["disk"], end["count"], end["count"],
        end["size"], end["offset"], end["comment"],
    ) + archive.comment + archive.suffix  # fmt: skip
    return bytes(out)


class Corpus:
    """All cases over one pair of files; `module` is the first of them, under the prefix."""

    def __init__(
        self, prefix: str = PREFIX, module: str = "go.mod", text: bytes = b"module example.com/m\n"
    ) -> None:
        self.prefix = prefix
        self.module = Piece(name=f"{prefix}{module}".encode(), data=text)
        self.a = Piece(name=f"{prefix}a.txt".encode(), data=b"aaaa\n")
        self.base = Zip(pieces=(self.module, self.a))
        self.cases: list[Case] = []
        for group in (self.framing, self.zip64, self.headers, self.coding, self.types, self.names):
            group()
        self.cases.sort(key=lambda each: each.id)
        if len({each.id for each in self.cases}) != len(self.cases):
            raise ValueError("one id twice")

    def case(self, number: str, defect: str, expect: str, archive: Zip | bytes, *, noted: str = "") -> None:
        """Put one into the corpus; `expect` names the checks that refuse it, or is `accepted`."""
        data = archive if isinstance(archive, bytes) else build(archive)
        refused = () if expect == "accepted" else tuple(sorted(expect.split()))
        self.cases.append(
            Case(id=number, defect=defect, refused=refused, noted=tuple(sorted(noted.split())), data=data)
        )

    def altered(self, **changes: Any) -> Zip:
        """`a.txt` changed."""
        return replace(self.base, pieces=(self.module, replace(self.a, **changes)))

    def holding(self, *pieces: Piece) -> Zip:
        """Other entries in the place of `a.txt`."""
        return replace(self.base, pieces=(self.module, *pieces))

    def file(self, name: str | bytes, data: bytes = b"hello\n", **changes: Any) -> Piece:
        """An entry under the prefix; bytes are taken as they are."""
        raw = name if isinstance(name, bytes) else (self.prefix + name).encode()
        return Piece(name=raw, data=data, **changes)

    def directory_size(self) -> int:
        """Of the two files."""
        return len(b"".join(render(piece, 0)[1] for piece in self.base.pieces))

    def framing(self) -> None:
        """Where the archive begins, ends and what lies between."""
        script = b"#!/bin/sh\nexit 0\n"
        self.case(
            "15",
            "script in front, offsets adjusted",
            "archive.prefix-data",
            replace(self.base, prefix=script),
        )
        self.case(
            "15b",
            "script in front, offsets not adjusted",
            "archive.prefix-data",
            replace(self.base, prefix=script, adjusted=False),
        )
        self.case(
            "16", "bytes after the end record", "archive.suffix-data", replace(self.base, suffix=b"trailing")
        )
        self.case(
            "17",
            "archive comment",
            "accepted",
            replace(self.base, comment=b"a comment"),
            noted="archive.comment",
        )
        inner = build(self.altered(data=b"EVIL\n"))
        self.case(
            "18",
            "second archive in the comment",
            "archive.eocd-in-comment archive.prefix-data archive.several-eocd",
            replace(self.base, comment=inner),
        )
        self.case(
            "18b",
            "record mark in the comment",
            "archive.eocd-in-comment",
            replace(self.base, comment=b"PK\x05\x06 and more"),
        )
        self.case(
            "18c",
            "two archives one after the other",
            "archive.prefix-data archive.several-eocd",
            build(self.base) + inner,
        )
        self.case(
            "18d",
            "end record between directory and end record",
            "archive.directory-size archive.several-eocd",
            replace(self.base, after_directory=build(Zip(pieces=()))),
        )
        hidden = build(Zip(pieces=()))
        self.case(
            "18e",
            "end record in a directory's extra field",
            "archive.several-eocd",
            self.altered(both={"extra": extra(0x4242, hidden)}),
        )
        shared = replace(
            self.a, name=f"{self.prefix}b.txt".encode(), in_local=False, offset=len(render(self.module, 0)[0])
        )
        self.case(
            "19",
            "two entries share one local record",
            "archive.local-name archive.overlap",
            self.holding(self.a, shared),
        )
        self.case(
            "20",
            "bytes between last entry and directory",
            "archive.gap",
            replace(self.base, before_directory=bytes(64)),
        )
        self.case(
            "20b",
            "bytes between two entries",
            "archive.gap",
            replace(self.base, pieces=(replace(self.module, after=b"gap"), self.a)),
        )
        self.case(
            "20d",
            "bytes in the directory that are no record",
            "archive.directory",
            replace(self.base, after_directory=b"between", end={"size": self.directory_size() + 7}),
        )
        self.case(
            "20c",
            "bytes between directory and end record",
            "archive.directory-size",
            replace(self.base, after_directory=b"between"),
        )
        self.case(
            "21",
            "local record without a central entry",
            "archive.hidden-entry",
            self.holding(self.file("x", in_central=False), self.a),
        )
        self.case(
            "22",
            "central entry without a local record",
            "archive.local-missing",
            self.holding(self.a, self.file("b.txt", in_local=False, offset=7777)),
        )
        self.case(
            "33",
            "end record counts too few",
            "archive.count",
            replace(self.holding(self.a, self.file("b")), end={"count": 2}),
        )
        self.case("33b", "end record counts too many", "archive.count", replace(self.base, end={"count": 5}))
        start = len(b"".join(render(p, 0)[0] for p in self.base.pieces))
        size = len(b"".join(render(p, 0)[1] for p in self.base.pieces))
        self.case(
            "34",
            "directory offset wrong",
            "archive.directory-offset",
            replace(self.base, end={"offset": start + 4}),
        )
        self.case(
            "34b",
            "directory size wrong",
            "archive.directory-size",
            replace(self.base, end={"size": size + 4}),
        )
        self.case(
            "35",
            "comment shorter than stated",
            "archive.comment-length",
            replace(self.base, comment=b"abc", end={"comment": 50}),
            noted="archive.comment",
        )
        self.case("41", "entry on another disk", "archive.disk", self.altered(central={"disk": 3}))
        self.case("41b", "end record on another disk", "archive.disk", replace(self.base, end={"disk": 1}))
        self.case("45", "no archive at all", "archive.no-end", b"not a zip\n" * 10)
        self.case("45b", "archive cut short", "archive.no-end", build(self.base)[:-30])
        self.case("46", "empty archive", "archive.empty", Zip(pieces=()))
        self.case(
            "47",
            "more entries than the end record can count",
            "archive.count archive.hidden-entry",
            Zip(
                pieces=tuple(Piece(name=b"%05d" % i, data=b"", method=0) for i in range(0x10001)),
                end={"count": 1},
            ),
        )
        bodies = build(self.base)
        self.case(
            "48",
            "an archive stored in the archive",
            "accepted",
            self.holding(self.file("inner.zip", bodies, method=0)),
        )

    def zip64(self) -> None:
        """64-bit records and fields."""
        size = len(b"".join(render(p, 0)[1] for p in self.base.pieces))
        start = len(b"".join(render(p, 0)[0] for p in self.base.pieces))
        body, sizes = deflated(self.a.data), struct.Struct("<2Q")
        right = extra(1, sizes.pack(5, len(body)))
        lies = extra(1, sizes.pack(999, len(body)))
        self.case(
            "32",
            "64-bit sizes differ between the headers",
            "archive.zip64-extra",
            self.altered(local={"extra": right}, central={"extra": lies}),
        )
        self.case(
            "32b",
            "two 64-bit extra fields",
            "archive.extra-duplicate",
            self.altered(both={"extra": right + lies}),
        )
        self.case(
            "32c",
            "64-bit end record not needed, agreeing",
            "accepted",
            replace(self.base, end64={}),
            noted="archive.zip64-unneeded",
        )
        self.case(
            "32d",
            "64-bit end record not needed, other offset",
            "archive.directory-offset archive.zip64-disagrees",
            replace(self.base, end64={"offset": start + 30}),
            noted="archive.zip64-unneeded",
        )
        self.case(
            "32e",
            "saturated size without a 64-bit one",
            "archive.zip64-extra",
            self.altered(central={"size": NONE}),
        )
        self.case(
            "32f",
            "64-bit sizes that nothing asks for",
            "archive.zip64-extra",
            self.altered(central={"extra": right}),
        )
        self.case(
            "32g",
            "64-bit sizes too short",
            "archive.zip64-extra",
            self.altered(both={"size": NONE, "csize": NONE, "extra": extra(1, bytes(8))}),
        )
        needed = {"size": NONE, "csize": NONE, "need": 45}
        self.case(
            "32h", "64-bit sizes, needed, right", "accepted", self.altered(both={**needed, "extra": right})
        )
        self.case(
            "32i",
            "64-bit sizes in the local header differ",
            "archive.local-size",
            self.altered(both=needed, local={"extra": lies}, central={"extra": right}),
        )
        self.case(
            "32j",
            "locator points elsewhere",
            "archive.zip64-locator",
            replace(self.base, end64={"at": 7}),
            noted="archive.zip64-unneeded",
        )
        self.case(
            "32k",
            "64-bit end record with extensible data",
            "archive.zip64-end",
            replace(self.base, end64={"record": 60}),
            noted="archive.zip64-unneeded",
        )
        self.case(
            "32l",
            "64-bit end record missing",
            "archive.zip64-missing",
            replace(self.base, end={"offset": NONE}),
        )
        self.case(
            "32m",
            "64-bit end record counts otherwise",
            "archive.count archive.zip64-disagrees",
            replace(self.base, end64={"count": 1}),
            noted="archive.zip64-unneeded",
        )
        self.case(
            "32n",
            "saturated end record, 64-bit one right",
            "accepted",
            replace(self.base, end={"count": 0xFFFF, "size": NONE, "offset": NONE}, end64={}),
        )
        self.case(
            "32o",
            "saturated end record, 64-bit one wrong",
            "archive.directory-size",
            replace(self.base, end={"size": NONE, "offset": NONE}, end64={"size": size - 4}),
        )
        self.case(
            "32p",
            "archive in several parts, by its locator",
            "archive.zip64-locator",
            replace(self.base, end64={"disks": 2}),
            noted="archive.zip64-unneeded",
        )

        def local(value: bytes) -> Zip:
            return self.altered(local={"extra": value})

        stray = struct.pack("<2H", 1, 255) + b"ab"
        lone = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + size - 56, 1)
        self.case("32q", "local extra field cut short", "archive.extra", local(stray))
        self.case(
            "32r",
            "64-bit sizes in the local header too short",
            "archive.zip64-extra",
            local(extra(1, bytes(8))),
        )
        self.case(
            "32s", "64-bit sizes in the local header other than its own", "archive.zip64-extra", local(lies)
        )
        self.case(
            "32t",
            "locator without a 64-bit end record",
            "archive.zip64-end",
            replace(self.base, after_directory=lone),
        )
        self.case(
            "32u",
            "64-bit end record on another disk",
            "archive.disk",
            replace(self.base, end64={"disk": 1}),
            noted="archive.zip64-unneeded",
        )

    def headers(self) -> None:
        """Local header against central record."""
        self.case(
            "11",
            "local name differs",
            "archive.local-name",
            self.altered(local={"name": f"{self.prefix}b.txt".encode()}),
        )
        self.case("12", "local size differs", "archive.local-size", self.altered(local={"size": 999}))
        self.case(
            "12b", "local compressed size differs", "archive.local-size", self.altered(local={"csize": 3})
        )
        self.case("13", "local crc differs", "archive.local-crc", self.altered(local={"crc": 0xDEADBEEF}))
        self.case("14", "local method differs", "archive.local-method", self.altered(local={"method": 0}))
        self.case("14b", "local flags differ", "archive.local-flags", self.altered(local={"flags": 0x0800}))
        self.case("14c", "local time differs", "archive.local-time", self.altered(local={"time": 77}))
        self.case("14d", "local version differs", "archive.local-version", self.altered(local={"need": 10}))
        self.case(
            "14e",
            "local extra field differs",
            "archive.local-extra",
            self.altered(local={"extra": extra(0x4242, b"x")}),
        )
        body = deflated(self.a.data)  # the same as the entry's own
        late = {"flags": 8, "local": {"crc": 0, "csize": 0, "size": 0}}
        self.case(
            "23",
            "data descriptor",
            "accepted",
            self.altered(**late, descriptor=descriptor(self.a.data, body)),
        )
        wrong = struct.pack("<4s3I", b"PK\x07\x08", 0x12345678, 1, 1)
        self.case(
            "23b", "data descriptor wrong", "archive.descriptor", self.altered(**late, descriptor=wrong)
        )
        self.case(
            "23c", "data descriptor missing", "archive.descriptor archive.overlap", self.altered(**late)
        )
        self.case(
            "23d",
            "data descriptor without its mark",
            "archive.descriptor archive.overlap",
            self.altered(**late, descriptor=descriptor(self.a.data, body)[4:]),
        )

    def coding(self) -> None:
        """Flags, methods, extra fields, contents."""
        body = deflated(self.a.data)
        self.case("24", "encrypted flag on plain data", "archive.encrypted", self.altered(flags=1))
        self.case(
            "24e",
            "attributes in an extra field",
            "archive.unix-extra",
            self.altered(both={"extra": extra(0x6C78, bytes(4))}),
        )
        self.case(
            "24b",
            "strong encryption field",
            "archive.encrypted",
            self.altered(both={"extra": extra(0x9901, b"\x02\x00AE\x03\x08\x00")}),
        )
        self.case("24c", "patch data flag", "archive.flags", self.altered(flags=1 << 5))
        self.case("24d", "masked headers flag", "archive.flags", self.altered(flags=1 << 13))
        self.case("25", "method 93", "archive.method", self.altered(method=93, body=b"(\xb5/\xfd"))
        self.case("25b", "method 99", "archive.method", self.altered(method=99, body=b"xxxx"))
        self.case("26", "wrong crc", "archive.crc", self.altered(both={"crc": 0xDEADBEEF}))
        self.case(
            "27", "declared size too small", "archive.size", self.altered(data=b"x" * 1000, both={"size": 10})
        )
        self.case(
            "27b",
            "declared size too big",
            "archive.size",
            self.altered(data=b"x" * 1000, both={"size": 5000}),
        )
        self.case("27c", "stored with two sizes", "archive.size", self.altered(method=0, both={"size": 4}))
        self.case(
            "29",
            "second name in an extra field",
            "archive.unicode-path",
            self.altered(
                both={"extra": extra(0x7075, struct.pack("<BI", 1, zlib.crc32(self.a.name)) + b"evil.txt")}
            ),
        )
        self.case(
            "29b",
            "second name in the local extra field only",
            "archive.unicode-path",
            self.altered(
                local={"extra": extra(0x7075, struct.pack("<BI", 1, zlib.crc32(self.a.name)) + b"evil.txt")}
            ),
        )
        self.case(
            "29c",
            "link target in an extra field",
            "archive.symlink",
            self.altered(both={"extra": extra(0x756E, bytes(14) + b"/etc/passwd")}),
        )
        self.case(
            "36",
            "entry comment",
            "accepted",
            self.altered(central={"comment": b"about a.txt"}),
            noted="archive.entry-comment",
        )
        self.case(
            "36b",
            "record mark in an entry comment",
            "archive.eocd-in-comment",
            self.altered(central={"comment": b"PK\x01\x02"}),
        )
        self.case(
            "37",
            "extra field cut short",
            "archive.extra",
            self.altered(both={"extra": struct.pack("<2H", 1, 255) + b"ab"}),
        )
        self.case(
            "37b", "stray bytes in an extra field", "archive.extra", self.altered(both={"extra": b"\0\0\0"})
        )
        self.case(
            "39",
            "junk after the deflate stream",
            "archive.deflate-junk",
            self.altered(body=body + b"junkjunk"),
        )
        self.case("39b", "deflate stream does not end", "archive.deflate", self.altered(body=body[:-1]))
        self.case("39c", "not a deflate stream", "archive.deflate", self.altered(body=b"\xff" * 20))
        self.case("42", "needs version 99", "archive.version", self.altered(both={"need": 99}))
        self.case("44", "60 MiB of zeros", "accepted", self.altered(data=bytes(60 << 20)))
        self.case(
            "44b",
            "declared size beyond any compression",
            "archive.ratio",
            self.altered(both={"size": 0xF0000000}),
        )
        quoted = replace(self.a, both={"csize": 200})
        self.case(
            "44c",
            "entry runs into the next",
            "archive.overlap",
            replace(self.base, pieces=(quoted, self.module)),
        )
        self.case("44d", "entry runs into the directory", "archive.overlap", self.altered(both={"csize": 60}))

    def types(self) -> None:
        """Links, devices, folders."""
        self.case(
            "05",
            "symbolic link",
            "archive.symlink",
            self.holding(self.file("link", b"/etc/passwd", mode=0o120777)),
        )
        self.case(
            "30",
            "file and folder of one name",
            "name.file-and-folder",
            self.holding(self.file("d"), self.file("d/e.txt")),
        )
        self.case(
            "30b",
            "folder entry with data",
            "archive.folder-data",
            self.holding(self.file("d/", mode=0o040755, dos=0x10)),
        )
        self.case(
            "30c",
            "folder entry",
            "accepted",
            self.holding(self.file("d/", b"", method=0, mode=0o040755, dos=0x10), self.a),
            noted="archive.directory-entry",
        )
        self.case(
            "30d",
            "folder by its mode, file by its name",
            "archive.folder-flag",
            self.holding(self.file("d", b"", mode=0o040755)),
        )
        self.case(
            "30e", "folder by its DOS bit, file by its name", "archive.folder-flag", self.altered(dos=0x10)
        )
        self.case(
            "30f",
            "file by its mode, folder by its name",
            "archive.folder-flag",
            self.holding(self.file("d/", b"", mode=REGULAR)),
            noted="archive.directory-entry",
        )
        self.case(
            "38", "character device", "archive.device", self.holding(self.file("dev", b"", mode=0o020666))
        )
        self.case("38b", "setuid", "archive.special-mode", self.altered(mode=0o104755))
        self.case("38c", "named pipe", "archive.device", self.holding(self.file("pipe", b"", mode=0o010644)))

    def names(self) -> None:
        """What entries are called."""
        self.case("00", "none", "accepted", self.base)
        self.case("01", "traversal", "name.traversal", self.holding(self.file("../../evil.txt")))
        self.case("02", "absolute", "name.absolute", self.holding(self.file(b"/etc/evil")))
        self.case("03", "drive letter", "name.drive", self.holding(self.file(b"C:/evil.txt")))
        self.case("04", "backslashes", "name.backslash", self.holding(self.file("..\\..\\evil.txt")))
        self.case("06", "one name twice, same content", "name.duplicate", self.holding(self.a, self.a))
        self.case(
            "07",
            "one name twice, other content",
            "name.duplicate",
            self.holding(self.a, replace(self.a, data=b"EVIL\n")),
        )
        self.case(
            "08", "names differ in case", "name.case-collision", self.holding(self.a, self.file("A.TXT"))
        )
        self.case(
            "08b",
            "folders differ in case",
            "name.case-collision",
            self.holding(self.file("d/a"), self.file("D/b")),
        )
        self.case(
            "08c",
            "names differ in full case folding",
            "name.case-collision",
            self.holding(self.file("stra\xdfe"), self.file("strasse")),
        )
        self.case(
            "09",
            "k and the Kelvin sign",
            "name.case-collision",
            self.holding(self.file("k.txt"), self.file("\u212a.txt")),
            noted="name.not-nfc",
        )
        self.case(
            "10",
            "composed and decomposed",
            "name.unicode-collision",
            self.holding(self.file("\xe9.txt"), self.file("e\u0301.txt")),
            noted="name.not-nfc",
        )
        self.case(
            "10b",
            "Hangul syllable and its letters",
            "name.unicode-collision",
            self.holding(self.file("\uac00"), self.file("\u1100\u1161")),
            noted="name.not-nfc",
        )
        self.case(
            "10c",
            "decomposed alone",
            "accepted",
            self.holding(self.file("e\u0301.txt")),
            noted="name.not-nfc",
        )
        self.case("28", "NUL in a name", "name.control", self.holding(self.file("a.txt\0.png")))
        self.case("28b", "newline in a name", "name.control", self.holding(self.file("a\n.txt")))
        self.case("28c", "escape sequence in a name", "name.control", self.holding(self.file("a\x1b[2J.txt")))
        self.case("28d", "empty name", "name.empty-element", self.holding(self.file(b"")))
        self.case(
            "28e",
            "not UTF-8, marked as UTF-8",
            "archive.name-encoding",
            self.holding(self.file(self.prefix.encode() + b"\xff.txt", flags=0x0800)),
        )
        self.case(
            "28f",
            "not ASCII, not marked",
            "archive.name-encoding",
            self.holding(self.file(self.prefix.encode() + b"\x82.txt", flags=0)),
        )
        self.case(
            "28g", "UTF-8, not marked", "archive.name-encoding", self.holding(self.file("\xe9.txt", flags=0))
        )
        self.case(
            "31", "trailing dot", "accepted", self.holding(self.file("a.txt.")), noted="name.trailing-dot"
        )
        self.case(
            "31b",
            "trailing space",
            "accepted",
            self.holding(self.file("a.txt ")),
            noted="name.trailing-space",
        )
        self.case(
            "31c", "Windows device", "accepted", self.holding(self.file("con.txt")), noted="name.reserved"
        )
        self.case(
            "31d",
            "alternate stream",
            "accepted",
            self.holding(self.file("a.txt:stream")),
            noted="name.character",
        )
        self.case("31e", "dot in front", "name.traversal", self.holding(self.file(b"./a.txt")))
        self.case("31f", "double slash", "name.empty-element", self.holding(self.file("d//a.txt")))
        self.case(
            "31g",
            "Windows device, port 0",
            "accepted",
            self.holding(self.file("com0")),
            noted="name.reserved",
        )
        self.case(
            "31h",
            "Windows device, superscript digit",
            "accepted",
            self.holding(self.file("com\xb9")),
            noted="name.reserved",
        )
        self.case(
            "31i",
            "right-to-left override in a name",
            "accepted",
            self.holding(self.file("a\u202etxt.exe")),
            noted="name.bidi",
        )
        self.case(
            "31j",
            "joiner in a name",
            "accepted",
            self.holding(self.file("a\u200db.txt")),
            noted="name.invisible",
        )
        self.case(
            "40", "module file in a folder", "accepted", self.holding(self.file("sub/go.mod", b"module x\n"))
        )
        self.case(
            "43",
            "entry named as the prefix without its slash",
            "name.file-and-folder",
            self.holding(self.file(self.prefix[:-1].encode())),
        )


@cache
def corpus() -> tuple[Case, ...]:
    """All cases, by id."""
    return tuple(Corpus().cases)


def table() -> str:
    """The checked-in table."""
    rows = [
        {"id": each.id, "defect": each.defect, "refused": each.refused, "noted": each.noted}
        for each in corpus()
    ]
    return json.dumps(rows, indent=1, ensure_ascii=True) + "\n"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", nargs="?", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    chosen = parser.parse_args()
    if chosen.directory is not None:
        chosen.directory.mkdir(parents=True, exist_ok=True)
        for each in corpus():
            (chosen.directory / f"{each.id}.zip").write_bytes(each.data)
    if chosen.update:
        TABLE.parent.mkdir(parents=True, exist_ok=True)
        TABLE.write_text(table(), encoding="utf-8")
    if chosen.check and (not TABLE.exists() or TABLE.read_text(encoding="utf-8") != table()):
        print(f"{TABLE.name} is not what this script writes: run with --update", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
