"""`modseal trust show` and `modseal trust pin`. There is no `update`: see docs/decisions/0171."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, emit_json, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk

EPILOG = """\b
Examples:
  modseal trust show trusted_root.json
  modseal trust pin trusted_root.json
"""


@click.group("trust", epilog=EPILOG)
def command() -> None:
    """Trust roots: which authorities and logs keyless signatures are held against."""


@command.command("show", epilog="\b\nExamples:\n  modseal trust show --json trusted_root.json\n")
@click.argument("file", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@talking
def show(*, file: str, as_json: bool, talk: Talk) -> int:
    """Say what a trust root believes, since when, until when, and how old it is."""
    from verify.workflows.trust import FileTrust, trust_rows  # noqa: PLC0415

    _ = talk
    root, now = FileTrust(Path(file)).load(), datetime.now(UTC)
    rows = trust_rows(root, now)
    if as_json:
        told = [{"kind": e.kind, "name": e.name, "trusted": e.trusted} for e in rows]
        newest = root.newest.isoformat() if root.newest else None
        emit_json({"digest": str(root.digest), "entries": told, "newest": newest})
        return 0
    age = f" ({(now - root.newest).days} days ago)" if root.newest else ""
    lines = [f"{root}{age}"]
    lines += [f"{e.kind:<22} {e.name}  {e.trusted}{'' if e.now else '  (not now)'}" for e in rows]
    emit("".join(f"{terminal(line)}\n" for line in lines))
    return 0


@command.command("pin", epilog="\b\nExamples:\n  modseal trust pin trusted_root.json\n")
@click.argument("file", metavar="FILE")
@talking
def pin(*, file: str, talk: Talk) -> int:
    """Print the digest of a trust root that can be read, for --trusted-root-digest."""
    from verify.workflows.trust import FileTrust  # noqa: PLC0415

    _ = talk
    emit(f"{FileTrust(Path(file)).load().digest}\n")
    return 0
