"""The small Go programs that other peer tests lean on do what they say."""

from __future__ import annotations

import json
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EMPTY_TREE = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="  # sha256 of nothing
A_CUE = "h1:8pP7K1GbHBUIdkUC2anYmaGHS1e9yC3hd3Lm74mNBCY="  # a.cue holding "x: 1\n"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.peer("goarchive")
def test_a_folder_is_hashed_with_and_without_a_prefix(peer: Callable[[str], str], tmp_path: Path) -> None:
    assert run(peer("goarchive"), "hashdir", str(tmp_path), "").stdout.strip() == EMPTY_TREE
    (tmp_path / "a.cue").write_bytes(b"x: 1\n")
    assert run(peer("goarchive"), "hashdir", str(tmp_path), "").stdout.strip() == A_CUE
    assert run(peer("goarchive"), "hashdir", str(tmp_path), "m@v1.0.0").stdout.strip() != A_CUE


@pytest.mark.peer("goarchive")
def test_a_go_module_packs_hashes_and_unpacks_to_the_same_tree(
    peer: Callable[[str], str], tmp_path: Path
) -> None:
    source, made, back = tmp_path / "source", tmp_path / "m.zip", tmp_path / "back"
    source.mkdir()
    (source / "go.mod").write_bytes(b"module example.com/m\n")
    module = ("example.com/m", "v1.0.0")
    go = peer("goarchive")
    assert run(go, "create", str(source), str(made), *module).returncode == 0
    assert run(go, "checkzip", *module, str(made)).stdout == "ok\n"
    assert run(go, "unzip", str(made), str(back), *module).returncode == 0
    packed = run(go, "hashzip", str(made)).stdout
    assert packed == run(go, "hashdir", str(back), "example.com/m@v1.0.0").stdout
    refused = run(go, "checkzip", "example.com/other", "v1.0.0", str(made))
    assert (refused.returncode, "prefix" in refused.stderr) == (1, True)


@pytest.mark.peer("cuemodzip")
def test_a_cue_module_is_accounted_for(peer: Callable[[str], str], tmp_path: Path) -> None:
    source, made = tmp_path / "source", tmp_path / "m.zip"
    (source / "cue.mod").mkdir(parents=True)
    (source / "cue.mod" / "module.cue").write_text(
        'module: "example.com/m@v1"\nlanguage: version: "v0.15.0"\n'
    )
    (source / "m.cue").write_text("package m\n")
    (source / "link.cue").symlink_to("m.cue")
    cue = peer("cuemodzip")
    done = run(cue, "create", str(source), str(made), "example.com/m@v1", "v1.0.0")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert sorted(told["valid"]) == ["cue.mod/module.cue", "m.cue"]
    assert list(told["omitted"]) == ["link.cue"]
    assert run(cue, "checkzip", str(made), "example.com/m@v1", "v1.0.0").returncode == 0
    assert run(cue, "unzip", str(made), str(tmp_path / "back"), "example.com/m@v1", "v1.0.0").returncode == 0
    (tmp_path / "bad.zip").write_bytes(b"not a zip")
    assert run(cue, "checkzip", str(tmp_path / "bad.zip"), "example.com/m@v1", "v1.0.0").returncode == 1


@pytest.mark.peer("gozip")
@pytest.mark.parametrize("way", ["plain", "stored", "header", "addfs", "raw", "best", "comment"])
def test_every_way_of_writing_gives_a_readable_zip(
    way: str, peer: Callable[[str], str], tmp_path: Path
) -> None:
    source, made = tmp_path / "source", tmp_path / "m.zip"
    (source / "d").mkdir(parents=True)
    (source / "d" / "é.txt").write_bytes(b"text\n" * 100)
    assert run(peer("gozip"), way, str(source), str(made)).returncode == 0
    with zipfile.ZipFile(made) as archive:
        assert archive.read("d/é.txt") == b"text\n" * 100
    assert run(peer("gozip"), "no-such-way", str(source), str(made)).returncode == 1


@pytest.mark.peer("goarchive", "cuemodzip")
@pytest.mark.parametrize("program", ["goarchive", "cuemodzip"])
def test_accounts_name_files_as_the_archive_would(
    program: str, peer: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.txt").write_bytes(b"")
    (tmp_path / "link").symlink_to("d/a.txt")
    told = json.loads(run(peer(program), "checkdir", str(tmp_path)).stdout)
    assert (told["valid"], list(told["omitted"]), told["invalid"]) == (["d/a.txt"], ["link"], {})
