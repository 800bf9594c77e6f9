"""What every test may ask for.

`@pytest.mark.peer("cue", "oras")` says which real tools a test needs: it runs only where all of them are
installed at their pinned versions. Elsewhere it is skipped with a reason that says what to type, or fails
under MODSEAL_REQUIRE_PEERS=1. The fixture `peer` gives their paths: `peer("cue")`.
"""

from __future__ import annotations

import pytest

from tests.support.peers import Peers


@pytest.fixture(scope="session")
def peer() -> Peers:
    """Call it with a tool's name for the path of its binary."""
    return Peers.from_environment()


@pytest.fixture(autouse=True)
def _marked_peers(request: pytest.FixtureRequest) -> None:
    """Look for what the marker names before the test begins, whether or not it asks for the path."""
    names = [name for mark in request.node.iter_markers("peer") for name in mark.args]
    if names:
        find = Peers.from_environment()
        for name in names:
            find(name)
