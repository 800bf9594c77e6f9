r"""One line of a sum file: the bytes one locked module must have.

>>> from verify.digest import TreeHash
>>> entry = SumEntry(key="example.com/net@v1.4.0", tree=TreeHash.from_bytes(bytes(32)))
>>> entry.render()
'\t"example.com/net@v1.4.0": {tree: "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}\n'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Digest, TreeHash

# in the order in which they are written
HASH_FIELDS: Final = ("tree", "modfile", "archive", "manifest", "exec")
FIELDS: Final = (*HASH_FIELDS, "source")


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where the bytes came from, where the key does not say it all. Both are spelt like keys."""

    address: str
    commit: str = ""

    def render(self) -> str:
        """As it stands in the file."""
        commit = f', commit: "{self.commit}"' if self.commit else ""
        return f'{{address: "{self.address}"{commit}}}'


@dataclass(frozen=True, slots=True)
class SumEntry:
    """A module's hashes. `executables` is the field `exec`; `line` is where the entry stood, 0 if nowhere."""

    key: str
    tree: TreeHash | None = None
    modfile: TreeHash | None = None
    archive: Digest | None = None
    manifest: Digest | None = None
    executables: Digest | None = None
    source: Source | None = None
    line: int = field(default=0, compare=False)

    def fields(self) -> dict[str, str]:
        """The hashes it has, by the names of the file."""
        hashes = (self.tree, self.modfile, self.archive, self.manifest, self.executables)
        return {
            name: value.text for name, value in zip(HASH_FIELDS, hashes, strict=True) if value is not None
        }

    def render(self) -> str:
        """Its line, tab and newline included."""
        parts = [f'{name}: "{text}"' for name, text in self.fields().items()]
        if self.source is not None:
            parts.append(f"source: {self.source.render()}")
        return f'\t"{self.key}": {{{", ".join(parts)}}}\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class SumRules:
    """What an ecosystem fixes: its word, the fields every entry has, those it may have, and what a key is."""

    ecosystem: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    check_key: Callable[[str], object]  # raises Malformed for what is no identity here
