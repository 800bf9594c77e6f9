"""A tree in memory: for tests, and for whatever is built before it is written.

>>> tree = MemoryTree({"b": b"2", "a": b"1"}, executables=["a"])
>>> [(entry.name, entry.size, entry.executable) for entry in tree.entries()]
[('a', 1, True), ('b', 1, False)]
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from verify.digest import Measure, measure
from verify.errors import Absent, Misused
from verify.tree.port import Entry, Irregular, Oddity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


class MemoryTree:
    """Names and bytes. `executables` is None where modes are not known."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        executables: Collection[str] | None = None,
        irregulars: Iterable[Irregular] = (),
    ) -> None:
        odd = {name: oddity for name in files if (oddity := _unusable(name)) is not None}
        self._files = {name: bytes(files[name]) for name in sorted(files.keys() - odd.keys())}
        strays = set(executables or ()) - files.keys()
        if strays:
            raise Misused(f"executables without a file: {sorted(strays)}")
        self._entries = tuple(
            Entry(name, len(data), None if executables is None else name in executables)
            for name, data in self._files.items()
        )
        unusable = (Irregular(_escaped(name), oddity) for name, oddity in odd.items())
        self._irregulars = tuple(sorted((*irregulars, *unusable), key=lambda each: (each.name, each.oddity)))

    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def irregulars(self) -> tuple[Irregular, ...]:
        return self._irregulars

    def open(self, name: str) -> BinaryIO:
        try:
            return io.BytesIO(self._files[name])
        except KeyError:
            raise Absent(f"{name}: no such file in this tree", check="tree.missing-file") from None

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        for entry in self._entries:
            yield entry, measure(io.BytesIO(self._files[entry.name]), most=entry.size)


def _unusable(name: str) -> Oddity | None:
    if "\n" in name:
        return Oddity.NAME_NEWLINE
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return Oddity.NAME_ENCODING
    return None


def _escaped(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
