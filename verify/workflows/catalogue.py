"""Every check there is, from the rooms that own them: one source for explain, SARIF rules and the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.archive import checks as archive_checks
from verify.ecosystems.cue import packchecks as cue_packing_checks
from verify.render import checks as render_checks
from verify.tree import checks as tree_checks
from verify.tree import gitchecks, rules
from verify.workflows import check_archive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.report import Check

_ROOMS: tuple[tuple[Check, ...], ...] = (
    tree_checks.CHECKS,
    gitchecks.CHECKS,
    rules.CHECKS,
    archive_checks.CHECKS,
    cue_packing_checks.CHECKS,
    render_checks.CHECKS,
    check_archive.CHECKS,
)


def checks() -> Mapping[str, Check]:
    """By id, sorted."""
    found = [check for room in _ROOMS for check in room]
    by_id = {check.id: check for check in found}
    if len(by_id) != len(found):
        raise ValueError("two checks share an id")
    return dict(sorted(by_id.items()))
