"""A folder on disk as a tree, walked so that no link leads out of it (see `folder.py`).

1. The root is what a person typed, and may be a link. What lies below it is never reached through one. A tree
   whose place is *not* typed (a vendored module below a workspace) is opened as `DirectoryTree(workspace,
   below="cue.mod/vendor/…")`: each part of `below` must be a real folder, or Refuted (`tree.symlink`).
2. The tree is listed once, at first use: regular files become entries; everything else becomes an irregular.
   A folder whose name is not UTF-8 or holds a newline is one irregular and is not entered. Nothing is left
   out: no ignore file and no hidden name counts here.
3. A file is opened by the descriptor of its folder, and must be the inode that was listed, with the size that
   was listed when it has been read; else Refuted (`tree.swapped`).
4. `measures` reads small files one after the other, which is fastest, and large ones in threads, since hashing
   and reading let other threads run. Memory does not grow with the size of files.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from verify.errors import Absent, Exhausted, Misused, Refuted, Unavailable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.tree.folder import is_link, open_root
from verify.tree.measuring import Openings, measure_all, read_whole
from verify.tree.port import Entry, Irregular, Oddity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.digest import Measure
    from verify.tree.folder import Folder
    from verify.tree.measuring import Listed

_NATURES = {
    stat.S_IFCHR: Oddity.DEVICE,
    stat.S_IFBLK: Oddity.DEVICE,
    stat.S_IFSOCK: Oddity.SOCKET,
    stat.S_IFIFO: Oddity.FIFO,
}
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_KEEPS_MODES = os.name == "posix"


class DirectoryTree:
    """The tree of a folder on disk. Made without touching the disk; listed once, at first use."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: Limits = DEFAULT,
        events: Events = SILENT,
        *,
        below: str = "",
    ) -> None:
        self.path = os.fspath(path)
        self.below = below
        self._limits = limits
        self._events = events
        self._listing: _Listing | None = None

    def entries(self) -> tuple[Entry, ...]:
        return self._listed().entries

    def irregulars(self) -> tuple[Irregular, ...]:
        return tuple(self._listed().irregulars)

    def open(self, name: str) -> BinaryIO:
        found = self._found(name)
        with Openings(self._root(), self._listed().folders) as openings:
            return os.fdopen(openings.descriptor(found), "rb")

    @contextmanager
    def reading(self) -> Iterator[_Reader]:
        """`open` for many files: the folders they lie in stay open from one to the next."""
        listing = self._listed()
        with Openings(self._root(), listing.folders) as openings:
            yield _Reader(openings, self._found)

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        listing = self._listed()
        return measure_all(self._root, listing, self._limits, self._events)

    def _found(self, name: str) -> Listed:
        found = self._listed().by_name().get(name)
        if found is None:
            raise Absent(f"{name}: no such file in {self.path}", check="tree.missing-file")
        return found

    def _root(self) -> Folder:
        folder = open_root(self.path)
        for part in filter(None, self.below.split("/")):
            try:
                inner = _step(folder, part, self.path)
            finally:
                folder.close()
            folder = inner
        return folder

    def _listed(self) -> _Listing:
        if self._listing is None:
            root = self._root()
            listing = _Listing(self._limits)
            try:
                listing.walk(root, "", 1)
            except OSError as error:
                raise Unavailable(f"{self.path}: {error.strerror}", check="tree.unreadable") from error
            finally:
                root.close()
            listing.finish()
            self._listing = listing
        return self._listing


class _Reader:
    """A folder's files one after the other."""

    apart = True

    def __init__(self, openings: Openings, find: Callable[[str], Listed]) -> None:
        self._openings = openings
        self._find = find

    def open(self, name: str) -> BinaryIO:
        return os.fdopen(self._openings.descriptor(self._find(name)), "rb")

    def whole(self, entry: Entry) -> bytes:
        return read_whole(self._openings.descriptor(self._find(entry.name)), entry.name, entry.size)


def _step(folder: Folder, part: str, path: str) -> Folder:
    """One part of `below`, which nobody typed: a real folder or nothing."""
    if part in {".", ".."}:
        raise Misused(f"{path}: expected a path below it, got {part}")
    try:
        seen = folder.look(part)
        if is_link(seen):
            raise Refuted(f"{path}: {part} is a symbolic link, expected a folder", check="tree.symlink")
        if not stat.S_ISDIR(seen.st_mode):
            raise Refuted(f"{path}: {part} is a file, expected a folder", check="tree.not-a-folder")
        return folder.folder(part, seen)
    except FileNotFoundError as error:
        raise Absent(f"{path}: no folder {part}", check="tree.absent") from error
    except OSError as error:
        raise Unavailable(f"{path}: {part}: {error.strerror}", check="tree.unreadable") from error


