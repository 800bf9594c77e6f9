"""Whether a working tree is its commit, asked without running anything that the repository names.

`git status` runs clean filters, a file system monitor and submodules' own configuration. Here the three lists
are compared directly: the commit's files (proved by their ids), the index, and the bytes on disk hashed as blobs.

This is stricter than `git status` on purpose. A file whose bytes differ from its object counts as changed even
where a filter or line-ending conversion would make them equal: what is packed is read from disk, so only equal
bytes prove that the commit says what is packed. Flags that hide changes (assume-unchanged, skip-worktree,
`core.fileMode`) do not count, and a symbolic link must be one.

Codes are those of `git status --porcelain`: index first, then working tree, `??` for what is not tracked.
A submodule is as it was committed when it is in the index so; its own files are not looked at.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Refuted
from verify.tree import gitchecks
from verify.tree.commit import GitTree
from verify.tree.objects import blob_id, object_id

if TYPE_CHECKING:
    from pathlib import Path

    from verify.tree.git import Repository
    from verify.tree.objects import Item

_MANY = 5
_NATURES = {"blob": stat.S_ISREG, "link": stat.S_ISLNK, "gitlink": stat.S_ISDIR, "tree": stat.S_ISDIR}


@dataclass(frozen=True, slots=True)
class Change:
    """One name that is not as committed, from the root of the working tree; not UTF-8 as surrogates."""

    code: str
    name: str

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def list_changes(repository: Repository, subdir: str = "") -> tuple[Change, ...]:
    """Everything below `subdir` (or that file) that differs from HEAD, by name. Empty is clean."""
    codes: dict[bytes, list[str]] = {}
    committed = _committed(repository, subdir)
    staged = {item.name: item for item, stage in repository.staged(subdir) if stage == 0}
    for item, stage in repository.staged(subdir):
        if stage:
            codes[item.name] = ["U", "U"]
    for name in committed.keys() | staged.keys():
        before, now = committed.get(name), staged.get(name)
        if name in codes or (before and now and _same(before, now)):
            continue
        codes[name] = ["A" if before is None else "D" if now is None else "M", " "]
    folders: dict[Path, bool] = {repository.top: True}
    for name, item in staged.items():
        code = _on_disk(repository.top, item, folders, repository.limits.chunk)
        if code != " ":
            codes.setdefault(name, [" ", " "])[1] = code
    for name in repository.untracked(subdir):
        codes.setdefault(name, ["?", "?"])
    return tuple(
        Change("".join(code), name.decode("utf-8", "surrogateescape")) for name, code in sorted(codes.items())
    )


def require_clean(repository: Repository, subdir: str = "") -> None:
    """Raises Refuted (`git.unclean`)."""
    changes = list_changes(repository, subdir)
    if changes:
        told = ", ".join(map(str, changes[:_MANY])) + (", …" if len(changes) > _MANY else "")
        raise Refuted(
            f"working tree {subdir or '.'}: expected what HEAD has, got {len(changes)} changes ({told})",
            check=gitchecks.UNCLEAN.id,
            hint="git status, then commit, stash or ignore",
        )


def _same(left: Item, right: Item) -> bool:
    return (left.kind, left.executable, left.oid) == (right.kind, right.executable, right.oid)


def _committed(repository: Repository, subdir: str) -> dict[bytes, Item]:
    try:
        commit = repository.resolve("HEAD")
    except Absent:
        return {}  # before the first commit, all that is staged is added
    with GitTree(repository, commit, "", repository.limits) as tree:
        where = subdir.encode("utf-8", "surrogateescape")
        return {
            item.name: item
            for item in tree.items()
            if not where or item.name == where or item.name.startswith(where + b"/")
        }


def _on_disk(top: Path, item: Item, folders: dict[Path, bool], chunk: int) -> str:
    path = top / os.fsdecode(item.name)
    try:
        seen = path.lstat() if _is_folder(path.parent, folders) else None
        if seen is None:
            return "D"
        if not _NATURES[item.kind](seen.st_mode):
            return "T"
        same = item.kind == "gitlink" or _same_bytes(path, item, seen, chunk)
    except FileNotFoundError:
        return "D"
    except OSError:
        same = False  # what cannot be read is not known to be as committed
    return " " if same else "M"


def _same_bytes(path: Path, item: Item, seen: os.stat_result, chunk: int) -> bool:
    if item.kind == "link":
        target = os.readlink(os.fsencode(path))  # noqa: PTH115  # as bytes: a path would tidy it
        return object_id("blob", target, like=item.oid) == item.oid
    if os.name == "posix" and bool(seen.st_mode & stat.S_IXUSR) != item.executable:
        return False
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    )
    with os.fdopen(os.open(path, flags), "rb") as stream:
        return blob_id(stream, seen.st_size, like=item.oid, chunk=chunk) == item.oid


def _is_folder(folder: Path, known: dict[Path, bool]) -> bool:
    """A folder reached through no link: git takes files behind a link for deleted."""
    found = known.get(folder)
    if found is None:
        try:
            found = _is_folder(folder.parent, known) and stat.S_ISDIR(folder.lstat().st_mode)
        except OSError:
            found = False
        known[folder] = found
    return found
