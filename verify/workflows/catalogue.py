"""Every check there is, from the rooms that own them: one source for explain, SARIF rules and the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.archive import checks as archive_checks
from verify.cuedata import checks as cuedata_checks
from verify.ecosystems import shape
from verify.ecosystems.cue import checks as cue_checks
from verify.ecosystems.cue import packchecks
from verify.oci import checks as oci_checks
from verify.oci import registrychecks
from verify.render import checks as render_checks
from verify.signing import checks as signing_checks
from verify.sums import checks as sum_checks
from verify.transport import checks as transport_checks
from verify.tree import checks as tree_checks
from verify.tree import gitchecks, rules
from verify.workflows import artifact_checks, check_archive, shared_checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.report import Check

_ROOMS: tuple[tuple[Check, ...], ...] = (
    tree_checks.CHECKS,
    gitchecks.CHECKS,
    rules.CHECKS,
    archive_checks.CHECKS,
    cuedata_checks.CHECKS,
    oci_checks.CHECKS,
    registrychecks.CHECKS,
    transport_checks.CHECKS,
    sum_checks.CHECKS,
    shape.CHECKS,
    cue_checks.CHECKS,
    packchecks.CHECKS,
    render_checks.CHECKS,
    signing_checks.CHECKS,
    check_archive.CHECKS,
    shared_checks.CHECKS,
    artifact_checks.CHECKS,
)


def checks() -> Mapping[str, Check]:
    """By id, sorted."""
    found = [check for room in _ROOMS for check in room]
    by_id = {check.id: check for check in found}
    if len(by_id) != len(found):
        twice = sorted({check.id for check in found if by_id[check.id] is not check})
        raise ValueError(f"checks share an id: {twice}")
    return dict(sorted(by_id.items()))