class _Listing:
    """What one walk found."""

    def __init__(self, limits: Limits) -> None:
        self.files: list[Listed] = []
        self.entries: tuple[Entry, ...] = ()  # of the files, in the same order
        self.irregulars: list[Irregular] = []
        self.folders: dict[str, os.stat_result] = {}
        self._limits = limits
        self._names: dict[str, Listed] | None = None

    def walk(self, folder: Folder, path: str, depth: int) -> None:
        """One folder and, when all of it has been listed, the folders in it."""
        if depth > self._limits.tree_depth:
            raise Exhausted(
                f"{path}: deeper than {self._limits.tree_depth} folders", check="limit.tree-depth"
            )
        prefix = f"{path}/" if path else ""
        inner: list[tuple[str, os.stat_result]] = []
        count = 0
        for base, seen in folder.stats():
            count += 1
            plain = base.isascii() and "\n" not in base
            name = prefix + base if plain else self._usable(prefix, base)
            if name is None:
                continue
            nature = stat.S_IFMT(seen.st_mode)
            if nature == stat.S_IFREG and not is_link(seen):
                self._file(name, path, base, seen)
            elif nature == stat.S_IFDIR and not is_link(seen):
                inner.append((base, seen))
            else:
                self._other(folder, name, base, seen)
        if path and not count:
            self._odd(path, Oddity.EMPTY_FOLDER)
        for base, seen in inner:
            self._enter(folder, prefix + base, base, seen, depth)

    def _enter(self, folder: Folder, path: str, base: str, seen: os.stat_result, depth: int) -> None:
        self.folders[path] = seen
        try:
            below = folder.folder(base, seen)
            try:
                self.walk(below, path, depth + 1)
            finally:
                below.close()
        except PermissionError as error:
            self._odd(path, Oddity.UNREADABLE, str(error.strerror))

    def _usable(self, prefix: str, base: str) -> str | None:
        """The whole name, unless it cannot stand in a tree list."""
        if not base.isascii():
            raw = os.fsencode(base)
            try:
                decoded = raw.decode("utf-8")
            except UnicodeDecodeError:
                self._odd(prefix + raw.decode("utf-8", "backslashreplace"), Oddity.NAME_ENCODING)
                return None
            if decoded != base:  # the system's encoding is not UTF-8: the name is, and cannot be opened by it
                self._odd(prefix + decoded, Oddity.NAME_ENCODING, "this locale cannot say the name")
                return None
        if "\n" in base:
            self._odd(prefix + base, Oddity.NAME_NEWLINE)
            return None
        return prefix + base

    def _file(self, name: str, path: str, base: str, seen: os.stat_result) -> None:
        mode = seen.st_mode
        executable = mode & stat.S_IXUSR != 0 if _KEEPS_MODES else None
        self.files.append((name, seen.st_size, executable, path, base, seen.st_dev, seen.st_ino))
        if len(self.files) > self._limits.tree_files:
            raise Exhausted(f"more than {self._limits.tree_files} files", check="limit.tree-files")
        if seen.st_nlink > 1:
            self._odd(name, Oddity.HARDLINK, f"{seen.st_nlink} names")
        if mode & _SPECIAL and _KEEPS_MODES:
            self._odd(name, Oddity.SPECIAL_MODE, f"mode {stat.S_IMODE(mode):04o}")

    def _other(self, folder: Folder, name: str, base: str, seen: os.stat_result) -> None:
        if not is_link(seen):
            self._odd(name, _NATURES.get(stat.S_IFMT(seen.st_mode), Oddity.DEVICE))
            return
        try:
            target = folder.target(base)
        except OSError:
            target = ""  # it is a link all the same
        self._odd(name, Oddity.SYMLINK, target)

    def _odd(self, name: str, oddity: Oddity, detail: str = "") -> None:
        self.irregulars.append(Irregular(name, oddity, detail))
        if len(self.irregulars) > self._limits.tree_files:
            raise Exhausted(f"more than {self._limits.tree_files} irregular files", check="limit.tree-files")

    def finish(self) -> None:
        """Into the order of the names' bytes, which for valid text is the order of its code points."""
        self.files.sort()
        self.entries = tuple([Entry(name, size, executable) for name, size, executable, *_ in self.files])
        self.irregulars.sort(key=lambda each: (each.name, each.oddity))

    def by_name(self) -> dict[str, Listed]:
        """For `open`; made once."""
        if self._names is None:
            self._names = {each[0]: each for each in self.files}
        return self._names
