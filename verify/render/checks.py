"""What keeps a run from passing although no check failed. Renderers report these, so no gap stays unsaid."""

from __future__ import annotations

from verify.report import Check

NOT_RUN = Check(
    id="report.not-run",
    title="a required check gave no answer",
    meaning="A check that the subject must pass neither passed nor failed, or nothing was required of the subject "
    "at all. What was not checked is not verified, so the run cannot pass.",
    remedy="Run again with -v to see which checks ran; a flag that narrows the run may have left this one out.",
)
NOT_LOCKED = Check(
    id="report.not-locked",
    title="found, and no lock names it",
    meaning="A module lies in the workspace that no lock data names, so nothing says what its bytes must be.",
    remedy="Lock it with `modseal lock`, or remove it.",
)
NOTHING_CHECKED = Check(
    id="report.nothing-checked",
    title="there was nothing to check",
    meaning="No subject was found. An empty run proves nothing, so it is undecidable rather than passed.",
    remedy="Check the target's path. Where an empty lock is expected, say so with --allow-empty.",
)
NOTHING_VERIFIED = Check(
    id="report.nothing-verified",
    title="every subject is excepted",
    meaning="All failures are covered by exceptions and nothing was verified. Exceptions alone prove nothing.",
    remedy="Fix at least one of the excepted failures, or leave the check out of the pipeline and say so there.",
)
EMPTY_LOCK = Check(
    id="report.empty-lock",
    title="nothing was locked",
    meaning="The lock was read completely, names no module, and the caller allowed that with --allow-empty.",
)

CHECKS = (EMPTY_LOCK, NOT_LOCKED, NOT_RUN, NOTHING_CHECKED, NOTHING_VERIFIED)
