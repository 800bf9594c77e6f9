"""Checks of trees and archives open no socket and start no process, whatever they are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import modseal
from tests.support.cue_workspaces import NET, Stage

# runs one command line and reports every forbidden event; an audit hook cannot be taken off again
PROBE = """
import sys
seen = []
FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "pty.spawn")
sys.addaudithook(lambda event, _: seen.append(event) if event.startswith(FORBIDDEN) else None)
from verify.cli.app import run
code = run(sys.argv[2:])
if sys.argv[1] == "plant":
    import socket
    socket.socket().close()
print(code, *sorted(set(seen)), file=sys.stderr)
"""


def _watched(plant: bool, *argv: str) -> list[str]:
    command = [sys.executable, "-c", PROBE, "plant" if plant else "-", *argv]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return ran.stderr.splitlines()[-1].split()


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "net"
    root.mkdir()
    (root / "a.cue").write_text("x: 1\n")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "net.list").write_text(modseal("hash", "--list", str(root)).out)
    assert modseal("pack", str(root), "--deflate", "-o", str(tmp_path / "net.zip")).code == 0
    return tmp_path


def test_no_check_leaves_the_process(packed: Path) -> None:
    for argv in (
        ["hash", str(packed / "net"), str(packed / "net.zip")],
        ["hash", "--check", str(packed / "net.list"), str(packed / "net"), "--output", "sarif"],
        ["verify", "archive", "--canonical", str(packed / "net.zip"), "--output", "html"],
        ["diff", str(packed / "net"), str(packed / "net.zip")],
        ["inspect", str(packed / "net.zip")],
        ["unpack", str(packed / "net.zip"), str(packed / "out")],
    ):
        assert _watched(False, *argv) == ["0"], argv


def test_no_check_of_a_cue_workspace_leaves_the_process(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CUE_REGISTRY", "registry.example.com")
    stage = Stage(tmp_path).build()
    work, mirror = str(stage.work), str(stage.mirror)
    for argv in (
        ["lock", work, "--from", mirror],
        ["vendor", work, "--from", mirror],
        ["vendor", work, "--from", mirror, "--cache", str(tmp_path / "cache")],
        ["verify", "tree", work],
        ["verify", "tree", work, "--from", mirror, "--sum", str(stage.sums), "--module", NET],
        ["lock", work, "--check"],
        ["vendor", work, "--check"],
        ["vendor", work],
    ):
        assert _watched(False, *argv) == ["0"], argv
    (stage.vendored(NET) / "README.md").write_bytes(b"changed\n")
    assert _watched(False, "verify", "tree", work, "--diff") == ["1"]


def test_the_watch_would_see_a_socket(packed: Path) -> None:
    assert _watched(True, "hash", str(packed / "net"))[1:] == ["socket.__new__"]
