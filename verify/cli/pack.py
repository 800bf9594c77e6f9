"""`modseal pack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, emit_json, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk

EPILOG = """\b
Examples:
  modseal pack ./net -o net.zip               every regular file, stored
  modseal pack --rules cue/1 . -o ../net.zip  what cue itself would publish
  modseal pack git:v1.2.0 -o net.zip          a commit, never the working tree
  modseal pack --deflate ./net -o net.zip     compressed, still the same bytes everywhere

SOURCE_DATE_EPOCH changes nothing: the archive holds no time but 1980-01-01.
"""


@click.command("pack", epilog=EPILOG)
@click.argument("source", default=".", metavar="[DIR|git:REV[:SUBDIR]]")
@click.option(
    "-o", "--out", metavar="FILE", help="Where to write; '-' is stdout. Default: NAME.zip in this folder."
)
@click.option(
    "--store", "encoding", flag_value="store/1", default="store/1", help="Files stored as they are (default)."
)
@click.option("--deflate", "encoding", flag_value="deflate/1", help="Files deflated, by the fixed encoder.")
@click.option(
    "--rules", type=click.Choice(["generic/1", "cue/1"]), default="generic/1", help="What belongs to it."
)
@click.option(
    "--prefix", default="", metavar="TEXT", help="Put TEXT before every name, such as module@version/"
)
@click.option("--keep-exec", is_flag=True, help="Keep the executable bit (git and POSIX sources).")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@talking
def command(
    *,
    source: str,
    out: str | None,
    encoding: str,
    rules: str,
    prefix: str,
    keep_exec: bool,
    as_json: bool,
    talk: Talk,
) -> int:
    """Pack a module tree into its one canonical zip."""
    from verify.workflows.packing import Order, pack  # noqa: PLC0415

    order = Order(
        source=source, out=out, encoding=encoding, rules=rules, prefix=prefix, keep_executable=keep_exec
    )
    packed = pack(order, events=talk)
    if as_json:
        emit_json(packed.as_data())
    elif out != "-":
        emit(f"{packed.digest}  {terminal(packed.path)}\n{packed.tree_hash}  {terminal(packed.path)}\n")
    return 0
