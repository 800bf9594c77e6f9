"""Every example in every --help is run, in a folder that has what the examples name."""

from __future__ import annotations

import re
import secrets
import shlex
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import click
import pytest

from tests.support.command import modseal
from tests.support.cue_workspaces import LOG, NET, Stage, module_text
from tests.support.fake_sigstore import FakeSigstore, Signing, render
from tests.support.signing import bundled, key, message_bundle, release
from verify.cli.app import COMMANDS, VERIFY, root
from verify.signing.pkcs8 import encrypt_pkcs8

# what these need is started by tests of their own: a registry, a terminal, a server's life
ELSEWHERE = ("doctor ", "login ", "logout ", "serve ")


def _examples() -> list[str]:
    context = click.Context(root)
    found = []
    for path in [(name,) for name in COMMANDS] + [("verify", name) for name in VERIFY]:
        group: click.Command | None = root
        for part in path:
            assert isinstance(group, click.Group)
            group = group.get_command(context, part)
        assert group is not None
        inner = group.commands.values() if isinstance(group, click.Group) else ()
        epilogs = [each.epilog or "" for each in (group, *inner)]
        lines = [line.strip() for epilog in epilogs for line in epilog.splitlines()]
        # what stands after two spaces is a remark
        found += [
            re.split(r" {2,}(?=\S)", line)[0].removeprefix("modseal ")
            for line in lines
            if line.startswith("modseal ")
        ]
    return [each for each in found if not each.startswith(ELSEWHERE)]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"an example connects to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


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
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "no-cache"))
    Stage(work).build()  # a mirror beside what else lies here
    for name, text in {
        "cue.mod/module.cue": module_text("example.com/app@v1", [NET, LOG]).decode(),
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
    for words in (["lock"], ["vendor"]):
        assert modseal(*words, "--from", "./deps").code == 0
    for name in ("../sum.pinned.cue", "base.cue", "ours.cue", "theirs.cue"):
        Path(name).write_bytes(Path("cue.mod/sum.cue").read_bytes())
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
    _sign(monkeypatch)
    return modseal("hash", "./net").out.split()[0]


def _sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key pair, and bundles over net.zip of the kinds that examples name."""
    monkeypatch.setenv("MODSEAL_PASSPHRASE", "open sesame")
    data = encrypt_pkcs8(key().pkcs8, b"open sesame", randomness=secrets.token_bytes, rounds=10)
    Path("acme.key").write_bytes(data)
    Path("acme.pub").write_bytes(key().public_key.pem)
    archive = Path("net.zip").read_bytes()
    Path("net.zip.sigstore.json").write_bytes(bundled(release(archive=archive)))
    Path("plain.json").write_bytes(message_bundle(archive))
    built = replace(release(archive=archive), predicate_type="https://slsa.dev/provenance/v1", predicate={})
    Path("build.json").write_bytes(bundled(built))
    how = Signing(identity="dev@example.com", issuer="https://issuer.example.com")
    Path("keyless.json").write_bytes(render(FakeSigstore().sign_message(archive, how)))
    Path("trusted_root.json").write_bytes(render(FakeSigstore().trust()))


def _offline(word: str, command: str) -> str:
    """A layout folder in place of a registry: these tests reach no network."""
    if command in {"lock", "vendor"}:
        return word
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
    words = [word if words[:2] == ["verify", "file"] else _offline(word, words[0]) for word in words]
    if words[:2] == ["key", "generate"] and "-o" in words:
        words[words.index("-o") + 1] = "new.key"  # a key file is never overwritten
    if "--passphrase-fd" in words:
        Path("secret").write_text("open sesame")
        words[-3:] = ["--passphrase-file", "secret"]  # no shell is here to open a descriptor
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
