"""Laws of the canonical archive."""

from __future__ import annotations

import io
import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.native import NATIVE
from verify.archive.inspection import Recheck, check_archive
from verify.archive.reader import Container, read_archive
from verify.archive.writer import Encoding, write_archive
from verify.report import Outcome
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.memory import MemoryTree
from verify.tree.names import PORTABLE, check_names

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ELEMENT = st.text(alphabet="abcXYZ019._-+@ \xe9\u4e2d\uac00", min_size=1, max_size=8)
NAME = st.lists(ELEMENT, min_size=1, max_size=3).map("/".join)
CONTENT = st.one_of(st.binary(max_size=64), st.binary(max_size=8).map(lambda data: data * 50))
TREES = st.dictionaries(NAME, CONTENT, min_size=1, max_size=6).filter(
    lambda files: not check_names(files, PORTABLE)
)
ENCODINGS = st.sampled_from(Encoding)


def pack(files: dict[str, bytes], encoding: Encoding = Encoding.STORE) -> bytes:
    out = io.BytesIO()
    write_archive(MemoryTree(files), out, encoding=encoding, encoder=NATIVE)
    return out.getvalue()


@given(TREES, ENCODINGS)
@settings(deadline=None, max_examples=60)
def test_reading_what_was_written_gives_it_back(files: dict[str, bytes], encoding: Encoding) -> None:
    archive = read_archive(io.BytesIO(pack(files, encoding)), container=Container.CANONICAL)
    assert {entry.name: archive.open(entry.name).read() for entry in archive.entries()} == files
    assert hash_tree(archive) == hash_tree(MemoryTree(files))
    assert list(archive.measures()) == list(read_archive(io.BytesIO(pack(files))).measures())


@given(TREES, ENCODINGS)
@settings(deadline=None, max_examples=40)
def test_packing_an_archive_again_gives_the_same_bytes(files: dict[str, bytes], encoding: Encoding) -> None:
    data = pack(files, encoding)
    out = io.BytesIO()
    write_archive(read_archive(io.BytesIO(data)), out, encoding=encoding, encoder=NATIVE)
    assert out.getvalue() == data


@given(TREES, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_the_order_of_files_does_not_matter(files: dict[str, bytes], random: Random) -> None:
    shuffled = list(files.items())
    random.shuffle(shuffled)
    assert pack(dict(shuffled)) == pack(files)


SMALL = {"a.cue": b"x: 1\n", "d/\xe9": b"text " * 20}


@pytest.mark.parametrize("encoding", Encoding)
def test_every_one_byte_change_is_found(encoding: Encoding) -> None:
    data = pack(SMALL, encoding)
    for at in range(len(data)):
        for bit in (0x01, 0x80):
            changed = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
            found = check_archive(
                io.BytesIO(changed),
                subject="zip",
                container=Container.CANONICAL,
                recheck=Recheck(encoder=NATIVE),
            ).findings
            assert any(each.outcome in {Outcome.FAILED, Outcome.UNKNOWN} for each in found), at


@pytest.mark.parametrize("encoding", Encoding)
def test_every_missing_or_added_byte_is_found(encoding: Encoding) -> None:
    data = pack(SMALL, encoding)
    for at in range(len(data) + 1):
        for changed in (data[:at] + data[at + 1 :], data[:at] + b"\0" + data[at:]):
            found = check_archive(io.BytesIO(changed), subject="zip", container=Container.CANONICAL).findings
            refused = any(each.outcome in {Outcome.FAILED, Outcome.UNKNOWN} for each in found)
            assert refused or changed == data, at


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=100)
def test_whatever_the_bytes_the_answer_is_findings(data: bytes) -> None:
    check_archive(io.BytesIO(data), subject="zip")


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_whatever_is_overwritten_the_answer_is_findings(data: st.DataObject) -> None:
    base = bytearray(pack(SMALL, Encoding.DEFLATE))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(base) - 4))
        base[at : at + 4] = data.draw(st.sampled_from([b"\xff" * 4, bytes(4), b"PK\x05\x06", b"\x01\0\0\0"]))
    check_archive(io.BytesIO(bytes(base)), subject="zip", container=Container.FOREIGN)


def folder(root: Path, *, reverse: bool, mtime: int, mask: int) -> Path:
    before = os.umask(mask)
    try:
        for name in sorted(SMALL, reverse=reverse):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(SMALL[name])
            os.utime(path, (mtime, mtime))
    finally:
        os.umask(before)
    return root


def test_nothing_of_the_machine_reaches_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = set()
    for number, (mask, zone, language) in enumerate(
        ((0o022, "UTC", "C"), (0o077, "Asia/Kathmandu", "tr_TR.UTF-8"), (0o000, "America/St_Johns", "de_DE"))
    ):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("LC_ALL", language)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(number))
        if hasattr(time, "tzset"):
            time.tzset()
        root = folder(tmp_path / str(number), reverse=bool(number % 2), mtime=number * 10**9, mask=mask)
        out = io.BytesIO()
        write_archive(DirectoryTree(root), out)
        packed.add(out.getvalue())
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()
    assert packed == {pack(SMALL)}
