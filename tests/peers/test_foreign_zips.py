"""Zips really made by other tools are accepted, and other tools accept ours.

One folder is packed in every way each tool knows. What modseal reads from the result must be that folder: same
names, same bytes, same tree hash.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.native import NATIVE
from verify.archive.inspection import check_archive
from verify.archive.writer import ArchiveProfile, Encoding, write_archive
from verify.report import Outcome
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.peers import Peers

ACCENTED = "\u00e9t\u00e9.txt"
FILES = {
    "a.txt": b"hello\n",
    "empty": b"",
    "cue.mod/module.cue": b'module: "example.com/m@v1"\nlanguage: version: "v0.9.0"\n',
    "deep/er/run.sh": b"#!/bin/sh\n",
    "text": b"the same line again and again\n" * 4000,
    "random.bin": os.urandom(100_000),
    "inner.zip": bytes.fromhex("504b0506") + bytes(18),
    ACCENTED: b"accented\n",
}
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    for name, data in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "deep/er/run.sh").chmod(0o755)
    return root


def run(*command: str, cwd: Path | None = None, stdout: Path | None = None) -> str:
    """Through a pipe, so that a tool that writes to it cannot seek."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr
    if stdout is not None:
        stdout.write_bytes(done.stdout)
    return done.stdout.decode(errors="replace").strip() if stdout is None else ""


def refusals(path: Path) -> set[str]:
    with path.open("rb") as file:
        found = check_archive(file, subject="zip").findings
    return {each.check.id for each in found if each.outcome in {Outcome.FAILED, Outcome.UNKNOWN}}


def assert_is(path: Path, folder: Path, prefix: str = "") -> None:
    assert not refusals(path)
    with path.open("rb") as file:
        inspection = check_archive(file, subject="zip")
    assert inspection.tree_hash == hash_tree(DirectoryTree(folder), prefix)


@pytest.mark.peer("gozip")
@pytest.mark.parametrize("way", ["plain", "stored", "header", "addfs", "raw", "best", "comment"])
def test_go(way: str, folder: Path, tmp_path: Path, peer: Peers) -> None:
    run(peer("gozip"), way, str(folder), str(tmp_path / "x.zip"))
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("goarchive")
def test_go_modules(folder: Path, tmp_path: Path, peer: Peers) -> None:
    path = tmp_path / "x.zip"
    run(peer("goarchive"), "create", str(folder), str(path), "example.com/m", "v1.0.0")
    assert_is(path, folder, "example.com/m@v1.0.0")
    with path.open("rb") as file:
        assert str(check_archive(file, subject="zip").tree_hash) == run(
            peer("goarchive"), "hashzip", str(path)
        )


@pytest.mark.peer("cuemodzip")
def test_cue_modules(folder: Path, tmp_path: Path, peer: Peers) -> None:
    run(peer("cuemodzip"), "create", str(folder), str(tmp_path / "x.zip"), "example.com/m@v1", "v1.0.0")
    assert_is(tmp_path / "x.zip", folder)


INFO_ZIP = {
    "deflated": ["-r"],
    "stored": ["-r", "-0"],
    "best": ["-r", "-9"],
    "without folders": ["-r", "-D"],
    "without extra fields": ["-r", "-X"],
    "forced zip64": ["-r", "-fz"],
    "with descriptors": ["-r", "-fd"],
}


