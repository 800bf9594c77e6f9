"""`modseal pull`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import emit, emit_json, limiting, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal pull ocidir://./mirror:v1.4.0 -o ./net
  modseal pull oci://ghcr.io/acme/net@sha256:… -o ./net    exactly these bytes
  modseal pull example.com/net@v1.4.0 -o ./net             a CUE module, through CUE_REGISTRY
  modseal pull oci://ghcr.io/acme/net:v1.4.0 --keep-archive net.zip
"""


@click.command("pull", epilog=EPILOG)
@click.argument("reference", metavar="REF")
@click.option("-o", "--out", "folder", metavar="DIR", help="Unpack into this new or empty folder.")
@click.option("--keep-archive", "keep", metavar="FILE", help="Keep the archive itself.")
@click.option("--keep-exec", is_flag=True, help="Unpack with the executable bit where the archive has it.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@limiting
@talking
def command(
    *,
    reference: str,
    folder: str | None,
    keep: str | None,
    keep_exec: bool,
    as_json: bool,
    connection: Connection,
    limits: Limits,
    talk: Talk,
) -> int:
    """Fetch an artifact, check every byte, and unpack it or keep its archive."""
    if folder is None and keep is None:
        raise click.UsageError("expected -o DIR, --keep-archive FILE, or both")
    from verify.workflows.pulling import pull  # noqa: PLC0415

    done = pull(
        reference, connection, folder=folder, keep=keep, keep_executable=keep_exec, limits=limits, events=talk
    )
    if as_json:
        emit_json(done.as_data())
        return 0
    lines = [
        f"{done.digest}  {terminal(done.place.reference.name)}",
        f"{done.archive.digest}  {terminal(keep or 'archive')}",
    ]
    if done.tree_hash is not None:
        lines.append(f"{done.tree_hash}  {terminal(folder or 'tree')}")
    emit("\n".join(lines) + "\n")
    return 0
