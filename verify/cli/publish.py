"""`modseal publish`."""

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
  modseal publish ./net --to ocidir://./mirror:v1.4.0          into a layout folder
  modseal publish ./net --to oci://ghcr.io/acme/net:v1.4.0     into a registry
  modseal publish . --to example.com/net@v1.4.0                a CUE module, through CUE_REGISTRY
  modseal publish net.zip --to ocidir://./mirror --version v1.4.0 --tag latest
  modseal publish --type opentofu ./vpc --to oci://ghcr.io/acme/vpc:1.0.0
  modseal publish --dry-run . --to example.com/net@v1.4.0      the manifest and its digest, nothing else

A version's tag that names other content is not moved without --force. The same content again changes nothing.
"""


@click.command("publish", epilog=EPILOG)
@click.argument("source", default=".", metavar="[DIR|ZIP|git:REV[:SUBDIR]]")
@click.option(
    "--to", required=True, metavar="REF", help="Where to: oci://, ocidir:// or a CUE module@version."
)
@click.option(
    "--type", "kind", type=click.Choice(["cue", "opentofu", "generic"]), help="Default: what it looks like."
)
@click.option("--version", metavar="VERSION", help="The version; default: the tag in --to.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="One more tag, such as latest; repeatable.")
@click.option(
    "--annotation", "annotations", multiple=True, metavar="KEY=VALUE", help="Say this of it; repeatable."
)
@click.option(
    "--created", metavar="TIME", help="Record a time. Default: SOURCE_DATE_EPOCH, but not for CUE; else none."
)
@click.option(
    "--deflate", "encoding", flag_value="deflate/1", default="store/1", help="Pack deflated, not stored."
)
@click.option("--keep-exec", is_flag=True, help="Pack with the executable bit (git and POSIX sources).")
@click.option("--dry-run", is_flag=True, help="Print the manifest and its digest; ask and write nothing.")
@click.option("--force", is_flag=True, help="Move the tag of a version that exists with other content.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@limiting
@talking
def command(
    *, source: str, to: str, kind: str | None, version: str | None, tags: tuple[str, ...],
    annotations: tuple[str, ...], created: str | None, encoding: str, keep_exec: bool, dry_run: bool, force: bool,
    as_json: bool, connection: Connection, limits: Limits, talk: Talk,
) -> int:  # fmt: skip
    """Publish a module as its ecosystem's artifact, and read it back."""
    from verify.workflows.publishing import Order, publish  # noqa: PLC0415

    order = Order(
        source=source, to=to, kind=kind, version=version, tags=tags, annotations=annotations, created=created,
        encoding=encoding, keep_executable=keep_exec, dry_run=dry_run, force=force,
    )  # fmt: skip
    done = publish(order, connection, limits=limits, events=talk)
    if as_json:
        emit_json(done.as_data())
        return 0
    if dry_run:
        emit(f"{done.artifact.data.decode()}\n")
    names = " ".join(f"{done.place.reference.name}:{tag}" for tag in done.tags)
    emit(f"{done.digest}  {terminal(names)}\n{done.payload.tree_hash}  {done.payload.kind.value} module\n")
    return 0
