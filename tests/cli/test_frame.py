"""The frame every command stands in: exit codes, errors, help, completion, start-up."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from tests.support.command import modseal
from verify.cli.app import COMMANDS, VERIFY, root
from verify.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _commands() -> Iterator[tuple[str, ...]]:
    for name in COMMANDS:
        yield (name,)
    for name in VERIFY:
        yield ("verify", name)
    for name in ("generate", "public", "show"):
        yield ("key", name)


def _found(path: tuple[str, ...]) -> click.Command:
    context = click.Context(root)
    group: click.Command = root
    for part in path:
        assert isinstance(group, click.Group)
        inner = group.get_command(context, part)
        assert inner is not None
        group = inner
    return group


def test_version_is_answered_without_loading_click() -> None:
    probe = (
        "import sys; sys.argv = ['modseal', '--version']; from verify.__main__ import main; main();"
        "sys.exit(sum(name in sys.modules for name in ('click', 'rich', 'verify.cli')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=False, timeout=20
    )
    assert (ran.returncode, ran.stdout) == (0, f"modseal {__version__}\n")


@pytest.mark.parametrize("path", list(_commands()), ids=" ".join)
def test_every_command_has_help_with_examples(path: tuple[str, ...]) -> None:
    ran = modseal(*path, "--help")
    assert ran.code == 0
    assert "Examples:" in ran.out
    assert ran.out.startswith(f"Usage: modseal {' '.join(path)}")


@pytest.mark.parametrize("path", list(_commands()), ids=" ".join)
def test_examples_use_options_that_exist(path: tuple[str, ...]) -> None:
    command = _found(path)
    known = {name for each in command.params if isinstance(each, click.Option) for name in each.opts}
    known |= {"-h", "--help"}
    lines = [line for line in (command.epilog or "").splitlines() if line.strip().startswith("modseal ")]
    assert lines
    for line in lines:
        words = shlex.split(re.split(r" {2,}(?=[a-z])", line.strip())[0].split(" > ")[0])
        assert tuple(words[1 : 1 + len(path)]) == path
        used = {word.partition("=")[0] for word in words if word.startswith("-") and word != "-"}
        assert used <= known, line


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("no-such-command",), 2, "No such command"),
        (("hash",), 2, "Missing argument"),
        (("hash", "--no-such-flag", "."), 2, "No such option"),
        (("hash", "./no-such-folder"), 3, "no such file or folder"),
        (("hash", "oci://example.com/net:v1"), 2, "expected a folder"),
        (("explain", "tree.extra-fil"), 2, "hint: modseal explain tree.extra-file"),
        (("explain",), 2, "--all"),
        (("verify", "archive", "./no-such.zip"), 3, "no such file"),
        (("verify", "archive", "--hash", "md5:0", "x.zip"), 2, "hint: modseal hash"),
        (("verify", "archive", "--output", "pdf", "x.zip"), 2, "--output json=report.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_exit_code_and_message(argv: tuple[str, ...], code: int, said: str) -> None:
    ran = modseal(*argv)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_no_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "folder.zip").mkdir()
    for name in ("pipe.zip", "folder.zip"):
        for argv in (("verify", "archive"), ("inspect",)):
            ran = modseal(*argv, str(tmp_path / name))
            assert (ran.code, "expected a file" in ran.err) == (2, True)


def test_an_internal_error_exits_3_and_shows_its_trace_only_when_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom\x1b[2J")

    monkeypatch.setattr("verify.workflows.catalogue.checks", broken)
    monkeypatch.delenv("MODSEAL_DEBUG", raising=False)
    plain = modseal("explain", "--all")
    assert plain.code == 3
    assert plain.err.startswith("error: internal error: RuntimeError: boom\\x1b[2J [internal]\nhint:")
    assert "Traceback" not in plain.err
    monkeypatch.setenv("MODSEAL_DEBUG", "1")
    assert "Traceback" in modseal("explain", "--all").err


def test_an_interrupt_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verify.workflows.catalogue.checks", interrupted)
    ran = modseal("explain", "--all")
    assert (ran.code, ran.err.strip()) == (130, "interrupted")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_the_command(shell: str) -> None:
    ran = modseal("completion", shell)
    assert ran.code == 0
    assert "_MODSEAL_COMPLETE" in ran.out


def test_explain_lists_every_check_once() -> None:
    ran = modseal("explain", "--all")
    ids = [line.split()[0] for line in ran.out.splitlines()]
    assert ids == sorted(set(ids))
    assert {"tree.hash", "archive.structure", "report.not-run"} <= set(ids)
    for each in modseal("explain", "--all", "--json").data()["checks"]:
        assert each["meaning"], each["id"]
