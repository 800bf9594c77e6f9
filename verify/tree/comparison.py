"""What differs between two trees, both ways: extra, missing, changed, wrongly cased, mode changed.

Either side is a tree or a tree list; a list knows no modes. A file that is missing under its name and lies
there under one that differs only in case or Unicode form is told as that, once, not as one missing and one
extra. Names are compared as they are.

>>> from verify.tree.memory import MemoryTree
>>> found = compare(MemoryTree({"a": b"1", "b": b"2", "c": b"3"}), MemoryTree({"A": b"1", "b": b"x", "d": b""}))
>>> found.missing, found.extra, [each.name for each in found.changed]
(('c',), ('d',), ['b'])
>>> [(each.expected, each.actual) for each in found.case_changed], found.differences
([('a', 'A')], 4)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verify.digest import Digest
from verify.tree.listing import TreeList
from verify.tree.unicode import fold_canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.tree.port import Tree


@dataclass(frozen=True, slots=True)
class Changed:
    """One name, other bytes."""

    name: str
    expected: Digest
    actual: Digest


@dataclass(frozen=True, slots=True)
class CaseChanged:
    """Two names that differ only in case or Unicode form. The bytes are compared too."""

    expected: str
    actual: str
    content: Changed | None = None


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """One name, the same bytes, and executable on one side only."""

    name: str
    expected: bool
    actual: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that differs, each kind in the order of the names, and how many files are equal."""

    extra: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    changed: tuple[Changed, ...] = ()
    case_changed: tuple[CaseChanged, ...] = ()
    mode_changed: tuple[ModeChanged, ...] = ()
    equal: int = 0

    @property
    def differences(self) -> int:
        """How many in all; none when the two are the same, modes included where both sides know them."""
        kinds = (self.extra, self.missing, self.changed, self.case_changed, self.mode_changed)
        return sum(len(kind) for kind in kinds)


_Side: TypeAlias = dict[str, tuple[bytes, bool | None]]


def compare(expected: Tree | TreeList, actual: Tree | TreeList) -> Comparison:
    """Raises what reading a tree raises."""
    return _compare(_side(expected), _side(actual))


def _side(source: Tree | TreeList) -> _Side:
    if isinstance(source, TreeList):
        return {name: (digest, None) for name, digest in source.items()}
    return {entry.name: (found.sha256, entry.executable) for entry, found in source.measures()}


def _compare(expected: _Side, actual: _Side) -> Comparison:
    both = sorted(expected.keys() & actual.keys())
    changed = [_changed(name, expected[name][0], actual[name][0]) for name in both]
    modes = [
        ModeChanged(name, before, after)
        for name in both
        if (before := expected[name][1]) is not None
        and (after := actual[name][1]) is not None
        and before != after
        and expected[name][0] == actual[name][0]
    ]
    missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
    pairs = _pairs(missing, extra)
    different = tuple(each for each in changed if each is not None)
    return Comparison(
        extra=tuple(sorted(extra - {there for _, there in pairs})),
        missing=tuple(sorted(missing - {name for name, _ in pairs})),
        changed=different,
        case_changed=tuple(
            CaseChanged(name, there, _changed(there, expected[name][0], actual[there][0]))
            for name, there in pairs
        ),
        mode_changed=tuple(modes),
        equal=len(both) - len(different) - len(modes),
    )


def _changed(name: str, expected: bytes, actual: bytes) -> Changed | None:
    if expected == actual:
        return None
    return Changed(name, Digest(f"sha256:{expected.hex()}"), Digest(f"sha256:{actual.hex()}"))


def _pairs(missing: Iterable[str], extra: Iterable[str]) -> list[tuple[str, str]]:
    """Missing and extra names that are one but for case and form; where several are, in their order."""
    there: dict[str, list[str]] = {}
    for name in sorted(extra, reverse=True):
        there.setdefault(fold_canonical(name), []).append(name)
    found = ((name, there.get(fold_canonical(name))) for name in sorted(missing))
    return [(name, candidates.pop()) for name, candidates in found if candidates]
