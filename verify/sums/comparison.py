"""Two sum files beside each other, and two made one.

`merge` is what a git merge driver needs. A module that both sides lock must have the same entry; one that a
side has removed since the base, and the other left alone, is removed; all others of both sides are kept. A
locked version's bytes never change by merging: whoever changed them has to say so with `modseal lock --update`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.sums.sumfile import SumFile

if TYPE_CHECKING:
    from verify.sums.entry import SumEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One key whose entry differs."""

    before: SumEntry
    after: SumEntry

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that differ, by their names in the file."""
        before, after = self.before.fields(), self.after.fields()
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        moved = ("source",) if self.before.source != self.after.source else ()
        return (*names, *moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumDiff:
    """What the second file has more, less and otherwise."""

    added: tuple[SumEntry, ...]
    removed: tuple[SumEntry, ...]
    changed: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged file. With conflicts it lacks their keys and must not be used."""

    file: SumFile
    conflicts: tuple[Change, ...]  # before is ours, after is theirs


def diff(old: SumFile, new: SumFile) -> SumDiff:
    """From `old` to `new`, in the order of keys."""
    before, after = old.by_key(), new.by_key()
    return SumDiff(
        added=tuple(entry for entry in new.entries if entry.key not in before),
        removed=tuple(entry for entry in old.entries if entry.key not in after),
        changed=tuple(
            Change(before=before[entry.key], after=entry)
            for entry in new.entries
            if entry.key in before and before[entry.key] != entry
        ),
    )


def merge(base: SumFile, ours: SumFile, theirs: SumFile) -> Merged:
    """Both sides' entries; the three must be of one ecosystem."""
    if not base.ecosystem == ours.ecosystem == theirs.ecosystem:
        raise ValueError("sum files of different ecosystems")
    old, left, right = base.by_key(), ours.by_key(), theirs.by_key()
    kept: list[SumEntry] = []
    conflicts: list[Change] = []
    for key in sorted({*left, *right}):
        mine, other = left.get(key), right.get(key)
        if mine is not None and other is not None:
            if mine == other:
                kept.append(mine)
            else:
                conflicts.append(Change(before=mine, after=other))
            continue
        only = mine or other
        if only is None or only == old.get(key):
            continue
        if key in old:  # removed on one side, given other bytes on the other
            conflicts.append(Change(before=old[key], after=only))
        else:
            kept.append(only)
    return Merged(file=SumFile(ecosystem=ours.ecosystem, entries=tuple(kept)), conflicts=tuple(conflicts))
