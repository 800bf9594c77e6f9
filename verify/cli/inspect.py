"""`modseal inspect`: a file by its path, an artifact by its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import emit, emit_json, limiting, talking

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits
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
        return _file(target, as_json=as_json, limits=limits, talk=talk)
    from verify.workflows.artifact_inspection import Listed, inspect_artifact  # noqa: PLC0415

    found = inspect_artifact(target, connection, limits=limits, events=talk)
    if as_json:
        emit_json(found.as_data())
        return 0
    from verify.cli.inspect_artifact import lines, tags  # noqa: PLC0415

    emit("".join(f"{line}\n" for line in (tags(found) if isinstance(found, Listed) else lines(found))))
    return 0


def _file(target: str, *, as_json: bool, limits: Limits, talk: Talk) -> int:
    from verify.workflows.inspect_signed import is_document  # noqa: PLC0415

    if is_document(target):
        from verify.cli.inspect_signed import tell  # noqa: PLC0415

        return tell(target, as_json=as_json)
    from verify.cli.inspect_zip import tell as tell_zip  # noqa: PLC0415

    return tell_zip(target, as_json=as_json, limits=limits, talk=talk)
