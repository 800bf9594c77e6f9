"""`modseal vendor`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from verify.cli.connecting import connecting
from verify.cli.options import deliver, emit, emit_json, talking
from verify.events import Level
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.connection import Connection

EPILOG = """\b
Examples:
  modseal vendor --from ./deps                  cue.mod/vendor from layout folders
  modseal vendor --check                            is it what the lock says, all of it?
  modseal vendor --restore example.com/net@v1.4.0   one module as it was
  modseal vendor --from ./deps --cache ./cue-cache
    CUE_CACHE_DIR=./cue-cache CUE_REGISTRY=none cue export     (what an unmodified cue reads)
"""


@click.command("vendor", epilog=EPILOG)
@click.argument("folder", default=".", metavar="[DIR]")
@click.option("-o", "--out", metavar="DIR", help="Write the tree there instead of cue.mod/vendor.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 unless it is what the lock says.")
@click.option("--restore", multiple=True, metavar="MODULE", help="Write only this module anew.")
@click.option("--cache", metavar="DIR", help="Fill a module cache for cue instead (CUE_CACHE_DIR).")
@click.option(
    "--from", "sources", multiple=True, metavar="REF|DIR", help="Where to fetch; default: CUE_REGISTRY."
)
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@click.option(
    "-O", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help="With --check: as of a report."
)
@connecting
@talking
def command(
    *, folder: str, out: str | None, check: bool, restore: tuple[str, ...], cache: str | None,
    sources: tuple[str, ...], as_json: bool, outputs: tuple[str, ...], connection: Connection, talk: Talk,
) -> int:  # fmt: skip
    """Write the vendored tree from the lock: every module of the build list, nothing else.

    cue itself does not read cue.mod/vendor. With --cache, what is written works with an unmodified cue.
    """
    if check:
        from verify.render.output import parse_outputs  # noqa: PLC0415
        from verify.workflows.check_workspace import check_vendor  # noqa: PLC0415

        wanted = parse_outputs((*outputs, "json") if as_json and not outputs else outputs)
        report = check_vendor(folder, environment=os.environ, events=talk)
        deliver(report, wanted, talk)
        return report.verdict.exit_code
    if cache is not None and (out is not None or restore):
        raise click.UsageError("--cache stands alone")
    from verify.workflows.cache_filling import fill_cache  # noqa: PLC0415
    from verify.workflows.vendoring import VendorOrder, vendor  # noqa: PLC0415

    order = VendorOrder(
        root=folder,
        out=out,
        sources=sources,
        restore=restore,
        environment=os.environ,
        network=lambda: connection,
    )
    done = vendor(order, events=talk) if cache is None else fill_cache(order, cache, events=talk)
    if as_json:
        emit_json(done.as_data())
    else:
        emit(f"{len(done.modules)} modules, {done.files} files in {terminal(done.folder)}\n")
    talk.note(Level.WARNING, done.advice)
    return 0
