"""Which folder a repository's name means, and that it is never one outside.

    one layout      DIR/oci-layout                    under every name, or under one
    a tree of them  DIR/example.com/net/oci-layout    under their paths

A name is judged by the protocol's grammar, which has no `..`, no empty part and no capitals; then every folder
on the way is looked at, and no link is followed. Below a layout another may lie (`a` and `a/b`): the few names
that a layout uses itself cannot be parts of a repository's name.
"""

from __future__ import annotations

import os
import stat
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

from verify.errors import Absent, Misused, Refuted, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci.reference import check_repository
from verify.oci.serve.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RESERVED = {"blobs", "index.json", "index.json.lock", "oci-layout"}
_KEPT = 256
_FOLDERS = 20  # looked at per repository that may be listed


class Repositories(Protocol):
    """Names to shelves. A name is untrusted until one of these has judged it."""

    def find(self, name: str) -> Shelf:
        """For reading. Raises Misused (not a name), Absent, Refuted (`oci.layout-irregular`)."""

    def make(self, name: str) -> Shelf:
        """For writing; a layout afterwards. Raises as `find`, and Unavailable."""

    def names(self) -> tuple[str, ...]:
        """Those that can be listed, sorted. Raises Unavailable."""


class OneLayout:
    """One folder under every name, or under the one that was given."""

    def __init__(self, path: Path, *, name: str | None = None, limits: Limits = DEFAULT) -> None:
        self._name = None if name is None else _checked(name)
        self._shelf = Shelf(path, limits=limits)

    def find(self, name: str) -> Shelf:
        if self._name not in {None, _checked(name)}:
            raise Absent(f"no repository {name}")
        return self._shelf

    def make(self, name: str) -> Shelf:
        shelf = self.find(name)
        shelf.prepare()
        return shelf

    def names(self) -> tuple[str, ...]:
        return () if self._name is None else (self._name,)


class LayoutTree:
    """A layout per repository, below one folder."""

    def __init__(self, root: Path, *, limits: Limits = DEFAULT) -> None:
        self._root = root
        self._limits = limits
        self._shelves: OrderedDict[str, Shelf] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, name: str) -> Shelf:
        path = self._walk(name, make=False)
        if not _is_layout(path):
            raise Absent(f"no repository {name}")
        return self._shelf(name, path)

    def make(self, name: str) -> Shelf:
        shelf = self._shelf(name, self._walk(name, make=True))
        shelf.prepare()
        return shelf

    def names(self) -> tuple[str, ...]:
        found: list[str] = []
        for name in self._layouts():
            found.append(name)
            if len(found) > self._limits.serve_repositories:
                raise Unavailable(f"more than {self._limits.serve_repositories} repositories")
        return tuple(sorted(found))

    def _shelf(self, name: str, path: Path) -> Shelf:
        # kept because a Store remembers what refers to what in it
        with self._lock:
            shelf = self._shelves.pop(name, None) or Shelf(path, limits=self._limits)
            self._shelves[name] = shelf
            if len(self._shelves) > _KEPT:
                self._shelves.popitem(last=False)
            return shelf

    def _walk(self, name: str, *, make: bool) -> Path:
        path = self._root
        for part in _checked(name).split("/"):
            if part in _RESERVED:
                raise Misused(
                    f"repository {name!r}: {part} is a name that layouts use", check="oci.reference"
                )
            path /= part
            try:
                if make:
                    path.mkdir(exist_ok=True)
                seen = os.lstat(path)
            except FileNotFoundError as error:
                raise Absent(f"no repository {name}") from error
            except OSError as error:
                raise Unavailable(
                    f"repository {name}: {error.strerror}", check="oci.layout-unreadable"
                ) from error
            if not stat.S_ISDIR(seen.st_mode):
                raise Refuted(
                    f"repository {name}: expected a folder, got a link or file", check="oci.layout-irregular"
                )
        return path

    def _layouts(self) -> Iterator[str]:
        budget = self._limits.serve_repositories * _FOLDERS
        for folder, below, files in os.walk(self._root):  # follows no links
            budget -= 1
            if budget < 0:
                raise Unavailable("too many folders to list repositories")
            below[:] = [each for each in below if each not in _RESERVED and not each.startswith(".")]
            name = os.path.relpath(folder, self._root).replace(os.sep, "/")
            if "oci-layout" in files and _is_name(name):
                yield name


def _checked(name: str) -> str:
    return check_repository("localhost", name, name)


def _is_name(name: str) -> bool:
    try:
        return bool(_checked(name))
    except Misused:
        return False


def _is_layout(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path / "oci-layout").st_mode)
    except OSError:
        return False
