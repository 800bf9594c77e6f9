"""All of an archive in a new or empty folder, or nothing anywhere."""

from __future__ import annotations

import io
import os
import stat
from typing import TYPE_CHECKING

import pytest

from tools.zip_corpus import Case, corpus
from verify.archive import unpack
from verify.archive.reader import Archive, read_archive
from verify.archive.unpack import unpack_archive
from verify.archive.writer import ArchiveProfile, write_archive
from verify.errors import Exhausted, Malformed, Misused, ModsealError, Unavailable
from verify.limits import Limits
from verify.tree.hashing import hash_tree
from verify.tree.memory import MemoryTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {"a": b"1", "d/b": b"22", "d/e/c": b"", "d.x": b"4", "d/run": b"5", "f/g/h/i": b"6"}


def archive(files: dict[str, bytes] = FILES) -> Archive:
    out = io.BytesIO()
    executables = {"d/run"} & files.keys()
    write_archive(
        MemoryTree(files, executables=executables), out, profile=ArchiveProfile(keep_executable=True)
    )
    return read_archive(out)


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def found(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_everything_is_there(tmp_path: Path) -> None:
    unpacked = unpack_archive(archive(), tmp_path / "out")
    assert found(tmp_path / "out") == FILES
    assert unpacked.tree_hash == hash_tree(MemoryTree(FILES))
    assert listed(tmp_path) == ["out"]


def test_many_files(tmp_path: Path) -> None:
    files = {f"d{i % 7}/f{i}": b"%d" % i for i in range(200)}
    unpack_archive(archive(files), tmp_path / "out")
    assert found(tmp_path / "out") == files


def test_into_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    unpack_archive(archive(), tmp_path / "out")
    assert found(tmp_path / "out") == FILES


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        unpack_archive(archive(), tmp_path / "plain")
        unpack_archive(archive(), tmp_path / "kept", keep_executable=True)
    finally:
        os.umask(before)
    modes = {
        name: stat.S_IMODE((tmp_path / name).stat().st_mode)
        for name in ("plain", "plain/d", "plain/a", "plain/d/run", "kept/d/run", "kept/a")
    }
    assert modes == {
        "plain": 0o755, "plain/d": 0o755, "plain/a": 0o644, "plain/d/run": 0o644, "kept/d/run": 0o755, "kept/a": 0o644,
    }  # fmt: skip


def put_file(at: Path) -> None:
    at.write_bytes(b"mine")


def put_full_folder(at: Path) -> None:
    at.mkdir()
    (at / "mine").write_bytes(b"mine")


def put_link_to_folder(at: Path) -> None:
    (at.parent / "elsewhere").mkdir()
    at.symlink_to(at.parent / "elsewhere")


def put_dangling_link(at: Path) -> None:
    at.symlink_to(at.parent / "nowhere")


@pytest.mark.parametrize("put", [put_file, put_full_folder, put_link_to_folder, put_dangling_link])
def test_target_in_the_way(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / "out")
    before = sorted(path.as_posix() for path in tmp_path.rglob("*"))
    with pytest.raises(Misused):
        unpack_archive(archive(), tmp_path / "out")
    assert sorted(path.as_posix() for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("target", ["full", "link"])
def test_target_that_appears_meanwhile(tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    into = tmp_path / "out"
    puts = {"full": put_full_folder, "link": put_link_to_folder}
    settle = unpack._settle
    monkeypatch.setattr(unpack, "_settle", lambda folder: (settle(folder), puts[target](into)))
    with pytest.raises(Unavailable):
        unpack_archive(archive(), into)
    assert not [name for name in listed(tmp_path) if name.endswith(".partial")]
    assert not (tmp_path / "elsewhere").exists() or not listed(tmp_path / "elsewhere")


def test_a_link_planted_inside_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write into the folder being filled still cannot lead a file out of it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    make = os.mkdir

    def plant(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        make(path, mode, dir_fd=dir_fd)
        if path == "d":
            os.rmdir(path, dir_fd=dir_fd)
            os.symlink(outside, path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", plant)
    with pytest.raises(Unavailable):
        unpack_archive(archive(), tmp_path / "out")
    assert not listed(outside)
    assert listed(tmp_path) == ["outside"]


def test_nothing_is_left_when_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(unpack, "_copy", interrupt)
    with pytest.raises(KeyboardInterrupt):
        unpack_archive(archive(), tmp_path / "out")
    assert not listed(tmp_path)


@pytest.mark.parametrize(
    "case", [case for case in corpus() if len(case.data) < 10_000], ids=lambda case: case.id
)
def test_the_corpus_is_unpacked_whole_or_not_at_all(tmp_path: Path, case: Case) -> None:
    raised: str | None = None
    try:
        unpack_archive(read_archive(io.BytesIO(case.data)), tmp_path / "out")
    except ModsealError as error:
        raised = error.check
    assert raised in (case.refused or (None,))
    assert listed(tmp_path) == ([] if raised else ["out"])
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_wrong_contents_leave_nothing(tmp_path: Path) -> None:
    out = io.BytesIO()
    write_archive(MemoryTree({"a": b"first", "b": b"second"}), out)
    broken = read_archive(io.BytesIO(out.getvalue().replace(b"second", b"sekond")))
    with pytest.raises(Malformed) as caught:
        unpack_archive(broken, tmp_path / "out")
    assert caught.value.check == "archive.crc"
    assert not listed(tmp_path)


def test_too_deep(tmp_path: Path) -> None:
    with pytest.raises(Exhausted):
        unpack_archive(archive({"d/" * 5 + "f": b""}), tmp_path / "out", limits=Limits(tree_depth=4))


def test_no_such_parent(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        unpack_archive(archive(), tmp_path / "none" / "out")
