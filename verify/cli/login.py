"""`modseal login`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import emit, talking
from verify.events import Level
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal login ghcr.io                                     asks for user and password
  modseal login -u ada --password-stdin ghcr.io < token.txt
  modseal login --authfile ci.json -u ci --password-stdin registry.example.com/team < token.txt
"""


@click.command("login", epilog=EPILOG)
@click.argument("registry", metavar="REGISTRY")
@click.option("-u", "--username", metavar="USER", help="Who; asked for on a terminal.")
@click.option("--password-stdin", is_flag=True, help="Read the password, or a token, from stdin.")
@connecting
@talking
def command(
    *, registry: str, username: str | None, password_stdin: bool, connection: Connection, talk: Talk
) -> int:
    """Try a credential at a registry and keep it for later.

    It is kept where Podman, skopeo and crane find it too, or by the program that the file names. A password
    is never an argument: other users of the machine could read it.
    """
    from verify.transport.credentials import Secret  # noqa: PLC0415
    from verify.workflows.logging_in import log_in  # noqa: PLC0415

    if password_stdin:
        if username is None:
            raise click.UsageError("--password-stdin needs --username")
        password = sys.stdin.buffer.read(1 << 16).decode("utf-8").rstrip("\r\n")
    elif sys.stdin.isatty():
        username = username or click.prompt("Username", err=True)
        password = click.prompt("Password", hide_input=True, err=True)
    else:
        raise click.UsageError("no terminal to ask on: use --username and --password-stdin")
    done = log_in(registry, username, Secret(password), connection=connection)
    if done.anonymous:
        talk.note(Level.WARNING, f"{done.account} did not ask who we are, so the password was not tried")
    emit(f"{terminal(done.account)}  {terminal(done.kept)}\n")
    return 0
