"""`modseal demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import colourful, emit, talking
from verify.errors import Refuted
from verify.report import Verdict

if TYPE_CHECKING:
    from verify.cli.talk import Talk

EPILOG = """\b
Examples:
  modseal demo

Exit code 0 means the story went as told: the altered module was refuted.
"""


@click.command("demo", epilog=EPILOG)
@talking
def command(*, talk: Talk) -> int:
    """Pack an example module, prove it, change one byte, and watch it fail. Leaves nothing behind."""
    from verify.render import text  # noqa: PLC0415
    from verify.workflows.demo import tell  # noqa: PLC0415

    style = text.Style.COLOUR if colourful() else text.Style.PLAIN
    verdicts = []
    for step in tell(events=talk):
        emit(f"{step.says}\n  $ {step.types}\n")
        emit("".join(f"  {line}\n" for line in step.shows))
        if step.report is not None:
            verdicts.append(step.report.verdict)
            shown = text.render(step.report, style=style) + f"exit code {step.report.verdict.exit_code}\n"
            emit("".join(f"  {line}\n" for line in shown.splitlines()))
        emit("\n")
    if verdicts != [Verdict.PASSED, Verdict.FAILED]:
        raise Refuted(f"demo: expected passed, then failed, got {', '.join(verdicts)}", check="internal")
    return 0
