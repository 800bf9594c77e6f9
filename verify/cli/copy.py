"""`modseal copy`."""

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
  modseal copy oci://ghcr.io/acme/net:v1.4.0 ocidir://./mirror     with all that is attached to it
  modseal copy --all-tags ocidir://./mirror oci://ghcr.io/acme/net
  modseal copy example.com/net@v1.4.0 ocidir://./modules           a CUE module, through CUE_REGISTRY
  modseal copy --no-referrers ocidir://./mirror:v1.4.0 ocidir://./bare:v1.4.0

Exit codes: 0 all copied, 3 something attached may have been missed. Repeated, it copies what is missing.
"""


@click.command("copy", epilog=EPILOG)
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@click.option("--all-tags", is_flag=True, help="Every tag of a repository or folder.")
@click.option("--no-referrers", is_flag=True, help="Leave behind what is attached.")
@click.option("--force", is_flag=True, help="Move the tag of a version that names other content in DST.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@connecting
@talking
def command(
    *, source: str, target: str, all_tags: bool, no_referrers: bool, force: bool, as_json: bool, connection: Connection,
    talk: Talk,
) -> int:  # fmt: skip
    """Copy artifacts between registries and layout folders, with everything attached to them."""
    from verify.workflows.copying import copy  # noqa: PLC0415

    done = copy(
        source, target, connection, all_tags=all_tags, referrers=not no_referrers, force=force, events=talk
    )
    if as_json:
        emit_json(done.as_data())
    else:
        for each in done.copies:
            names = " ".join(f"{done.target.reference.name}:{tag}" for tag in each.tags)
            emit(
                f"{each.descriptor.digest}  {terminal(names or done.target.reference.name)}  {each.referrers} attached\n"
            )
    done.require_complete()
    return 0
