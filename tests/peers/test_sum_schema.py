"""The real `cue vet` takes our sum files and refuses those that break the schema."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from tests.support.sum_files import cue_file, digest, entry, tree_hash
from verify.sums.entry import Source, SumEntry
from verify.sums.key import encode_key
from verify.sums.sumfile import SumFile, render

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

A = "a.example/x@v1.0.0-RC.1"
GOOD = render(cue_file([A, "b.example/y@v0.2.0"])).decode()
HASH = entry(A).fields()

TAKEN = {
    "two modules": GOOD,
    "none": render(cue_file([])).decode(),
    "another ecosystem": render(
        SumFile.of(
            "other",
            (
                SumEntry(
                    encode_key("git::https://h.example/a b?é"),
                    tree_hash(0),
                    executables=digest(0),
                    source=Source("x", "y"),
                ),
            ),
        )
    ).decode(),
}
REFUSED = {
    "no format": GOOD.replace("format:", "//"),
    "newer format": GOOD.replace("modseal.sum/1", "modseal.sum/2"),
    "no ecosystem": GOOD.replace("ecosystem:", "//"),
    "no modules": GOOD.partition("modules")[0],
    "unknown field": GOOD + "x: 1\n",
    "unknown field of an entry": GOOD.replace("{tree:", "{x: 1, tree:", 1),
    "key with a space": GOOD.replace(A, "a b@v1.0.0"),
    "key without a version": GOOD.replace(A, "a.example/x"),
    "tree missing": GOOD.replace(f'tree: "{HASH["tree"]}", ', "", 1),
    "manifest missing": GOOD.replace(f', manifest: "{HASH["manifest"]}"', "", 1),
    "tree a sha256": GOOD.replace(HASH["tree"], HASH["archive"], 1),
    "archive an h1": GOOD.replace(HASH["archive"], HASH["tree"], 1),
    "digest in capitals": GOOD.replace(HASH["archive"], HASH["archive"].upper(), 1),
    "h1 with loose bits": GOOD.replace(HASH["tree"], HASH["tree"][:-2] + "B=", 1),
    "a number": GOOD.replace(f'"{HASH["tree"]}"', "1", 1),
}


def vet(binary: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "sum.cue").write_text(text, encoding="utf-8", newline="")
    (folder / "schema.cue").write_bytes(files("verify.sums").joinpath("schema.cue").read_bytes())
    command = [binary, "vet", "-c", "schema.cue", "sum.cue"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.peer("cue")
@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str, peer: Callable[[str], str], tmp_path: Path) -> None:
    done = vet(peer("cue"), TAKEN[name], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.peer("cue")
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, peer: Callable[[str], str], tmp_path: Path) -> None:
    assert REFUSED[name] != GOOD
    assert vet(peer("cue"), REFUSED[name], tmp_path).returncode != 0
