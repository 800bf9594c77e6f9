"""Options of commands that open or make a private key, as a decorator: where the passphrase comes from."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from verify.cli.options import Command


def unlocking(function: Command) -> Command:
    """Adds --passphrase-file and --passphrase-fd; passes `passphrase` (a PassphraseSource)."""

    @click.option("--passphrase-file", metavar="FILE", help="A file whose one line is the passphrase.")
    @click.option(
        "--passphrase-fd", type=click.IntRange(0), metavar="N", help="A file descriptor to read it from."
    )
    @functools.wraps(function)
    def wrapped(*args: Any, passphrase_file: str | None, passphrase_fd: int | None, **kwargs: Any) -> Any:
        from verify.workflows.passphrase import PassphraseSource, environment  # noqa: PLC0415

        source = PassphraseSource(
            environment=environment(),
            file=passphrase_file,
            descriptor=passphrase_fd,
            prompt=_ask if sys.stdin.isatty() else None,
        )
        return function(*args, passphrase=source, **kwargs)

    return wrapped


def _ask(new: bool) -> str:
    text = "Passphrase for the new key" if new else "Passphrase"
    answer: str = click.prompt(text, hide_input=True, confirmation_prompt=new, err=True)
    return answer
