"""`modseal doctor --write` against real registries says what each is known for."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.support.peers import Peers
from tests.support.real_registries import crane, distribution, olareg
from verify.workflows.doctor import diagnose

if TYPE_CHECKING:
    from pathlib import Path

STARTS = {
    "docker-registry": distribution,
    "olareg": olareg,
    "olareg-without": lambda peer, folder: olareg(peer, folder, "--api-referrer=false"),
    "crane": crane,
}
WITHOUT_API = {"referrers-api": "no", "referrers-listed": "no", "subject-header": "no", "fallback-tag": "yes"}
KNOWN = {
    "docker-registry": {**WITHOUT_API, "any-type": "no", "range": "yes"},
    "olareg": {"referrers-api": "yes", "referrers-listed": "yes", "subject-header": "yes", "range": "yes"},
    "olareg-without": WITHOUT_API,
    "crane": WITHOUT_API,
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.peer(kind.removesuffix("-without"))) for kind in STARTS]
)
def test_what_each_is_known_for(kind: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(STARTS[kind](Peers.from_environment(), tmp_path / kind))
        found = diagnose(f"{host}/scratch/net", write=True)
    told = {each.id: each.ability.value for each in found.probes}
    assert found.exit_code == 0, found
    assert {name: told[name] for name in KNOWN[kind]} == KNOWN[kind]
    assert told["push"] == "yes"
