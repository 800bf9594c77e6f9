"""Archives written and proved in threads: the same bytes, the same faults, nothing left open."""

from __future__ import annotations

import hashlib
import io
import zlib
from typing import TYPE_CHECKING, BinaryIO

import pytest

from tests.support.native import NATIVE, SLOW
from verify.archive import deflating, part
from verify.archive.deflate import NATIVE as ALIGNED
from verify.archive.fault import Docket
from verify.archive.reader import prove_contents, read_archive
from verify.archive.writer import Encoding, write_archive
from verify.errors import Refuted
from verify.tree.directory import DirectoryTree
from verify.tree.memory import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

    from verify.archive.deflate import Encoder

# more batches than threads, files on both sides of every limit below, some of them not smaller deflated
FILES = {f"{at:03}": (b"text %d " % at) * (at * 7 % 400) for at in range(120)} | {
    f"n{at}": hashlib.shake_256(b"%d" % at).digest(900 * at) for at in range(12)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so low that every path is taken."""
    monkeypatch.setattr(part, "WHOLE", 1500)
    monkeypatch.setattr(deflating, "_BATCH", 2000)
    monkeypatch.setattr(deflating, "_LONG", 3000)
    monkeypatch.setattr(deflating, "_AHEAD", 9000)


def packed(tree: DirectoryTree | MemoryTree, encoding: Encoding, encoder: Encoder = NATIVE) -> bytes:
    out = io.BytesIO()
    write_archive(tree, out, encoding=encoding, encoder=encoder)
    return out.getvalue()


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.usefixtures("narrow")
def test_threads_decide_nothing(encoding: Encoding, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = packed(MemoryTree(FILES), encoding, SLOW)  # which is not handed to threads
    assert packed(MemoryTree(FILES), encoding) == alone
    for threads in (1, 2, 5):
        monkeypatch.setattr(deflating, "processors", lambda threads=threads: threads)
        assert packed(DirectoryTree(folder), encoding) == alone
    monkeypatch.undo()  # the usual limits
    assert packed(DirectoryTree(folder), encoding) == alone


@pytest.mark.parametrize("victim", ["000", "060", "n5", "n11"])
@pytest.mark.usefixtures("narrow")
def test_a_file_that_changed_is_refused_and_nothing_stays_open(folder: Path, victim: str) -> None:
    spools: list[BinaryIO] = []

    def spool() -> BinaryIO:
        spools.append(io.BytesIO())
        return spools[-1]

    tree = DirectoryTree(folder)
    tree.entries()
    with (folder / victim).open("ab") as file:
        file.write(b"more")
    with pytest.raises(Refuted) as caught:
        write_archive(tree, io.BytesIO(), encoding=Encoding.DEFLATE, encoder=NATIVE, spool=spool)
    assert caught.value.check == "tree.swapped"
    assert all(each.closed for each in spools)


@pytest.mark.parametrize("in_file", [True, False])
def test_the_same_faults_in_the_same_order(tmp_path: Path, in_file: bool) -> None:
    data = bytearray(packed(MemoryTree(FILES), Encoding.DEFLATE))
    archive = read_archive(io.BytesIO(data))
    spoilt = [name for at, name in enumerate(sorted(FILES)) if at % 9 == 4]
    for name in spoilt:
        data[archive._data[name].offset] ^= 0x55
    (tmp_path / "spoilt.zip").write_bytes(data)
    with (tmp_path / "spoilt.zip").open("rb") if in_file else io.BytesIO(data) as file:
        docket = Docket()
        proved = prove_contents(read_archive(file), docket)
    assert [fault.entry for fault in docket.faults] == spoilt
    assert [entry.name for entry, _ in proved] == [name for name in sorted(FILES) if name not in spoilt]
    assert all(found.sha256 == hashlib.sha256(FILES[entry.name]).digest() for entry, found in proved)


def test_the_native_stream_may_be_fed_a_piece_at_a_time() -> None:
    data = FILES["n11"] * 12
    whole = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    expected = whole.compress(data) + whole.flush()
    for step in (1000, 32_768, 40_000, len(data)):
        stream = ALIGNED.compressor()
        got = [stream.compress(data[at : at + step]) for at in range(0, len(data), step)]
        assert b"".join(got) + stream.flush() == expected
