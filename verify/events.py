"""Progress and log events as a port; the command line renders them, a library user may ignore them.

Long work calls `begin` once, `advance` as often as it likes and `end` exactly once; `note` says something
a person may want to know. Implementations must be cheap and must not raise.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class Level(StrEnum):
    """How much a note matters."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"


class Events(Protocol):
    """Where work tells how it goes."""

    def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
        """Work named `task` starts; `total` in `unit` where it is known."""

    def advance(self, task: str, amount: int) -> None:
        """`amount` more is done."""

    def end(self, task: str) -> None:
        """The work is over, whatever came of it."""

    def note(self, level: Level, text: str) -> None:
        """Something to tell; `text` may hold untrusted names and is escaped by whoever renders it."""


class Silent:
    """Says nothing: the default everywhere."""

    def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
        """Nothing."""

    def advance(self, task: str, amount: int) -> None:
        """Nothing."""

    def end(self, task: str) -> None:
        """Nothing."""

    def note(self, level: Level, text: str) -> None:
        """Nothing."""


SILENT = Silent()
