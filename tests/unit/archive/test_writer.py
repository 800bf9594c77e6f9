"""What the writer gives and refuses."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from tests.support.native import NATIVE
from verify.archive import part
from verify.archive.deflate import reference_encoder
from verify.archive.reader import Container, read_archive
from verify.archive.writer import ArchiveProfile, Encoding, write_archive
from verify.errors import Malformed, Misused, Refuted
from verify.tree.memory import MemoryTree
from verify.tree.port import Entry, Irregular, Oddity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.digest import Measure
    from verify.tree.port import Tree

FILES = {"a.cue": b"x: 1\n", "d/b.cue": b"y: 2\n" * 100, "a-b": b"", "\xe9.txt": b"e"}

# one file `a.cue` with `x: 1\n`: written down byte for byte, so that the format cannot change unseen
GOLDEN = (
    "504b0304140000000000000021009aecd38e05000000050000000500000061 2e637565783a20310a"
    "504b01021403140000000000000021 009aecd38e0500000005000000050000000000000000000000a4810000000061 2e637565"
    "504b050600000000010001003300000028000000 0000"
)


class Lying:
    """A tree whose listing and contents differ."""

    def __init__(self, size: int, *contents: bytes) -> None:
        self._entry = Entry("a", size)
        self._contents = list(contents)

    def entries(self) -> Sequence[Entry]:
        return (self._entry,)

    def irregulars(self) -> Sequence[Irregular]:
        return ()

    def open(self, name: str) -> BinaryIO:
        return io.BytesIO(self._contents.pop(0) if len(self._contents) > 1 else self._contents[0])

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        raise NotImplementedError


def pack(tree: Tree, **options: Any) -> bytes:
    out = io.BytesIO()
    written = write_archive(tree, out, **options)
    data = out.getvalue()
    assert written.digest.hex == hashlib.sha256(data).hexdigest()
    assert written.size == len(data)
    return data


def test_golden_bytes() -> None:
    assert pack(MemoryTree({"a.cue": b"x: 1\n"})) == bytes.fromhex(GOLDEN.replace(" ", ""))


@pytest.mark.parametrize("encoding", Encoding)
def test_another_reader_reads_it(encoding: Encoding) -> None:
    data = pack(MemoryTree(FILES), encoding=encoding, encoder=NATIVE)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        assert archive.namelist() == sorted(FILES, key=lambda name: name.encode())
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_deflated_only_where_smaller() -> None:
    data = pack(MemoryTree(FILES), encoding=Encoding.DEFLATE, encoder=NATIVE)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        deflated = {info.filename for info in archive.infolist() if info.compress_type}
    assert deflated == {"d/b.cue"}


def test_what_is_written_is_canonical() -> None:
    for encoding in Encoding:
        data = pack(MemoryTree(FILES), encoding=encoding, encoder=NATIVE)
        read_archive(io.BytesIO(data), container=Container.CANONICAL)


@pytest.mark.parametrize("encoding", Encoding)
def test_long_files_give_the_same_bytes_as_short_ones(
    encoding: Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = MemoryTree({"a": bytes(range(256)) * 50, "b": b"text " * 3000, "c": hashlib.sha256().digest()})
    whole = pack(tree, encoding=encoding, encoder=NATIVE)
    monkeypatch.setattr(part, "WHOLE", 10)
    assert pack(tree, encoding=encoding, encoder=NATIVE) == whole


def test_prefix_and_mode() -> None:
    tree = MemoryTree({"run": b"", "read": b""}, executables={"run"})
    profile = ArchiveProfile(prefix="example.com/m@v1.0.0/", keep_executable=True)
    with zipfile.ZipFile(io.BytesIO(pack(tree, profile=profile))) as archive:
        found = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert found == {"example.com/m@v1.0.0/read": 0o100644, "example.com/m@v1.0.0/run": 0o100755}


def test_mode_is_dropped_unless_kept() -> None:
    files = {"run": b"x"}
    assert pack(MemoryTree(files, executables={"run"})) == pack(MemoryTree(files))


def test_the_tree_hash_has_the_prefix() -> None:
    plain = write_archive(MemoryTree({"d/a": b"1"}), io.BytesIO())
    prefixed = write_archive(MemoryTree({"a": b"1"}), io.BytesIO(), profile=ArchiveProfile(prefix="d/"))
    assert plain == prefixed


REFUSED = {
    "no files": (MemoryTree({}), "archive.empty"),
    "a link": (MemoryTree({"a": b""}, irregulars=[Irregular("l", Oddity.SYMLINK)]), "tree.symlink"),
    "traversal": (MemoryTree({"../a": b""}), "name.traversal"),
    "a Windows device": (MemoryTree({"aux.tf": b""}), "name.reserved"),
    "two cases": (MemoryTree({"a": b"", "A": b""}), "name.case-collision"),
    "decomposed": (MemoryTree({"e\u0301": b""}), "name.not-nfc"),
    "shorter than listed": (Lying(3, b"ab"), "tree.swapped"),
    "longer than listed": (Lying(1, b"ab"), "tree.swapped"),
}


@pytest.mark.parametrize("defect", REFUSED)
def test_refused(defect: str) -> None:
    tree, check = REFUSED[defect]
    with pytest.raises((Malformed, Refuted)) as caught:
        pack(tree)
    assert caught.value.check == check


@pytest.mark.parametrize("contents", [(b"one", b"two"), (b"one", b"on"), (b"one", b"ones")])
def test_a_long_file_that_changes_between_its_readings(
    contents: tuple[bytes, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "WHOLE", 1)
    with pytest.raises(Refuted) as caught:
        pack(Lying(3, *contents))
    assert caught.value.check == "tree.swapped"


def test_modes_cannot_be_kept_where_there_are_none() -> None:
    with pytest.raises(Misused) as caught:
        pack(MemoryTree({"a": b""}), profile=ArchiveProfile(keep_executable=True))
    assert caught.value.check == "archive.no-modes"


def test_deflate_takes_the_reference_encoder_by_itself() -> None:
    tree = MemoryTree(FILES)
    expected = pack(tree, encoding=Encoding.DEFLATE, encoder=reference_encoder())
    assert pack(tree, encoding=Encoding.DEFLATE) == expected
