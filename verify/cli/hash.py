"""`modseal hash`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import deliver, emit, emit_json, limiting, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits

EPILOG = """\b
Examples:
  modseal hash ./net                          h1: of a folder
  modseal hash ./net ./net.zip git:v1.2.0     of several things
  modseal hash --list ./net > net.list        the lines the hash is made of
  modseal hash --check net.list ./net         name what changed since
  modseal hash --check net.list --hash h1:… --part templates ./net
"""


@click.command("hash", epilog=EPILOG)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option(
    "--prefix", default="", metavar="TEXT", help="Put TEXT before every name, as Go does: module@version/"
)
@click.option("--list", "as_list", is_flag=True, help="Print the tree list of one target.")
@click.option(
    "--check", "check_list", metavar="LIST", help="Check one target against a tree list; '-' reads stdin."
)
@click.option("--hash", "pin", metavar="H1", help="With --check: the h1: the list itself must have.")
@click.option("--part", metavar="FOLDER", help="With --check: only what lies below FOLDER.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@click.option(
    "-O", "--output", "outputs", multiple=True, metavar="FORMAT[=PATH]", help="With --check: as of a report."
)
@limiting
@talking
def command(
    *, targets: tuple[str, ...], prefix: str, as_list: bool, check_list: str | None, pin: str | None, part: str | None,
    as_json: bool, outputs: tuple[str, ...], limits: Limits, talk: Talk,
) -> int:  # fmt: skip
    """Hash folders, zips, files and git revisions.

    A folder, a zip and a git revision with the same files have the same h1:. A file has a sha256, a zip has both.
    """
    if (as_list or check_list is not None) and len(targets) != 1:
        raise click.UsageError("--list and --check take exactly one target")
    if check_list is None and (pin or part or outputs):
        raise click.UsageError("--hash, --part and --output go with --check")
    if check_list is not None:
        from verify.render.output import parse_outputs  # noqa: PLC0415
        from verify.workflows.check_list import check_against_list  # noqa: PLC0415

        wanted = parse_outputs((*outputs, "json") if as_json and not outputs else outputs)
        report = check_against_list(
            targets[0], check_list, pin=pin, part=part, prefix=prefix, limits=limits, events=talk
        )
        deliver(report, wanted, talk)
        return report.verdict.exit_code
    from verify.workflows.hashing import hash_target, list_target  # noqa: PLC0415

    if as_list:
        emit(list_target(targets[0], prefix=prefix, limits=limits, events=talk))
        return 0
    results = [hash_target(each, prefix=prefix, limits=limits, events=talk) for each in targets]
    if as_json:
        emit_json({"schemaVersion": "modseal.hash/1", "targets": [each.as_data() for each in results]})
    else:
        emit("".join(f"{value}  {terminal(each.target)}\n" for each in results for value in each.values))
    return 0
