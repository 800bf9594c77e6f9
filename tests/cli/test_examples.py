"""Every example in every --help is run, in a folder that has what the examples name."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from tests.support.command import modseal
from verify.cli.app import COMMANDS, VERIFY, root


def _examples() -> list[str]:
    context = click.Context(root)
    found = []
    for path in [(name,) for name in COMMANDS] + [("verify", name) for name in VERIFY]:
        group: click.Command | None = root
        for part in path:
            assert isinstance(group, click.Group)
            group = group.get_command(context, part)
        assert group is not None
        lines = [line.strip() for line in (group.epilog or "").splitlines()]
        # what stands after two spaces is a remark
        found += [
            re.split(r" {2,}(?=\S)", line)[0].removeprefix("modseal ")
            for line in lines
            if line.startswith("modseal ")
        ]
    return found


def _git(*argv: str) -> None:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", *names, *argv], check=True, capture_output=True, timeout=30)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A workspace with ./net packed, listed and committed; gives the h1 of ./net."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    work = tmp_path / "net-workspace"
    work.mkdir()
    monkeypatch.chdir(work)
    for name, text in {
        "cue.mod/module.cue": 'module: "example.com/net@v1"\nlanguage: version: "v0.9.0"\nsource: kind: "self"\n',
        "net/net.cue": "package net\n",
        "net/templates/ingress.cue": "package templates\n",
        "before/a.cue": "x: 1\n",
        "after/a.cue": "x: 2\n",
        "vpc/main.tf": "# nothing\n",
        "sbom.json": "{}\n",
        "notes.md": "# notes\n",
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    _git("init", "-q")
    _git("add", "-A")
    _git("commit", "-qm", "one")
    _git("tag", "v1.2.0")
    _git("commit", "-qm", "two", "--allow-empty")
    Path("net.list").write_text(modseal("hash", "--list", "./net").out)
    assert modseal("pack", "./net", "-o", "net.zip").code == 0
    for layout in ("mirror", "acme-net"):
        assert modseal("publish", "./net", "--to", f"ocidir://./{layout}:v1.4.0").code == 0
    assert modseal("publish", ".", "--to", "ocidir://./module:v1.4.0").code == 0
    return modseal("hash", "./net").out.split()[0]


def _offline(word: str, command: str) -> str:
    """A layout folder in place of a registry: these tests reach no network."""
    if word == "example.com/net@v1.4.0":
        return f"ocidir://./{'new' if command == 'publish' else 'module'}:v1.4.0"
    word = word.replace("oci://ghcr.io/acme/", "ocidir://./acme-")
    if word.endswith("@sha256:…"):
        layout = word.removesuffix("@sha256:…")
        return f"{layout}@{modseal('inspect', layout).out.split()[1].rstrip(',')}"
    return word


@pytest.mark.parametrize("example", _examples())
def test_example_runs(example: str, stage: str) -> None:
    command, _, into = example.partition(" > ")
    words = shlex.split(command.replace("h1:…", stage))
    words = [_offline(word, words[0]) for word in words]
    if words[0] == "pull" and "-o" in words:
        words[words.index("-o") + 1] = "./unpacked"
    if words[0] == "unpack":
        assert not Path(words[-1]).exists() or words[-1] == "./net"
        words[-1] = "./unpacked"
    ran = modseal(*words)
    expected = 1 if any(command.endswith(each) for each in ("./before ./after",)) else 0
    assert ran.code == expected, ran.err
    assert ran.out
    if into:
        Path(into.strip()).expanduser().write_text(ran.out)
