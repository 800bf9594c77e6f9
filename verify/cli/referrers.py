"""`modseal referrers`."""

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
  modseal referrers ocidir://./mirror:v1.4.0
  modseal referrers --type application/vnd.dev.sigstore.bundle.v0.3+json oci://ghcr.io/acme/net:v1.4.0
  modseal referrers --repair oci://ghcr.io/acme/net:v1.4.0    rebuild the list where it is a tag

Exit codes: 0 the list is complete, also where nothing is attached; 3 it cannot be had, or is incomplete.
What is listed is not verified.
"""


@click.command("referrers", epilog=EPILOG)
@click.argument("reference", metavar="REF")
@click.option("--type", "kind", metavar="T", help="Only what has this artifact type.")
@click.option("--repair", is_flag=True, help="Rebuild the list where the registry keeps it as a tag.")
@click.option(
    "--known", multiple=True, metavar="DIGEST", help="With --repair: this is attached too; repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@talking
def command(
    *,
    reference: str,
    kind: str | None,
    repair: bool,
    known: tuple[str, ...],
    as_json: bool,
    connection: Connection,
    talk: Talk,
) -> int:
    """Show what is attached to an artifact, and what is attached to that."""
    from verify.cli.referrer_tree import repair_lines, tree_lines  # noqa: PLC0415
    from verify.workflows.attached import list_attached, repair_list  # noqa: PLC0415

    if (known and not repair) or (repair and kind is not None):
        raise click.UsageError("--known goes with --repair, --type does not")
    if repair:
        mended = repair_list(reference, connection, known=known, events=talk)
        emit_json(mended.as_data()) if as_json else emit(
            "".join(f"{line}\n" for line in repair_lines(mended))
        )
        return 0
    listed = list_attached(reference, connection, kind=kind, events=talk)
    if as_json:
        emit_json(listed.as_data())
    else:
        emit("".join(f"{line}\n" for line in (terminal(listed.subject), *tree_lines(listed.root, ""))))
        if listed.root.whole and not listed.root.children:
            emit("none attached\n")
    listed.require_complete()
    return 0
