"""A CUE module's own lock before it is published: a stale one must not leave the house.

1. A folder with dependencies and a sum file is looked at as `lock --check` does, with what lies on this machine.
   What that refutes is Refuted (`publish.lock-stale`): an entry missing, surplus or not canonical, another version.
2. Where nobody can say (modules whose requirements are not at hand), or there is no sum file at all, that is a
   warning: publishing proves nothing about dependencies, and the consumer's own lock decides.
3. A zip or a git revision has no workspace around it; whoever packs it checks its lock first.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.ecosystems.cue.sums import SUM_PATH
from verify.errors import Absent, Malformed, Refuted
from verify.events import Events, Level
from verify.report import Outcome, Verdict
from verify.tree.below import lies_below
from verify.workflows.artifact_checks import LOCK_STALE
from verify.workflows.lock_check import check_lock
from verify.workflows.targets import PathTarget, parse_target

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.report import Report
    from verify.workflows.payload import Payload

HINT = "modseal lock --check says more; modseal lock mends it"


def refuse_stale_lock(source: str, payload: Payload, *, limits: Limits, events: Events) -> None:
    """Raises Refuted (`publish.lock-stale`), and what reading the workspace raises."""
    target = parse_target(source, bare_paths=True)
    if payload.declared is None or not isinstance(target, PathTarget) or not target.path.is_dir():
        return
    root = str(target.path)
    if not lies_below(root, SUM_PATH):
        if payload.declared.deps:
            events.note(Level.WARNING, f"{root}: no {SUM_PATH}: nothing says what its dependencies must be")
        return
    try:
        report = check_lock(root, sources=(), environment=os.environ, limits=limits)
    except (Absent, Malformed) as error:
        raise _stale(root, str(error)) from error
    if report.verdict is Verdict.FAILED:
        raise _stale(root, _first(report, Outcome.FAILED))
    if report.verdict is Verdict.UNKNOWN:
        events.note(
            Level.WARNING,
            f"{root}: cannot tell whether {SUM_PATH} is complete: {_first(report, Outcome.UNKNOWN)}",
        )


def _stale(root: str, why: str) -> Refuted:
    return Refuted(f"{root}: the module's own lock is stale: {why}", check=LOCK_STALE.id, hint=HINT)


def _first(report: Report, outcome: Outcome) -> str:
    found = [each for each in report.findings if each.outcome is outcome]
    if not found:
        return str(report.account)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{found[0].check.id} {found[0].subject or ''}: {found[0].message}{more}"
