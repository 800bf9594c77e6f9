"""Stores over registries for the contract: ours in memory with each switch, and the real ones."""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support import real_registries as real
from tests.support.peers import Peers
from tests.support.registry import Registry, running
from verify.oci.reference import Reference
from verify.oci.registry import RegistryStore
from verify.transport.client import HttpClient
from verify.transport.credentials import Credential, Secret
from verify.transport.wire import UrllibWire
from verify.workflows.serving import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[[Peers, Path], AbstractContextManager[str]]

OURS: dict[str, dict[str, Any]] = {
    "registry": {},
    "registry-without-referrers-api": {"referrers": False, "relative": True},
    "registry-with-basic": {"auth": "basic"},
    "registry-with-tokens": {"auth": "token", "mounts": False},
    "registry-with-pages": {"page": 2},
}


@contextmanager
def serve(_peer: Peers, folder: Path) -> Iterator[str]:
    """`modseal serve` over an empty folder."""
    folder.mkdir()
    with serving(str(folder), writable=True) as found:
        yield found.address


REAL: dict[str, tuple[tuple[str, ...], Start]] = {
    "docker-registry": (("docker-registry",), real.distribution),
    "docker-registry-with-passwords": (
        ("docker-registry", "htpasswd"),
        lambda peer, folder: real.distribution(peer, folder, "basic"),
    ),
    "docker-registry-with-tokens": (
        ("docker-registry",),
        lambda peer, folder: real.distribution(peer, folder, "token"),
    ),
    "olareg": (("olareg",), real.olareg),
    "olareg-without-referrers-api": (
        ("olareg",),
        lambda peer, folder: real.olareg(peer, folder, "--api-referrer=false"),
    ),
    "crane": (("crane",), real.crane),
    "serve": ((), serve),
}

ONE_POOL = frozenset({"crane"})


class OneKey:
    """One user is known everywhere."""

    def find(self, account: str) -> Credential | None:
        return Credential(user=real.USER, password=Secret(real.PASSWORD), source="tests")


@dataclass
class RegistryStores:
    """Starts each registry once, when it is first needed; every store is another repository."""

    folder: Path
    stack: ExitStack
    own: ExitStack = field(default_factory=ExitStack)
    hosts: dict[str, str] = field(default_factory=dict)
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    def begin_test(self, kind: str) -> None:
        """A registry that keeps one pool of blobs for all repositories is another one in each test."""
        if kind in ONE_POOL and kind in self.hosts:
            del self.hosts[kind]
            self.own.close()

    def host(self, kind: str) -> str:
        if kind not in self.hosts:
            if kind in OURS:
                start: AbstractContextManager[str] = running(Registry(**OURS[kind]))
            else:
                start = REAL[kind][1](Peers.from_environment(), self.folder / f"{kind}{next(self.numbers)}")
            stack = self.own if kind in ONE_POOL else self.stack
            self.hosts[kind] = stack.enter_context(start)
        return self.hosts[kind]

    def __call__(self, kind: str, name: str) -> RegistryStore:
        client = HttpClient(UrllibWire(), keys=OneKey())
        self.stack.callback(client.close)
        reference = Reference.parse(f"{self.host(kind)}/t{next(self.numbers)}/{name}")
        return RegistryStore(reference, client)
