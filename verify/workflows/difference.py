"""`modseal diff A B`: what differs between two folders, zips, git revisions or tree lists.

A is what is expected, B what is there: *missing* lies only in A, *extra* only in B. What is no regular file
counts too: a link that only one side has, or that leads elsewhere, is a difference although hashes cannot see
it. Modes are compared where both sides keep them. Text is compared line by line on request.
"""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, MIB, Limits
from verify.tree.comparison import Comparison, compare
from verify.tree.port import HARMLESS
from verify.workflows.sources import Source, open_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.tree.listing import TreeList
    from verify.tree.port import Tree

_TEXT = 2 * MIB  # longer files are compared, not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class OddDifference:
    """Something that is no regular file, and not the same on both sides. Empty means: not there."""

    name: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDifference:
    """The lines of a unified diff of one file, or why there are none."""

    name: str
    lines: tuple[str, ...] = ()
    omitted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Everything that differs."""

    files: Comparison
    odd: tuple[OddDifference, ...]
    texts: tuple[TextDifference, ...] = ()

    @property
    def count(self) -> int:
        """None means equal."""
        return self.files.differences + len(self.odd)

    @property
    def exit_code(self) -> int:
        """0 equal, 1 different."""
        return 1 if self.count else 0

    def as_data(self) -> dict[str, object]:
        """For machines."""
        files = self.files
        changed = [
            {"name": c.name, "expected": str(c.expected), "actual": str(c.actual)} for c in files.changed
        ]
        return {
            "schemaVersion": "modseal.diff/1",
            "equal": files.equal,
            "different": self.count,
            "missing": list(files.missing),
            "extra": list(files.extra),
            "changed": changed,
            "caseChanged": [
                {"expected": each.expected, "actual": each.actual} for each in files.case_changed
            ],
            "modeChanged": [asdict(each) for each in files.mode_changed],
            "odd": [asdict(each) for each in self.odd],
            "text": [asdict(each) for each in self.texts],
        }


def diff_targets(
    first: str, second: str, *, unified: bool = False, limits: Limits = DEFAULT, events: Events = SILENT
) -> Difference:
    """Raises what opening and reading raises."""
    with (
        open_source(first, limits=limits, events=events) as a,
        open_source(second, limits=limits, events=events) as b,
    ):
        found = compare(_side(a), _side(b))
        texts = tuple(_texts(found, a.tree, b.tree)) if unified else ()
        return Difference(files=found, odd=_odd(a, b), texts=texts)


def _side(source: Source) -> Tree | TreeList:
    side = source.listing or source.tree
    if side is None:
        raise Misused(
            f"{source.target.text}: expected a folder, a zip, a git revision or a tree list, got a plain file",
            hint=f"list:{source.target.text.removeprefix('file:')} if it is a tree list",
        )
    return side


def _odd(a: Source, b: Source) -> tuple[OddDifference, ...]:
    before, after = _oddities(a), _oddities(b)
    names = sorted({*before, *after}, key=lambda name: name.encode("utf-8", "surrogatepass"))
    return tuple(
        OddDifference(name=name, expected=before.get(name, ""), actual=after.get(name, ""))
        for name in names
        if before.get(name) != after.get(name)
    )


def _oddities(source: Source) -> dict[str, str]:
    if source.tree is None:
        return {}
    return {
        each.name: f"{each.oddity.value} {each.detail}".strip()
        for each in source.tree.irregulars()
        if each.oddity not in HARMLESS
    }


def _texts(found: Comparison, a: Tree | None, b: Tree | None) -> Iterator[TextDifference]:
    pairs = [(each.name, each.name) for each in found.changed]
    pairs += [(each.expected, each.actual) for each in found.case_changed if each.content is not None]
    for before, after in sorted(pairs):
        if a is None or b is None:
            yield TextDifference(name=after, omitted="a tree list holds no contents")
            continue
        old, new = _lines(a, before), _lines(b, after)
        if old is None or new is None:
            yield TextDifference(name=after, omitted="binary, or too long to show")
            continue
        lines = difflib.unified_diff(old, new, f"a/{before}", f"b/{after}", lineterm="")
        yield TextDifference(name=after, lines=tuple(lines))


def _lines(tree: Tree, name: str) -> list[str] | None:
    """The lines of a text, with what ends them where it is not a newline; None for anything else."""
    with tree.open(name) as file:
        data = file.read(_TEXT + 1)
    if len(data) > _TEXT or b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    ended = text.endswith("\n")
    lines = text.split("\n")
    if ended:
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ no newline at the end"] if text else []
