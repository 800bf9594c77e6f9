"""`modseal hash`: identities of folders, zips, files and git revisions.

A hash sees names and contents of regular files only. A tree in which something else lies (a link, a device, a
name no list can carry) is refused rather than hashed around it; what is harmless but worth knowing (hard
links, empty folders) becomes a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.digest import Digest, TreeHash, measure
from verify.errors import Refuted
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.tree.hashing import hash_tree
from verify.tree.port import HARMLESS
from verify.workflows.sources import Source, open_source

if TYPE_CHECKING:
    from verify.tree.port import Tree

_WHOLE = 1 << 62
_NOTES = 20  # more are counted, not told


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """What one target is."""

    target: str
    kind: str
    tree_hash: TreeHash | None = None
    digest: Digest | None = None
    files: int | None = None
    size: int | None = None
    commit: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Its identities, the tree hash first."""
        return tuple(str(each) for each in (self.tree_hash, self.digest) if each is not None)

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "target": self.target,
            "kind": self.kind,
            "h1": str(self.tree_hash) if self.tree_hash else None,
            "dirHash": self.tree_hash.hex if self.tree_hash else None,
            "sha256": self.digest.hex if self.digest else None,
            "files": self.files,
            "bytes": self.size,
            "commit": self.commit,
            "notes": list(self.notes),
        }


def hash_target(
    target: str, *, prefix: str = "", limits: Limits = DEFAULT, events: Events = SILENT
) -> Hashed:
    """Raises what opening and reading raises, and Refuted where a hash would not see everything."""
    with open_source(target, limits=limits, events=events) as source:
        notes = list(source.notes)
        digest = size = None
        if source.file is not None:
            source.file.seek(0)
            measured = measure(source.file, most=_WHOLE)
            digest, size = measured.digest, measured.size
        if source.tree is None:
            tree_hash = source.listing.tree_hash if source.listing is not None else None
            files = len(source.listing.names) if source.listing is not None else None
            kind = source.kind.value if source.kind is not None else "file"
            return Hashed(
                target=target, kind=kind, tree_hash=tree_hash, digest=digest, files=files, size=size
            )
        notes += _judged(source.tree, target)
        _warn_if_empty(source, events)
        tree_hash = hash_tree(source.tree, prefix)
        files = len(source.tree.entries())
        if source.archive is None:
            size = sum(entry.size for entry in source.tree.entries())
    for note in notes:
        events.note(Level.WARNING, f"{target}: {note}")
    return Hashed(
        target=target,
        kind=source.kind.value if source.kind is not None else "git",
        tree_hash=tree_hash,
        digest=digest,
        files=files,
        size=size,
        commit=source.commit,
        notes=tuple(notes),
    )


def list_target(target: str, *, prefix: str = "", limits: Limits = DEFAULT, events: Events = SILENT) -> str:
    """The tree list of one target."""
    with open_source(target, limits=limits, events=events) as source:
        from verify.tree.listing import TreeList  # noqa: PLC0415 - a plain hash needs no list

        _judged(source.hashed(), target)
        _warn_if_empty(source, events)
        return TreeList.of(source.hashed(), prefix).render().decode("utf-8")


def _judged(tree: Tree, target: str) -> list[str]:
    """Notes on what is harmless; Refuted for what a hash would not see."""
    odd = tree.irregulars()
    if not odd:
        return []
    from verify.tree import checks  # noqa: PLC0415 - most trees have nothing odd, and their hash is not to wait

    for each in odd:
        if each.oddity not in HARMLESS:
            check = checks.BY_ODDITY[each.oddity]
            where = f" ({each.detail})" if each.detail else ""
            raise Refuted(
                f"{target}: {each.name}{where}: {check.title}, expected regular files only",
                check=check.id,
                hint=f"modseal explain {check.id}",
            )
    notes = [f"{checks.BY_ODDITY[each.oddity].title}: {each.name}" for each in odd[:_NOTES]]
    return [*notes, f"{len(odd) - _NOTES} more notes"] if len(odd) > _NOTES else notes


def _warn_if_empty(source: Source, events: Events) -> None:
    if not source.hashed().entries():
        events.note(Level.WARNING, f"{source.target.text}: holds no files; a hash of nothing proves nothing")
