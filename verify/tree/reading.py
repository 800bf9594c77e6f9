"""Reading many entries of a tree in a row, for less than one by one where the tree knows how.

>>> from verify.tree.memory import MemoryTree
>>> tree = MemoryTree({"a.cue": b"x: 1"})
>>> with reading(tree) as reader:
...     reader.whole(tree.entries()[0])
b'x: 1'
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

from verify.tree.folder import swapped

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from verify.tree.port import Entry, Tree


class Reader(Protocol):
    """The contents of one tree, for as long as the context lasts that gave it."""

    @property
    def apart(self) -> bool:
        """Whether what it opened may be read in another thread while it goes on."""

    def open(self, name: str) -> BinaryIO:
        """As the tree's own."""

    def whole(self, entry: Entry) -> bytes:
        """All of an entry, exactly as long as it was listed. Raises as `open`."""


@runtime_checkable
class Reading(Protocol):
    """A tree that knows how."""

    def reading(self) -> AbstractContextManager[Reader]:
        """Raises what opening the tree raises."""


class OneByOne:
    """For trees that do not."""

    apart = False

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def open(self, name: str) -> BinaryIO:
        """As the tree's own."""
        return self._tree.open(name)

    def whole(self, entry: Entry) -> bytes:
        """In one piece; one byte more would show."""
        with self._tree.open(entry.name) as file:
            data = file.read(entry.size + 1)  # a buffered reader gives less only at the end
        if len(data) != entry.size:
            got = "more" if len(data) > entry.size else str(len(data))
            raise swapped(entry.name, f"expected {entry.size} bytes as listed, got {got}")
        return data


def reading(tree: Tree) -> AbstractContextManager[Reader]:
    """The fastest reader there is."""
    return tree.reading() if isinstance(tree, Reading) else nullcontext(OneByOne(tree))
