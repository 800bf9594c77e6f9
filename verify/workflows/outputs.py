"""Writing a file so that nobody ever sees half of it.

1. The bytes go into a new file in the same folder, created for us alone, with the mode the umask allows.
2. It is flushed to the disk, renamed over the target, and the folder is flushed too.
3. Whatever goes wrong before the rename leaves the target as it was, and nothing beside it.

A target that is a link is refused: following it would write where nobody looked, replacing it would
surprise whoever made it. A pipe or a device (also one behind a link, such as a shell's `>(…)`) is written
to as it is, since there is nothing to replace.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import TYPE_CHECKING, BinaryIO

from verify.errors import Misused, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ASIDE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path`, whole or not at all. Raises Misused, Unavailable."""
    with written_aside(path) as file:
        file.write(data)


def is_stream(path: Path) -> bool:
    """A pipe or a device, as against a file or nothing; refuse what can be neither."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    linked = stat.S_ISLNK(mode)
    if linked:
        with contextlib.suppress(OSError):  # a link that leads nowhere stays a link
            mode = path.stat().st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        return True
    if linked:
        raise Misused(
            f"output {path}: is a link, expected a file or nothing",
            check="output.link",
            hint=f"name the file it leads to: {path.resolve()}",
        )
    if not stat.S_ISREG(mode):
        raise Misused(f"output {path}: expected a file or nothing", check="output.not-a-file")
    return False


def _sync_folder(folder: Path) -> None:
    # some systems cannot open or flush a folder; the rename has happened all the same
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[BinaryIO]:
    """A file to stream into, which takes its name when the block ends well and vanishes when it does not.

    What was written can be read back. Raises what `write_atomically` raises. A pipe or a device is written to as
    it is, and cannot.
    """
    aside = path.parent / f".{secrets.token_hex(8)}.modseal"
    settled = False
    try:
        if is_stream(path):
            aside, settled = path, True
        descriptor = os.open(aside, os.O_WRONLY if settled else _ASIDE, 0o666)
        with open(descriptor, "wb" if settled else "w+b") as file:  # noqa: PTH123
            yield file
            file.flush()
            if not settled:
                os.fsync(file.fileno())
        if not settled:
            aside.replace(path)
            settled = True
            _sync_folder(path.parent)
    except FileNotFoundError as error:
        raise Misused(
            f"output {path}: the folder does not exist",
            check="output.no-folder",
            hint=f"mkdir -p {path.parent}",
        ) from error
    except OSError as error:
        raise Unavailable(f"output {path}: {error.strerror or error}", check="output.unwritable") from error
    finally:
        if not settled:
            with contextlib.suppress(OSError):
                aside.unlink()