@pytest.mark.peer("zip")
@pytest.mark.parametrize("way", INFO_ZIP)
def test_info_zip(way: str, folder: Path, tmp_path: Path, peer: Peers) -> None:
    (folder / ACCENTED).unlink()
    run(peer("zip"), "-q", *INFO_ZIP[way], str(tmp_path / "x.zip"), ".", cwd=folder)
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("zip")
def test_info_zip_into_a_pipe(folder: Path, tmp_path: Path, peer: Peers) -> None:
    (folder / ACCENTED).unlink()
    run(peer("zip"), "-q", "-r", "-", ".", cwd=folder, stdout=tmp_path / "x.zip")
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("zip")
def test_a_name_that_nothing_marks_as_utf8(folder: Path, tmp_path: Path, peer: Peers) -> None:
    """On purpose: Python's zipfile reads such a name as CP437, Go as UTF-8, so two readers find two names."""
    run(peer("zip"), "-q", str(tmp_path / "x.zip"), ACCENTED, cwd=folder)
    assert refusals(tmp_path / "x.zip") <= {"archive.name-encoding", "archive.unicode-path"}
    assert refusals(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.namelist() != [ACCENTED]


class Pipe(io.RawIOBase):
    """An output that cannot seek."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:  # type: ignore[no-untyped-def,override]  # noqa: ANN001
        self.data += data
        return len(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("seekable", [True, False], ids=["file", "pipe"])
@pytest.mark.parametrize("forced", [True, False], ids=["zip64", "zip32"])
def test_python(method: int, seekable: bool, forced: bool, folder: Path, tmp_path: Path) -> None:
    pipe = Pipe()
    out = io.BytesIO() if seekable else io.BufferedWriter(pipe)
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.mkdir("deep") if sys.version_info >= (3, 11) else None
        for name, data in FILES.items():
            with archive.open(name, "w", force_zip64=forced) as entry:
                entry.write(data)
        archive.comment = b"made by a test"
    out.flush()
    path = tmp_path / "x.zip"
    path.write_bytes(out.getvalue() if isinstance(out, io.BytesIO) else pipe.data)
    assert_is(path, folder)


def test_python_from_a_folder(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder).as_posix())
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.parametrize("level", ["-0", "-9"])
def test_git(level: str, folder: Path, tmp_path: Path) -> None:
    git = (
        "git",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "core.autocrlf=false",
        "-C",
        str(folder),
    )
    run(*git, "init", "-q")
    run(*git, "add", ".")
    run(*git, "commit", "-q", "-m", "all")
    run(*git, "archive", "--format=zip", level, "HEAD", stdout=tmp_path / "x.zip")
    (folder / ".git").rename(tmp_path / "git")
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("7z")
@pytest.mark.parametrize(
    "switches", [[], ["-mx=0"], ["-mx=9"], ["-mtc=on", "-mta=on"], ["-mcu=on"]], ids=" ".join
)
def test_7z(switches: list[str], folder: Path, tmp_path: Path, peer: Peers) -> None:
    run(peer("7z"), "a", "-tzip", "-bd", *switches, str(tmp_path / "x.zip"), ".", cwd=folder)
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("bsdtar")
@pytest.mark.parametrize("options", ["", "zip:compression=store", "zip:compression=deflate"])
def test_bsdtar(options: str, folder: Path, tmp_path: Path, peer: Peers) -> None:
    names = sorted(path.name for path in folder.iterdir())
    how = ["--options", options] if options else []
    run(peer("bsdtar"), "-cf", str(tmp_path / "x.zip"), "--format", "zip", *how, *names, cwd=folder)
    assert_is(tmp_path / "x.zip", folder)


@pytest.mark.peer("bsdtar")
def test_bsdtar_into_a_pipe(folder: Path, tmp_path: Path, peer: Peers) -> None:
    """On purpose: into a pipe it fills up the last block of a tape, which puts bytes after the archive."""
    run(peer("bsdtar"), "-cf", "-", "--format", "zip", "a.txt", cwd=folder, stdout=tmp_path / "x.zip")
    assert refusals(tmp_path / "x.zip") == {"archive.suffix-data"}


@pytest.mark.peer("goarchive", "unzip", "bsdtar", "7z")
@pytest.mark.parametrize("encoding", Encoding)
def test_they_read_ours(encoding: Encoding, folder: Path, tmp_path: Path, peer: Peers) -> None:
    path = tmp_path / "x.zip"
    profile = ArchiveProfile(prefix="example.com/m@v1.0.0/")
    with path.open("wb") as out:
        written = write_archive(
            DirectoryTree(folder), out, encoding=encoding, profile=profile, encoder=NATIVE
        )
    assert run(peer("goarchive"), "hashzip", str(path)) == str(written.tree_hash)
    assert run(peer("goarchive"), "checkzip", "example.com/m", "v1.0.0", str(path)) == "ok"
    for number, command in enumerate(
        (
            (peer("unzip"), "-q", str(path), "-d"),
            (peer("bsdtar"), "-xf", str(path), "-C"),
            (peer("7z"), "x", "-bd", str(path), "-o"),
        )
    ):
        into = tmp_path / str(number)
        into.mkdir()
        joined = (*command[:-1], f"-o{into}") if command[-1] == "-o" else (*command, str(into))
        run(*joined)
        assert hash_tree(DirectoryTree(into)) == written.tree_hash
