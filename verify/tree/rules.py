r"""Which files of a source are packed: the rule set `generic/1`, and a view of a tree that keeps to a selection.

`generic/1`, whatever the source is (a folder, a commit, memory):

1. What lies in a folder named exactly `.bzr`, `.git`, `.hg` or `.svn`, at any depth, is omitted.
2. Where the root has a regular file `.modsealignore`, what it names in gitignore's syntax is omitted. It is
   UTF-8 (a byte order mark at its beginning does not count), and only the one at the root counts.
   It is kept like any other file, unless it names itself: what was unpacked packs to the same archive again.
3. All other regular files are kept, hidden ones too.

Links and the like are never kept and never hidden: those that the rules do not omit are still the view's
irregulars, and whoever packs decides. Selection is for packing alone: a tree is *checked* without it.

>>> from verify.tree.memory import MemoryTree
>>> source = MemoryTree({".git/HEAD": b"", ".modsealignore": b"*.log\n", "a.cue": b"", "b.log": b""})
>>> select(source)
Selection(kept=('.modsealignore', 'a.cue'), omitted=(('.git/HEAD', 'version control'), ('b.log', 'ignored')))
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from verify.digest import measure
from verify.errors import Absent, Exhausted, Malformed
from verify.limits import DEFAULT, Limits
from verify.report import Check
from verify.tree.reading import OneByOne, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verify.digest import Measure
    from verify.tree.port import Entry, Irregular, Tree
    from verify.tree.reading import Reader

RULES = "generic/1"
IGNORE_FILE = ".modsealignore"
CONTROL_FOLDERS = frozenset({".bzr", ".git", ".hg", ".svn"})
IGNORED = "ignored"
VERSION_CONTROL = "version control"
BAD_IGNORE_FILE = Check(
    id="pack.ignore-file",
    title="ignore file cannot be read",
    meaning="A line of .modsealignore is no gitignore pattern in UTF-8, so it is not known what it leaves out.",
    remedy="Correct the line; gitignore's own documentation describes the syntax.",
)
CHECKS = (BAD_IGNORE_FILE,)


@dataclass(frozen=True, slots=True)
class Selection:
    """Every name of a tree in exactly one of the two: kept, or omitted with its reason. Both in byte order."""

    kept: tuple[str, ...]
    omitted: tuple[tuple[str, str], ...]


def select(tree: Tree, limits: Limits = DEFAULT) -> Selection:
    """By `generic/1`. Raises Malformed (`pack.ignore-file`), Exhausted, and as the tree does."""
    ignored = _ignored(tree, limits)
    kept: list[str] = []
    omitted: list[tuple[str, str]] = []
    for entry in tree.entries():
        reason = _reason(entry.name, ignored)
        if reason is None:
            kept.append(entry.name)
        else:
            omitted.append((entry.name, reason))
    others = ((each.name, _reason(each.name, ignored)) for each in tree.irregulars())
    omitted.extend((name, reason) for name, reason in others if reason is not None)
    # a hard-linked file stands in both lists, and is one name
    return Selection(tuple(kept), tuple(sorted(set(omitted), key=lambda each: each[0].encode("utf-8"))))


def in_control_folder(name: str) -> bool:
    """Whether a name lies in a folder of a version control system; a *file* named `.git` does not."""
    return not CONTROL_FOLDERS.isdisjoint(name.split("/")[:-1])


def _reason(name: str, ignored: Callable[[str], bool]) -> str | None:
    if in_control_folder(name):
        return VERSION_CONTROL
    return IGNORED if ignored(name) else None


def _ignored(tree: Tree, limits: Limits) -> Callable[[str], bool]:
    if all(entry.name != IGNORE_FILE for entry in tree.entries()):
        return lambda _: False
    with tree.open(IGNORE_FILE) as stream:
        data = stream.read(limits.ignore_bytes + 1)
    if len(data) > limits.ignore_bytes:
        raise Exhausted(f"{IGNORE_FILE}: longer than {limits.ignore_bytes} bytes", check="limit.size")
    import pathspec  # noqa: PLC0415  # most sources have no such file, and need not wait for it

    lines = [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    patterns = []
    for number, line in enumerate(lines, 1):
        try:
            patterns.append(line.decode("utf-8"))
            pathspec.GitIgnoreSpec.from_lines(patterns[-1:])
        except (UnicodeDecodeError, ValueError) as error:
            raise Malformed(
                f"{IGNORE_FILE} line {number}: expected a gitignore pattern in UTF-8, got {line[:80]!r}",
                check=BAD_IGNORE_FILE.id,
            ) from error
    return pathspec.GitIgnoreSpec.from_lines(patterns).match_file


class SelectedTree:
    """The kept files of a tree, and what an inherited file is in another one. Irregulars stay in sight."""

    def __init__(
        self, tree: Tree, selection: Selection, inherited: Mapping[str, tuple[Tree, str]] | None = None
    ) -> None:
        self.selection = selection
        self._tree = tree
        self._inherited = dict(inherited or {})
        kept = frozenset(selection.kept) - self._inherited.keys()
        omitted = {name for name, _ in selection.omitted}
        own = [entry for entry in tree.entries() if entry.name in kept]
        self._entries = tuple(
            sorted((*own, *self._from_elsewhere()), key=lambda each: each.name.encode("utf-8"))
        )
        self._names = kept
        self._irregulars = tuple(each for each in tree.irregulars() if each.name not in omitted)

    def entries(self) -> Sequence[Entry]:
        """Only what is kept."""
        return self._entries

    def irregulars(self) -> Sequence[Irregular]:
        """What is no regular file and no rule omits."""
        return self._irregulars

    def open(self, name: str) -> BinaryIO:
        """Raises Absent for what is not kept, and as the tree does."""
        if name in self._inherited:
            tree, there = self._inherited[name]
            return tree.open(there)
        if name not in self._names:
            raise Absent(f"{name}: not in the selection", check="tree.missing-file")
        return self._tree.open(name)

    @contextmanager
    def reading(self) -> Iterator[_Reader]:
        """As fast as the tree itself."""
        with reading(self._tree) as own:
            yield _Reader(self, own, self._names)

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        """Reads only what is kept. Raises as `open`."""
        for entry in self._entries:
            with self.open(entry.name) as stream:
                yield entry, measure(stream, most=entry.size)

    def _from_elsewhere(self) -> Iterator[Entry]:
        for name, (tree, there) in self._inherited.items():
            for entry in tree.entries():
                if entry.name == there:
                    yield entry._replace(name=name)


class _Reader:
    """The tree's own reader for its own files."""

    def __init__(self, selected: SelectedTree, own: Reader, names: frozenset[str]) -> None:
        self._others = OneByOne(selected)
        self._own = own
        self._names = names
        self.apart = own.apart and len(names) == len(selected.entries())  # others open their own way

    def open(self, name: str) -> BinaryIO:
        return self._own.open(name) if name in self._names else self._others.open(name)

    def whole(self, entry: Entry) -> bytes:
        return self._own.whole(entry) if entry.name in self._names else self._others.whole(entry)


def select_generic(tree: Tree, limits: Limits = DEFAULT) -> SelectedTree:
    """The view of a tree that `generic/1` packs."""
    return SelectedTree(tree, select(tree, limits))
