"""Where the real tools are: what tools/peers built or installed, and only at its pinned version."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import peers as table


@dataclass(frozen=True, slots=True)
class Peers:
    """The table and the folder it is installed in. Calling it gives a tool's path, or ends the test."""

    cache: Path
    wanted: dict[str, table.Peer]
    required: bool

    @classmethod
    def from_environment(cls) -> Peers:
        """As tools/peers sees it; MODSEAL_REQUIRE_PEERS=1 turns absence into failure."""
        return cls(table.cache_folder(), table.load(), os.environ.get("MODSEAL_REQUIRE_PEERS") == "1")

    def __call__(self, name: str) -> str:
        """The path of the tool's binary, as a string."""
        peer = self.wanted.get(name)
        if peer is None:
            pytest.fail(f"no peer is called {name}: see tools/peers.toml", pytrace=False)
        found = table.find(peer, self.cache)
        if found is not None:
            return str(found)
        self._absent(peer)
        raise AssertionError  # not reached: both outcomes of an absent tool raise

    def module(self, program: str, module: str) -> Path:
        """The folder of a Go module at the version that one of our Go programs is built with."""
        self(program)
        asked = ["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module]
        settings = table.environment(self.wanted[program], self.cache)
        return Path(table.run(asked, table.PROGRAMS / program, settings).strip())

    def _absent(self, peer: table.Peer) -> None:
        reason = f"needs {peer.name}: run tools/peers {peer.name}"
        if self.required and peer.required:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason if peer.required else f"{reason} (optional)")
