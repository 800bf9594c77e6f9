"""Limits, profiles and what an opened archive gives. Defects of zips are in tests/attack/test_zip_corpus.py."""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from typing import Any

import pytest

from tests.support.native import NATIVE, SLOW
from tools.zip_corpus import Piece, Zip, build, corpus
from verify.archive.checks import CHECKS
from verify.archive.inspection import Recheck, check_archive
from verify.archive.reader import Container, read_archive, read_structure
from verify.archive.writer import Encoding, write_archive
from verify.errors import Absent, Exhausted, Malformed
from verify.limits import DEFAULT, Limits
from verify.report import Outcome
from verify.tree.memory import MemoryTree
from verify.tree.names import CUE, PORTABLE

FILES = {"a.cue": b"x: 1\n", "b.cue": b"y: 2\n" * 1000, "c": b""}


def packed(encoding: Encoding = Encoding.DEFLATE) -> bytes:
    out = io.BytesIO()
    write_archive(MemoryTree(FILES), out, encoding=encoding, encoder=NATIVE)
    return out.getvalue()


def by_id(number: str) -> bytes:
    return next(case.data for case in corpus() if case.id == number)


def test_an_archive_is_a_tree() -> None:
    archive = read_archive(io.BytesIO(packed()))
    assert [entry.name for entry in archive.entries()] == sorted(FILES)
    assert not archive.irregulars()
    for entry in archive.entries():
        with archive.open(entry.name) as stream:
            assert stream.read() == FILES[entry.name]
    expected = list(MemoryTree(FILES).measures())
    assert [measure for _, measure in archive.measures()] == [measure for _, measure in expected]


def test_absent_file() -> None:
    with pytest.raises(Absent):
        read_archive(io.BytesIO(packed())).open("nothing")


def test_streams_in_small_pieces() -> None:
    archive = read_archive(io.BytesIO(packed()), limits=replace(DEFAULT, chunk=7))
    assert b"".join(archive.blocks("b.cue")) == FILES["b.cue"]
    assert max(map(len, archive.blocks("b.cue"))) <= 7


def test_the_last_piece_waits_for_the_crc() -> None:
    """A reader that stops at the declared size must not have got everything of a wrong file."""
    data = packed(Encoding.STORE).replace(FILES["b.cue"], b"Y" + FILES["b.cue"][1:])
    archive = read_archive(io.BytesIO(data), limits=replace(DEFAULT, chunk=1000))
    got: list[bytes] = []
    with pytest.raises(Malformed) as caught:
        got.extend(archive.blocks("b.cue"))
    assert caught.value.check == "archive.crc"
    assert 0 < sum(map(len, got)) < len(FILES["b.cue"])


LIMITED = {
    "file": (replace(DEFAULT, archive_bytes=100), "archive.too-large"),
    "contents": (replace(DEFAULT, archive_total=100), "archive.too-large"),
    "directory": (replace(DEFAULT, archive_directory=100), "archive.too-large"),
    "entries": (replace(DEFAULT, archive_entries=2), "archive.too-many-entries"),
}


@pytest.mark.parametrize("what", LIMITED)
def test_beyond_a_limit_nobody_can_say(what: str) -> None:
    limits, check = LIMITED[what]
    with pytest.raises(Exhausted) as caught:
        read_archive(io.BytesIO(packed()), limits=limits)
    assert caught.value.check == check
    found = check_archive(io.BytesIO(packed()), subject="zip", limits=limits).findings
    assert [(each.check.id, each.outcome) for each in found] == [(check, Outcome.UNKNOWN)]


def test_a_ratio_below_the_floor_is_allowed() -> None:
    tight = Limits(archive_ratio=2, archive_ratio_floor=10)
    read_archive(io.BytesIO(packed()), limits=replace(tight, archive_ratio_floor=1 << 20))
    with pytest.raises(Malformed) as caught:
        read_archive(io.BytesIO(packed()), limits=tight)
    assert caught.value.check == "archive.ratio"


def test_names_follow_the_profile() -> None:
    windows = io.BytesIO(by_id("31c"))
    read_archive(windows)
    for profile in (PORTABLE, CUE):
        with pytest.raises(Malformed) as caught:
            read_archive(windows, names=profile)
        assert caught.value.check == "name.reserved"


