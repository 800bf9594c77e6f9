"""What the command line says while it works: on stderr, never on stdout.

`Talk` is the Events port for people. A bar appears for work that takes longer than a second and only on a
terminal; `rich` is loaded at that moment and not before, because a hash of a small folder needs no bar.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from verify.events import Level
from verify.render.escape import terminal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.0  # seconds before a bar appears


class _Work:
    __slots__ = ("bar", "done", "since", "total", "unit")

    def __init__(self, total: int | None, unit: str, since: float) -> None:
        self.total = total
        self.unit = unit
        self.since = since
        self.done = 0
        self.bar: TaskID | None = None


class Talk:
    """Events for people: notes as lines, long work as bars."""

    def __init__(self, verbosity: int = 0, *, progress: bool = True) -> None:
        self.verbosity = verbosity
        self.progress = progress
        self._bars: Progress | None = None
        self._works: dict[str, _Work] = {}

    def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
        """Remember when it started; show nothing yet."""
        self._works[task] = _Work(total, unit, time.monotonic())

    def advance(self, task: str, amount: int) -> None:
        """Count, and show a bar once the work has proved long."""
        work = self._works.get(task)
        if work is None:
            return
        work.done += amount
        if not self.progress or self.verbosity < 0:
            return
        if work.bar is None and time.monotonic() - work.since > _PATIENCE and sys.stderr.isatty():
            self._show(task, work)
        if work.bar is not None and self._bars is not None:
            self._bars.update(work.bar, completed=work.done)

    def _show(self, task: str, work: _Work) -> None:
        from rich.console import Console  # noqa: PLC0415 - only long work on a terminal pays for it
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

        if self._bars is None:
            amount = DownloadColumn() if work.unit == "B" else MofNCompleteColumn()
            columns = (TextColumn("{task.description}"), BarColumn(), amount)
            self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bars.start()
        work.bar = self._bars.add_task(escape(terminal(task)), total=work.total, completed=work.done)

    def end(self, task: str) -> None:
        """Take its bar away."""
        work = self._works.pop(task, None)
        if work is not None and work.bar is not None and self._bars is not None:
            self._bars.remove_task(work.bar)
            if not self._works:
                self._bars.stop()
                self._bars = None

    def note(self, level: Level, text: str) -> None:
        """Warnings always but when quiet; the rest when asked."""
        wanted = {Level.WARNING: 0, Level.INFO: 1, Level.DEBUG: 2}[level]
        if self.verbosity >= wanted:
            label = "" if level is Level.INFO else f"{level.value}: "
            sys.stderr.write(f"{label}{terminal(text)}\n")
