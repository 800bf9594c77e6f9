"""`modseal verify tree`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from verify.cli.options import reporting

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.report import Report
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal verify tree                              does the tree agree with its own lock?
  modseal verify tree --sum git:v1.2.0             with the lock of a revision you trust
  modseal verify tree --sum ../sum.pinned.cue      with a lock you keep elsewhere
  modseal verify tree --from ./deps            and with the mirror's bytes
  modseal verify tree --module example.com/net --diff
  modseal verify tree --output sarif=tree.sarif
"""


@click.command("tree", epilog=EPILOG)
@click.argument("folder", default=".", metavar="[DIR]")
@click.option(
    "--sum", "pin", metavar="FILE|sha256:…|git:REV", help="The sum file that counts; pins the verdict."
)
@click.option("--from", "sources", multiple=True, metavar="REF|DIR", help="Also check what lies there.")
@click.option(
    "--cache", metavar="DIR", help="The module cache to check; none for no cache. Default: cue's own."
)
@click.option(
    "--module", "modules", multiple=True, metavar="M", help="Only this module; the account says so."
)
@click.option(
    "--except", "exceptions", multiple=True, metavar="CHECK[:SUBJECT]=REASON", help="Accept a failure."
)
@click.option("--allow-empty", is_flag=True, help="A lock that names no module is fine.")
@click.option("--diff", is_flag=True, help="Show what changed in a file, where the original can be had.")
@click.option("--offline", is_flag=True, help="Ask no registry, whatever --from says.")
@reporting
def command(
    *, folder: str, pin: str | None, sources: tuple[str, ...], cache: str | None, modules: tuple[str, ...],
    exceptions: tuple[str, ...], allow_empty: bool, diff: bool, offline: bool, talk: Talk,
) -> Report:  # fmt: skip
    """Check a workspace against its lock data: every module, in every place that has it.

    The vendored tree, cue's module cache and what --from names are each held to cue.mod/sum.cue.
    """
    from verify.workflows.check_workspace import TreeOrder, check_workspace  # noqa: PLC0415
    from verify.workflows.exceptions import Exemption  # noqa: PLC0415

    def network() -> Connection:
        from verify.workflows.connection import Connection  # noqa: PLC0415 - only where a registry is asked

        return Connection(offline=offline)

    order = TreeOrder(
        root=folder, pin=pin, sources=sources, cache=cache, modules=modules,
        exemptions=tuple(Exemption.parse(each) for each in exceptions),
        allow_empty=allow_empty, diff=diff, environment=os.environ, network=network,
    )  # fmt: skip
    return check_workspace(order, events=talk)
