"""`modseal doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import emit, emit_json, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal doctor ghcr.io/acme/net
  modseal doctor --write registry.example.com/scratch/net
  modseal doctor --json 127.0.0.1:5000/net

\b
Exit codes: 0 everything could be asked, whatever the answers; 3 not.
"""


@click.command("doctor", epilog=EPILOG)
@click.argument("reference", metavar="REF")
@click.option("--write", is_flag=True, help="Also push a few bytes, attach to them, and delete them again.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@talking
def command(*, reference: str, write: bool, as_json: bool, connection: Connection, talk: Talk) -> int:
    """What a registry can do, and what it silently does not.

    Asks only for what is there, unless --write is given.
    """
    from verify.workflows.doctor import diagnose  # noqa: PLC0415

    found = diagnose(reference, write=write, connection=connection, events=talk)
    if as_json:
        emit_json(found.as_data())
        return found.exit_code
    emit(f"{terminal(found.place)}\n")
    for each in found.probes:
        emit(f"  {each.ability.value:<8}{each.title}  ({terminal(each.seen)})\n")
        if each.means:
            emit(f"          {each.means}\n")
    return found.exit_code
