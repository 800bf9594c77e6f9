"""Opens what a target names, as a tree where it is one.

A path is looked at once it is known to be a path: a folder is a tree, a file named `.zip` (or said to be one)
an archive read by our own reader, a file said to be a `list:` a tree list, any other file just bytes.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Absent, Malformed, Misused, Unavailable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.workflows.targets import GitTarget, PathKind, PathTarget, Target, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from verify.archive.reader import Archive
    from verify.tree.listing import TreeList
    from verify.tree.port import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was opened. A tree, or a list of one, or neither for a plain file."""

    target: Target
    kind: PathKind | None = None  # None for a git revision
    tree: Tree | None = None
    archive: Archive | None = None
    listing: TreeList | None = None
    file: BinaryIO | None = None
    commit: str | None = None
    notes: tuple[str, ...] = field(default=())

    def hashed(self) -> Tree:
        """The tree, where there is one. Raises Misused."""
        if self.tree is None:
            raise Misused(f"{self.target.text}: expected a folder, a zip or a git revision, got a plain file")
        return self.tree


@contextlib.contextmanager
def open_source(text: str, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Iterator[Source]:
    """Open one target for the time of the block. Raises what opening and reading it raises."""
    target = parse_target(text, bare_paths=True)
    if isinstance(target, GitTarget):
        with _git(target, limits, events) as source:
            yield source
    elif isinstance(target, PathTarget):
        kind = kind_of(target)
        if kind is PathKind.DIRECTORY:
            from verify.tree.directory import DirectoryTree  # noqa: PLC0415 - each kind of source loads its own

            yield Source(target=target, kind=kind, tree=DirectoryTree(target.path, limits, events))
        else:
            with open_file(target.path) as file:
                yield _file(target, kind, file, limits)
    else:
        raise Misused(
            f"{text}: expected a folder, a zip, a file or git:REV", hint="modseal pull fetches an artifact"
        )


def kind_of(target: PathTarget) -> PathKind:
    """What lies at a path, which must agree with what its prefix demanded. Raises Absent, Misused."""
    try:
        mode = target.path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Absent(f"{target.text}: no such file or folder", hint=f"ls -d {target.path}") from error
    except (OSError, ValueError) as error:
        raise Unavailable(f"{target.text}: cannot be looked at: {error}") from error
    is_folder = stat.S_ISDIR(mode)
    if not is_folder and not stat.S_ISREG(mode):
        raise Misused(f"{target.text}: expected a file or a folder, got neither")
    if target.kind is PathKind.ANY:
        if is_folder:
            return PathKind.DIRECTORY
        return PathKind.ZIP if target.path.suffix.lower() == ".zip" else PathKind.FILE
    if is_folder is not (target.kind is PathKind.DIRECTORY):
        raise Misused(
            f"{target.text}: expected a {target.kind.value}, got a {'folder' if is_folder else 'file'}"
        )
    return target.kind


def open_file(path: Path) -> BinaryIO:
    """A regular file for reading. Raises Absent, Unavailable, Misused for a folder, a pipe or a device."""
    try:
        # a pipe that nobody writes to would keep an ordinary open waiting for ever
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
    except FileNotFoundError as error:
        raise Absent(f"{path}: no such file") from error
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror or error}") from error
    raise Misused(f"{path}: expected a file, got a folder or something else that is none")


def read_document(path: Path, most: int) -> bytes:
    """A small file, whole. Raises Absent, Unavailable, Malformed beyond `most`."""
    with open_file(path) as file:
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise Unavailable(f"{path}: {error.strerror or error}") from error
    if len(data) > most:
        raise Malformed(f"{path}: expected at most {most} bytes", check="limit.size")
    return data


@contextlib.contextmanager
def _git(target: GitTarget, limits: Limits, events: Events) -> Iterator[Source]:
    from verify.tree.commit import GitTree  # noqa: PLC0415

    with GitTree.of(Path(), target.revision, target.subdir, limits=limits, events=events) as tree:
        yield Source(target=target, tree=tree, commit=tree.commit.oid)


def _file(target: PathTarget, kind: PathKind, file: BinaryIO, limits: Limits) -> Source:
    if kind is PathKind.ZIP:
        from verify.archive.reader import read_archive  # noqa: PLC0415

        archive = read_archive(file, limits=limits)
        notes = tuple(f"{fault.check}: {fault.text}" for fault in archive.notes)
        return Source(target=target, kind=kind, tree=archive, archive=archive, file=file, notes=notes)
    if kind is PathKind.LIST:
        from verify.tree.listing import TreeList  # noqa: PLC0415

        data = file.read(limits.list_bytes + 1)
        if len(data) > limits.list_bytes:
            raise Malformed(f"{target.text}: expected at most {limits.list_bytes} bytes", check="limit.size")
        return Source(target=target, kind=kind, listing=TreeList.parse(data), file=file)
    return Source(target=target, kind=kind, file=file)
