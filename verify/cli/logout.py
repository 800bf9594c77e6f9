"""`modseal logout`."""

from __future__ import annotations

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
  modseal logout ghcr.io
  modseal logout --authfile ci.json registry.example.com/team
"""


@click.command("logout", epilog=EPILOG)
@click.argument("registry", metavar="REGISTRY")
@connecting
@talking
def command(*, registry: str, connection: Connection, talk: Talk) -> int:
    """Forget the credential that login kept. Those that other tools keep elsewhere stay."""
    from verify.workflows.logging_in import log_out  # noqa: PLC0415

    account, known = log_out(registry, connection=connection)
    if known:
        emit(f"{terminal(account)}\n")
    else:
        talk.note(Level.WARNING, f"no credential was kept for {account}")
    return 0
