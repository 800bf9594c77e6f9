"""`modseal inspect`: a zip by its path, an artifact by its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import emit, emit_json, limiting, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.cli.talk import Talk
    from verify.limits import Limits
    from verify.workflows import artifact_inspection
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal inspect net.zip
  modseal inspect --json net.zip
  modseal inspect ocidir://./mirror:v1.4.0          layers, annotations, what is attached
  modseal inspect ocidir://./mirror                 its tags, where there are several
  modseal inspect net.zip.sigstore.json             a bundle, an envelope or a statement
"""


@click.command("inspect", epilog=EPILOG)
@click.argument("target", metavar="FILE|REF")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@limiting
@talking
def command(*, target: str, as_json: bool, connection: Connection, limits: Limits, talk: Talk) -> int:
    """Explain a zip, a bundle or an artifact: what it holds, what is unusual. Nothing here is a verdict."""
    from verify.workflows.targets import names_a_path  # noqa: PLC0415

    if names_a_path(target):
        from verify.cli.inspect_file import tell  # noqa: PLC0415

        return tell(target, as_json=as_json, limits=limits, events=talk)
    from verify.workflows.artifact_inspection import Listed, inspect_artifact  # noqa: PLC0415

    found = inspect_artifact(target, connection, limits=limits, events=talk)
    if as_json:
        emit_json(found.as_data())
    else:
        emit("".join(f"{line}\n" for line in (_tags(found) if isinstance(found, Listed) else _lines(found))))
    return 0


def _tags(found: artifact_inspection.Listed) -> Iterator[str]:
    yield from (
        f"{digest}  {terminal(found.place.reference.name)}:{terminal(tag)}" for tag, digest in found.tags
    )


def _lines(found: artifact_inspection.Explained) -> Iterator[str]:
    yield f"manifest   {found.fetched.digest}, {len(found.fetched.data)} bytes"
    yield f"place      {terminal(found.place.reference.name)}"
    yield f"shape      {terminal(found.shape)}"
    yield f"type       {terminal(found.document.kind or found.fetched.media_type)}"
    for row in found.rows:
        each = row.descriptor
        yield f"  {row.role:<12} {each.digest}  {each.size:>12}  {terminal(each.media_type)}"
        yield from (
            f"    {terminal(key)} = {terminal(value)}" for key, value in sorted(each.annotations.items())
        )
    yield from (
        f"says       {terminal(key)} = {terminal(text)}"
        for key, text in sorted(found.document.annotations.items())
    )
    if found.document.subject is not None:
        yield f"refers to  {found.document.subject.digest}"
    yield f"attached   {terminal(found.why_unknown) if found.attached is None else found.attached}"
