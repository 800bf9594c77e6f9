"""An error on one subject of many becomes a finding, so that the others are still accounted for."""

from __future__ import annotations

from verify.errors import Misused, ModsealError, Undecidable
from verify.report import Check, Finding, Outcome

UNAVAILABLE = Check(
    id="fetch.unavailable",
    title="could not be fetched",
    meaning="A module could not be fetched, so nothing was proved about it. That is neither presence nor absence.",
    remedy="Run again where the registry can be reached, or name a layout folder with --from.",
)
ABSENT = Check(
    id="fetch.absent",
    title="no place has it",
    meaning="Every place that was asked answered, and none has the module.",
    remedy="Check the version in module.cue and the places behind --from.",
)
CHECKS = (ABSENT, UNAVAILABLE)


def finding_of(error: ModsealError, subject: str | None) -> Finding:
    """Its outcome is what its kind of error means. Raises it again where it is the caller's fault, or has no check."""
    from verify.workflows.catalogue import checks  # noqa: PLC0415 - every room's checks, needed only now

    if isinstance(error, Misused):
        raise error
    check = checks().get(error.check or "")
    if check is None:
        if not isinstance(error, Undecidable):
            raise error
        check = UNAVAILABLE
    outcome = Outcome.UNKNOWN if isinstance(error, Undecidable) else Outcome.FAILED
    hints = (error.hint,) if error.hint else ()
    return Finding(check=check, outcome=outcome, subject=subject, message=str(error), hints=hints)
