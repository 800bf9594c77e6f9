"""`modseal lock`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import deliver, talking

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal lock --from ./deps                    from layout folders
  modseal lock --check                              in CI: complete, canonical, minimal?
  modseal lock --from ./deps --update example.com/log@v1.1.0
  modseal lock --merge base.cue ours.cue theirs.cue         as a merge driver of git: %O %A %B
"""


@click.command("lock", epilog=EPILOG)
@click.argument("folder", default=".", metavar="[DIR]")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 unless the sum file is as it should be.")
@click.option("--update", multiple=True, metavar="MODULE", help="Accept other bytes for this locked module.")
@click.option(
    "--from", "sources", multiple=True, metavar="REF|DIR",
    help="Where to fetch: ./DIR, ocidir://DIR or oci://HOST/PREFIX, asked in order. Default: CUE_REGISTRY.",
)  # fmt: skip
@click.option("--trust-cache", is_flag=True, help="Lock what lies in cue's module cache; the entries say so.")
@click.option("--merge", nargs=3, metavar="BASE OURS THEIRS", help="Merge three sum files into OURS.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@click.option(
    "-O",
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[=PATH]",
    help="As of every report; repeatable.",
)
@connecting
@talking
def command(
    *, folder: str, check: bool, update: tuple[str, ...], sources: tuple[str, ...], trust_cache: bool,
    merge: tuple[str, str, str] | None, as_json: bool, outputs: tuple[str, ...], connection: Connection, talk: Talk,
) -> int:  # fmt: skip
    """Write cue.mod/sum.cue: what the bytes of every module of the build list must be.

    An entry that exists is never changed unless --update names it.
    """
    from verify.render.output import parse_outputs  # noqa: PLC0415
    from verify.workflows.lock_check import check_lock, merge_locks  # noqa: PLC0415

    if ((check or merge) and (update or trust_cache)) or (check and merge):
        raise click.UsageError("--check and --merge stand alone")
    wanted = parse_outputs((*outputs, "json") if as_json and not outputs else outputs)
    if merge:
        report = merge_locks(*merge)
    elif check:
        report = check_lock(folder, sources=sources, environment=os.environ, network=lambda: connection)
    else:
        from verify.workflows.locking import LockOrder, lock  # noqa: PLC0415

        order = LockOrder(
            root=folder,
            sources=sources,
            update=update,
            trust_cache=trust_cache,
            environment=os.environ,
            network=lambda: connection,
        )
        report = lock(order, events=talk)
    deliver(report, wanted, talk)
    return report.verdict.exit_code