def test_an_entry_with_its_size_lied_about_gives_no_more() -> None:
    archive = read_archive(io.BytesIO(by_id("27")))
    with pytest.raises(Malformed) as caught, archive.open("example.com/m@v1.0.0/a.txt") as stream:
        stream.read()
    assert caught.value.check == "archive.size"


def test_all_defects_are_told() -> None:
    data = bytearray(by_id("30"))
    at = data.index(b"PK\x03\x04", 10)
    struct.pack_into("<H", data, at + 10, 77)
    found = check_archive(io.BytesIO(bytes(data)), subject="zip").findings
    assert {each.check.id for each in found} == {"archive.local-time", "name.file-and-folder"}


def test_an_honest_foreign_zip_is_not_canonical() -> None:
    with pytest.raises(Malformed) as caught:
        read_archive(io.BytesIO(by_id("00")), container=Container.CANONICAL)
    assert caught.value.check == "archive.not-canonical"


@pytest.mark.parametrize("encoding", Encoding)
def test_canonical_passes(encoding: Encoding) -> None:
    inspection = check_archive(
        io.BytesIO(packed(encoding)),
        subject="zip",
        container=Container.CANONICAL,
        recheck=Recheck(encoder=NATIVE),
    )
    assert [(each.check.id, each.outcome.value) for each in inspection.findings] == [
        ("archive.structure", "passed"),
        ("archive.contents", "passed"),
        ("archive.canonical", "passed"),
    ]


def test_a_slow_encoder_has_a_limit() -> None:
    inspection = check_archive(io.BytesIO(packed()), subject="zip", recheck=Recheck(encoder=SLOW, most=100))
    assert inspection.findings[-1].check.id == "archive.slow-encoder"
    assert inspection.findings[-1].outcome is Outcome.UNKNOWN


def test_checks_are_told_apart_and_explained() -> None:
    ids = [check.id for check in CHECKS]
    assert len(ids) == len(set(ids))
    assert all(check.id.startswith("archive.") and check.meaning for check in CHECKS)


@pytest.mark.parametrize("encoding", Encoding)
def test_a_file_that_shrinks_while_it_is_read(encoding: Encoding) -> None:
    file = io.BytesIO(packed(encoding))
    archive = read_archive(file)
    file.truncate(60)
    for read in (lambda: list(archive.blocks("b.cue")), lambda: list(archive.measures())):
        with pytest.raises(Malformed) as caught:
            read()
        assert caught.value.check == "archive.cut-short"


def stored_zip(*names: str, **changes: Any) -> bytes:
    """As packing gives it but for what is changed; made by the corpus' own writer."""
    pieces = tuple(Piece(name=name.encode(), method=0, **changes) for name in names)
    return build(Zip(pieces=pieces))


NOT_CANONICAL = {
    "order": (stored_zip("b", "a"), "order: its name sorts before the one it follows"),
    "date": (stored_zip("a", both={"date": 0x22}), "directory date: expected 33, got 34"),
    "mode": (stored_zip("a", mode=0o100600), "directory external: expected 2175008768, got 2172649472"),
    "made by": (stored_zip("a", central={"made": 20}), "directory made_by: expected 788, got 20"),
    "flag": (stored_zip("a", both={"flags": 0x0800}), "directory flags: expected 0, got 2048"),
    "extra field": (
        stored_zip("a", both={"extra": bytes.fromhex("55540100 00")}),
        "directory extra_size: expected 0, got 5",
    ),
    "comment": (
        build(Zip(pieces=(Piece(name=b"a", method=0),), comment=b"c")),
        "end records: not the ones this",
    ),
    "deflated, not smaller": (build(Zip(pieces=(Piece(name=b"a"),))), "method: deflated, and not smaller"),
    "folder": (
        build(
            Zip(pieces=(Piece(name=b"d/", data=b"", method=0, mode=0o040755), Piece(name=b"d/a", method=0)))
        ),
        "type: a folder has an entry of its own",
    ),
}


@pytest.mark.parametrize("what", NOT_CANONICAL)
def test_not_canonical(what: str) -> None:
    """Told from the records alone, with the field named."""
    data, text = NOT_CANONICAL[what]
    faults = read_structure(io.BytesIO(data), container=Container.CANONICAL).faults
    told = [fault.text for fault in faults if fault.check == "archive.not-canonical"]
    assert any(each.startswith(text) for each in told), told


def test_the_same_zip_unchanged_is_canonical() -> None:
    read_archive(io.BytesIO(stored_zip("a", "b")), container=Container.CANONICAL)
