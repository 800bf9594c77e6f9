"""Options that many commands share, as decorators: how to talk, where results go, which limits apply.

A command decorated with `reporting` returns a Report; the decorator renders it to every `--output` and turns
its verdict into the exit code. A command decorated with `talking` gets a `talk` (the Events port).
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from verify.cli.talk import Talk
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.render.output import Output
    from verify.report import Report

Command: TypeAlias = "Callable[..., Any]"


def talking(function: Command) -> Command:
    """Adds -q, -v and --no-progress; passes them on as `talk`."""

    @click.option("-v", "--verbose", count=True, help="Say more; -vv shows the trace of an internal error.")
    @click.option("-q", "--quiet", is_flag=True, help="Only results and errors.")
    @click.option("--no-progress", is_flag=True, help="No progress bars.")
    @functools.wraps(function)
    def wrapped(*args: Any, verbose: int, quiet: bool, no_progress: bool, **kwargs: Any) -> Any:
        talk = Talk(verbosity=-1 if quiet else verbose, progress=not no_progress)
        return function(*args, talk=talk, **kwargs)

    return wrapped


def reporting(function: Command) -> Command:
    """Adds --output; renders the Report the command returns and exits by its verdict."""

    @talking
    @click.option(
        "-O",
        "--output",
        "outputs",
        multiple=True,
        metavar="FORMAT[=PATH]",
        help="text, json, sarif, junit, github, markdown or html; repeatable; without =PATH on stdout.",
    )
    @functools.wraps(function)
    def wrapped(*args: Any, outputs: tuple[str, ...], talk: Talk, **kwargs: Any) -> int:
        from verify.render.output import parse_outputs  # noqa: PLC0415 - loaded by commands that report

        wanted = parse_outputs(outputs)  # before the work: a typo must not cost the run
        report: Report = function(*args, talk=talk, **kwargs)
        deliver(report, wanted, talk)
        return report.verdict.exit_code

    return wrapped


def deliver(report: Report, outputs: tuple[Output, ...], talk: Talk) -> None:
    """Write a report to each output."""
    from verify.render import FORMATS, text  # noqa: PLC0415
    from verify.workflows.outputs import write_atomically  # noqa: PLC0415

    for output in outputs:
        if output.format == "text" and output.path is None:
            style = text.Style.COLOUR if colourful() else text.Style.PLAIN
            emit(text.render(report, style=style, verbose=talk.verbosity > 0))
        elif output.path is None:
            emit(FORMATS[output.format](report))
        else:
            write_atomically(Path(output.path), FORMATS[output.format](report).encode("utf-8"))


def colourful() -> bool:
    """Colour on a terminal, unless NO_COLOR says otherwise."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def emit(text: str) -> None:
    """To stdout as UTF-8, whatever the locale: results are data."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def emit_json(value: object) -> None:
    """One JSON document, the same bytes for the same value."""
    import json  # noqa: PLC0415 - most output is for people

    emit(json.dumps(value, indent=2, sort_keys=True) + "\n")


def limiting(function: Command) -> Command:
    """Adds the flags that raise the limits on archives; passes `limits`."""

    @click.option("--max-bytes", type=click.IntRange(1), help="Most bytes an archive may unpack to.")
    @click.option("--max-entries", type=click.IntRange(1), help="Most entries an archive may have.")
    @click.option(
        "--max-ratio", type=click.IntRange(1), help="Most times larger than packed an archive may be."
    )
    @functools.wraps(function)
    def wrapped(
        *args: Any, max_bytes: int | None, max_entries: int | None, max_ratio: int | None, **kwargs: Any
    ) -> Any:
        limits: Limits = DEFAULT
        if max_bytes is not None:
            limits = replace(
                limits, archive_total=max_bytes, archive_bytes=max(limits.archive_bytes, max_bytes)
            )
        if max_entries is not None:
            limits = replace(limits, archive_entries=max_entries)
        if max_ratio is not None:
            limits = replace(limits, archive_ratio=max_ratio, archive_ratio_floor=0)
        return function(*args, limits=limits, **kwargs)

    return wrapped
