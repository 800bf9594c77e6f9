from __future__ import annotations

import os
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from verify.errors import Misused, Unavailable
from verify.workflows.outputs import write_atomically

if TYPE_CHECKING:
    from pathlib import Path


def test_writes_and_replaces_leaving_nothing_beside(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_mode_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Unavailable if isinstance(error, OSError) else KeyboardInterrupt):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_refused(tmp_path: Path, exists: bool) -> None:
    elsewhere = tmp_path / "elsewhere"
    if exists:
        elsewhere.write_bytes(b"kept")
    (tmp_path / "a").symlink_to(elsewhere)
    with pytest.raises(Misused) as caught:
        write_atomically(tmp_path / "a", b"new")
    assert caught.value.check == "output.link"
    assert elsewhere.exists() == exists
    assert not exists or elsewhere.read_bytes() == b"kept"


@pytest.mark.parametrize(
    ("name", "check"), [("missing/a", "output.no-folder"), ("folder", "output.not-a-file")]
)
def test_a_target_that_cannot_be(tmp_path: Path, name: str, check: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Misused) as caught:
        write_atomically(tmp_path / name, b"x")
    assert caught.value.check == check


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("linked", [True, False])
def test_a_pipe_is_written_to(tmp_path: Path, linked: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(tmp_path / "link" if linked else pipe, b"through")
    reader.join(5)
    assert read == [b"through"]
    assert pipe.is_fifo()
