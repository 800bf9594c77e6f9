"""`modseal explain`."""

from __future__ import annotations

import difflib

import click

from verify.cli.options import emit, emit_json
from verify.errors import Misused

EPILOG = """\b
Examples:
  modseal explain tree.extra-file
  modseal explain --all                       every check, one line each
"""


@click.command("explain", epilog=EPILOG)
@click.argument("check_id", required=False, metavar="[CHECK-ID]")
@click.option("--all", "everything", is_flag=True, help="List every check.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
def command(*, check_id: str | None, everything: bool, as_json: bool) -> int:
    """Say what a check means and what to do when it fails."""
    from verify.render.explain import explain  # noqa: PLC0415
    from verify.workflows.catalogue import checks  # noqa: PLC0415

    known = checks()
    if check_id is None:
        if not everything:
            raise click.UsageError("name a check, or ask for --all")
        chosen = list(known.values())
    else:
        if check_id not in known:
            close = difflib.get_close_matches(check_id, known, n=1)
            hint = f"modseal explain {close[0]}" if close else "modseal explain --all"
            raise Misused(f"check {check_id!r}: expected the id of a check, got none we know", hint=hint)
        chosen = [known[check_id]]
    if as_json:
        fields = ("id", "title", "meaning", "remedy")
        emit_json(
            {
                "schemaVersion": "modseal.checks/1",
                "checks": [{f: getattr(c, f) for f in fields} for c in chosen],
            }
        )
    elif everything and check_id is None:
        emit("".join(f"{each.id:<32}  {each.title}\n" for each in chosen))
    else:
        emit(explain(chosen[0]) + "\n")
    return 0
