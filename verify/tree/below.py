"""One file below a folder somebody named, by a path nobody typed: opened so that no link on the way is followed.

>>> read_below("no/such/folder", "cue.mod/sum.cue", 10)
Traceback (most recent call last):
verify.errors.Absent: no/such/folder: no such folder
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO

from verify.errors import Absent, Malformed, Misused, Refuted, Unavailable
from verify.tree.folder import is_link, open_root

if TYPE_CHECKING:
    from verify.tree.folder import Folder


def open_below(root: str, path: str) -> BinaryIO:
    """A regular file. Raises Absent (`tree.absent`), Refuted (`tree.symlink`, `tree.not-a-file`), Unavailable."""
    folder = open_root(root)
    try:
        *parts, base = path.split("/")
        for part in parts:
            inner = _enter(folder, part, path)
            folder.close()
            folder = inner
        seen = _look(folder, base, path)
        if not stat.S_ISREG(seen.st_mode):
            raise Refuted(f"{path}: expected a file", check="tree.not-a-file")
        return os.fdopen(folder.file(base, seen.st_dev, seen.st_ino, seen.st_size), "rb")
    except PermissionError as error:
        raise Unavailable(f"{path}: {error.strerror}", check="tree.unreadable") from error
    finally:
        folder.close()


def read_below(root: str, path: str, most: int) -> bytes:
    """All of it. Raises as `open_below`, and Malformed beyond `most`."""
    with open_below(root, path) as file:
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise Unavailable(f"{path}: {error.strerror}", check="tree.unreadable") from error
    if len(data) > most:
        raise Malformed(f"{path}: expected at most {most} bytes", check="limit.size")
    return data


def lies_below(root: str, path: str) -> bool:
    """Whether anything at all has this path, a link included. Raises Refuted where a link is on the way."""
    folder = open_root(root)
    try:
        *parts, base = path.split("/")
        for part in parts:
            inner = _enter(folder, part, path)
            folder.close()
            folder = inner
        folder.look(base)
    except (Absent, FileNotFoundError):
        return False
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}", check="tree.unreadable") from error
    finally:
        folder.close()
    return True


def _enter(folder: Folder, part: str, path: str) -> Folder:
    seen = _look(folder, part, path)
    if not stat.S_ISDIR(seen.st_mode):
        raise Refuted(f"{path}: {part} is a file, expected a folder", check="tree.not-a-folder")
    return folder.folder(part, seen)


def _look(folder: Folder, part: str, path: str) -> os.stat_result:
    if part in {"", ".", ".."}:
        raise Misused(f"{path}: expected a path below the folder")
    try:
        seen = folder.look(part)
    except FileNotFoundError as error:
        raise Absent(f"{path}: no such file", check="tree.absent") from error
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}", check="tree.unreadable") from error
    if is_link(seen):
        raise Refuted(f"{path}: {part} is a symbolic link", check="tree.symlink")
    return seen
