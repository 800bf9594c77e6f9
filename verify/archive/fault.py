"""What is wrong, or merely unusual, with a zip: values gathered while reading goes on.

`outcome` says how much it matters: FAILED refutes, UNKNOWN is a limit or an emptiness that proves nothing,
NOTED is worth telling and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Exhausted, Malformed, ModsealError
from verify.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 1000  # a hostile zip must not fill memory with what is wrong with it


@dataclass(frozen=True, slots=True)
class Fault:
    """One defect or oddity; `entry` is an untrusted name."""

    check: str
    text: str
    entry: str | None = None
    outcome: Outcome = Outcome.FAILED


class Docket:
    """Faults in the order they were found, at most `MOST` of each outcome: a flood of notes must not drown
    the defect that comes after it.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._room = dict.fromkeys(Outcome, MOST)

    def fail(self, check: str, text: str, entry: str | None = None) -> None:
        """A defect."""
        self._add(Fault(check, text, entry))

    def undecided(self, check: str, text: str, entry: str | None = None) -> None:
        """A limit was reached, or there is nothing to judge."""
        self._add(Fault(check, text, entry, Outcome.UNKNOWN))

    def note(self, check: str, text: str, entry: str | None = None) -> None:
        """Unusual, and harmless."""
        self._add(Fault(check, text, entry, Outcome.NOTED))

    def _add(self, fault: Fault) -> None:
        if self._room[fault.outcome]:
            self._room[fault.outcome] -= 1
            self.faults.append(fault)

    @property
    def sound(self) -> bool:
        """Nothing but notes so far."""
        return all(fault.outcome is Outcome.NOTED for fault in self.faults)


def error_of(faults: Iterable[Fault]) -> ModsealError | None:
    """The first fault that is more than a note as an error; None where there is none."""
    grave = [fault for fault in faults if fault.outcome is not Outcome.NOTED]
    if not grave:
        return None
    first = next((fault for fault in grave if fault.outcome is Outcome.FAILED), grave[0])
    more = f" (and {len(grave) - 1} more)" if len(grave) > 1 else ""
    kind: type[ModsealError] = Malformed
    if first.outcome is Outcome.UNKNOWN:
        kind = Absent if first.check == "archive.empty" else Exhausted
    error = kind(first.text + more, check=first.check)
    return error if first.entry is None else error.within(f"entry {first.entry!r}")
