"""The same archive from every Python on this machine: the core needs the standard library alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from verify.archive.writer import Encoding, write_archive
from verify.tree.directory import DirectoryTree

ROOT = Path(__file__).parents[3]
PROBE = """
import sys
from verify.archive.writer import Encoding, write_archive
from verify.tree.directory import DirectoryTree
class Nowhere:
    def write(self, data):
        return len(data)
print(write_archive(DirectoryTree(sys.argv[1]), Nowhere(), encoding=Encoding(sys.argv[2])).digest)
"""


def _found(version: str) -> str | None:
    """On the path, or kept by pyenv, whose stand-ins on the path only work for the chosen version."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for python in (*map(str, sorted(kept.glob(f"{version}.*/bin/python"))), f"python{version}"):
        try:
            subprocess.run([python, "-c", "pass"], check=True, capture_output=True, timeout=30)
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    return None


class _Nowhere:
    def write(self, data: bytes, /) -> int:
        return len(data)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python_makes_the_same_archive(version: str, tmp_path: Path) -> None:
    python = _found(version)
    if python is None:
        pytest.skip(f"python{version} is not on this machine")
    for name, data in {"é/Ω.cue": b"x: 1\n" * 900, "b": bytes(range(256)) * 40, "c": b""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for encoding in Encoding:
        argv = [python, "-c", PROBE, str(tmp_path), encoding.value]
        ran = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
        ours = write_archive(DirectoryTree(tmp_path), _Nowhere(), encoding=encoding).digest
        assert ran.stdout.strip() == str(ours)
