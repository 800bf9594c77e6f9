"""`modseal attach`."""

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
  modseal attach ocidir://./mirror:v1.4.0 sbom.json --type application/spdx+json
  modseal attach oci://ghcr.io/acme/net:v1.4.0 notes.md --type application/vnd.example.notes --annotation by=net
"""


@click.command("attach", epilog=EPILOG)
@click.argument("reference", metavar="REF")
@click.argument("file", metavar="FILE")
@click.option("--type", "kind", required=True, metavar="T", help="The artifact type by which it is found.")
@click.option("--media-type", metavar="TYPE", help="Of the file itself. Default: the artifact type.")
@click.option(
    "--annotation", "annotations", multiple=True, metavar="KEY=VALUE", help="Say this of it; repeatable."
)
@click.option("--created", metavar="TIME", help="Record a time. Default: SOURCE_DATE_EPOCH, else none.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@talking
def command(
    *, reference: str, file: str, kind: str, media_type: str | None, annotations: tuple[str, ...],
    created: str | None, as_json: bool, connection: Connection, talk: Talk,
) -> int:  # fmt: skip
    """Attach any file to an artifact, and see that it is listed there."""
    from verify.workflows.attaching import Order, attach  # noqa: PLC0415

    order = Order(
        reference=reference,
        path=file,
        kind=kind,
        media_type=media_type,
        annotations=annotations,
        created=created,
    )
    done = attach(order, connection, events=talk)
    if as_json:
        emit_json(done.as_data())
    else:
        emit(
            f"{done.artifact.descriptor.digest}  attached to {terminal(done.place.reference.name)}@{done.subject}\n"
        )
    return 0
