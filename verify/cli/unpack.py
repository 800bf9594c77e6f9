"""`modseal unpack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, emit_json, limiting, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits

EPILOG = """\b
Examples:
  modseal unpack net.zip ./net
  modseal unpack --hash h1:… net.zip ./net    only if it is the right one
"""


@click.command("unpack", epilog=EPILOG)
@click.argument("archive", metavar="ZIP")
@click.argument("folder", metavar="DIR")
@click.option("--hash", "expected", metavar="H1|SHA256", help="What the archive must be.")
@click.option("--keep-exec", is_flag=True, help="Keep the executable bit of files that have it.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@limiting
@talking
def command(
    *,
    archive: str,
    folder: str,
    expected: str | None,
    keep_exec: bool,
    as_json: bool,
    limits: Limits,
    talk: Talk,
) -> int:
    """Unpack a zip into a new or empty folder, or leave nothing behind."""
    from verify.workflows.unpacking import unpack_archive  # noqa: PLC0415

    done = unpack_archive(
        archive, folder, expected=expected, keep_executable=keep_exec, limits=limits, events=talk
    )
    if as_json:
        emit_json(done.as_data())
    else:
        emit(f"{done.tree_hash}  {terminal(folder)}\n")
    return 0
