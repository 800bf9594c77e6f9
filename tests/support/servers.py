"""Where artifacts can lie, as each tool names it: a layout folder, or a repository in a real registry.

A registry more is one line in `REGISTRIES`.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support import real_registries as real
from tests.support.server import free_port, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager, ExitStack
    from pathlib import Path

    from tests.support.peers import Peers

    Start = Callable[[Peers, Path], AbstractContextManager[str]]


@contextmanager
def cue_registry(peer: Peers, folder: Path) -> Iterator[str]:
    """In memory, with tags that do not move: what cue itself tests with."""
    folder.mkdir(parents=True)
    address = f"127.0.0.1:{free_port()}"
    with serving([peer("cue"), "mod", "registry", address], int(address.rpartition(":")[2]), folder / "log"):
        yield address


LAYOUT = "layout"
REGISTRIES: dict[str, tuple[str, Start]] = {  # the tool that it takes, and how it starts
    "docker-registry": ("docker-registry", real.distribution),
    "olareg": ("olareg", real.olareg),
    "crane": ("crane", real.crane),
    "cue": ("cue", cue_registry),
}


@dataclass(frozen=True)
class Home:
    """One repository or folder. `name` stands before `:tag` in references of ours and of regctl's."""

    kind: str
    name: str

    @property
    def ours(self) -> str:
        """As `modseal` names it."""
        return self.name if self.kind == LAYOUT else f"oci://{self.name}"

    def oras(self, *verb: str, tag: str) -> list[str]:
        """The arguments of oras for it."""
        if self.kind == LAYOUT:
            return [*verb, "--oci-layout", f"{self.name.removeprefix('ocidir://')}:{tag}"]
        return [*verb, "--plain-http", f"{self.name}:{tag}"]

    def regctl(self, *verb: str) -> list[str]:
        """The arguments of regctl before the reference."""
        if self.kind == LAYOUT:
            return list(verb)
        return ["--host", f"reg={self.name.partition('/')[0]},tls=disabled", *verb]


@dataclass
class Homes:
    """Starts each registry once, when it is first needed; every home is another repository."""

    folder: Path
    stack: ExitStack
    peer: Peers
    hosts: dict[str, str] = field(default_factory=dict)
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    def host(self, kind: str) -> str:
        if kind not in self.hosts:
            start = REGISTRIES[kind][1](self.peer, self.folder / kind)
            self.hosts[kind] = self.stack.enter_context(start)
        return self.hosts[kind]

    def __call__(self, kind: str) -> Home:
        number = next(self.numbers)
        if kind == LAYOUT:
            return Home(kind, f"ocidir://{self.folder}/layout{number}")
        return Home(kind, f"{self.host(kind)}/t{number}/net")
