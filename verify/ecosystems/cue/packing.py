"""Which files make a CUE module: the rule set `cue/1`, exactly what `cue mod publish` packs.

`source.kind: "self"` packs a folder as it lies there:

1. What lies below `cue.mod/vendor/`, in a folder named exactly `.bzr`, `.git`, `.hg` or `.svn`, or in a folder
   below the root that itself has something named `cue.mod`, is omitted; so is what is no regular file.

`source.kind: "git"` packs what git tracks:

2. What is not tracked is omitted, and so are submodules. A tracked file that is not there is invalid.
3. Where the module is not the repository's root and tracks no `LICENSE`, the root's is packed as its own.

Then, for both, each name in byte order meets these, and the first that applies decides:

4. below `cue.mod/vendor/`: omitted
5. in a folder below the root that has something named `cue.mod`, whatever its case: omitted
6. `.hg_archival.txt` and `cue.mod/local-module.cue`: omitted
7. a name that cue does not accept: invalid
8. at the root, `cue.mod` in another case, or in it `module.cue` in another case: invalid
9. a name that differs from an earlier one only in case, or is both file and folder: invalid
10. no regular file: omitted
11. `cue.mod/module.cue` or `LICENSE` of more than 16 MiB: invalid

Files of more than 500 MiB together, or none named `cue.mod/module.cue`, are faults of the whole.

Three things are told apart from cue itself. A folder `cue.mod` that holds nothing at all cannot be seen in a
tree, so a folder around it is not omitted. A name with a newline, or not UTF-8, is invalid even where cue would
omit it for another reason. And a working tree counts as clean only when its bytes are those that were committed
(see `verify.tree.checkout`).

>>> from verify.tree.memory import MemoryTree
>>> source = MemoryTree({"cue.mod/module.cue": b"", "A.cue": b"", "a.cue": b"", "sub/cue.mod/module.cue": b""})
>>> found = select_self(source)
>>> found.selection.kept, [(each.name, each.check) for each in found.invalid]
(('A.cue', 'cue.mod/module.cue'), [('a.cue', 'name.case-collision')])
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.ecosystems.cue import packchecks
from verify.ecosystems.cue.names import MODULE_FILE
from verify.errors import Malformed, Refuted
from verify.limits import MIB
from verify.tree import checks
from verify.tree.checkout import require_clean
from verify.tree.memory import MemoryTree
from verify.tree.names import CUE, check_names
from verify.tree.port import Oddity
from verify.tree.rules import SelectedTree, Selection, in_control_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from verify.tree.git import Repository
    from verify.tree.port import Tree

RULES = "cue/1"
LICENSE = "LICENSE"
MOST_TOTAL = 500 * MIB
MOST_MODULE_FILE = MOST_LICENSE = 16 * MIB
_VENDOR = "cue.mod/vendor/"
_NOT_PLAIN = {
    Oddity.SYMLINK: "symbolic link",
    Oddity.GITLINK: "submodule",
    Oddity.DEVICE: "not a regular file",
    Oddity.FIFO: "not a regular file",
    Oddity.SOCKET: "not a regular file",
}
_INVALID = {
    Oddity.NAME_ENCODING: ("name.not-utf8", "name is not UTF-8"),
    Oddity.NAME_NEWLINE: ("name.control", "name holds a newline"),
    Oddity.UNREADABLE: ("tree.unreadable", "cannot be read"),
}


@dataclass(frozen=True, slots=True)
class Invalid:
    """A name that must not be packed, or a fault of the whole where the name is empty."""

    name: str
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class CueSelection:
    """Every name in exactly one of kept, omitted and invalid; and what is wrong with the whole."""

    selection: Selection
    invalid: tuple[Invalid, ...] = ()
    faults: tuple[Invalid, ...] = ()
    inherited: tuple[str, ...] = ()  # kept, and from the repository's root

    def require(self) -> None:
        """Raises Malformed with the gravest: size, then names, then the missing module file. As cue does."""
        size = [each for each in self.faults if each.check == packchecks.TOO_LARGE.id]
        for each in (*size, *self.invalid, *self.faults):
            more = f" (and {len(self.invalid) - 1} more)" if each.name and len(self.invalid) > 1 else ""
            raise Malformed(
                f"{each.name}: {each.reason}{more}" if each.name else each.reason, check=each.check
            )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A name, its size, and why it is no plain file, if it is none."""

    name: str
    size: int = 0
    odd: str | None = None


@dataclass(slots=True)
class _Account:
    kept: list[str] = field(default_factory=list)
    omitted: dict[str, str] = field(default_factory=dict)
    invalid: dict[str, Invalid] = field(default_factory=dict)
    total: int = 0

    def refuse(self, name: str, check: str, reason: str) -> None:
        self.invalid[name] = Invalid(name, check, reason)

    def close(self, inherited: tuple[str, ...] = ()) -> CueSelection:
        faults = []
        if self.total > MOST_TOTAL:
            reason = f"files of the module: expected at most {MOST_TOTAL} bytes, got {self.total}"
            faults.append(Invalid("", packchecks.TOO_LARGE.id, reason))
        if MODULE_FILE not in self.kept and MODULE_FILE not in self.invalid:
            faults.append(
                Invalid("", packchecks.NO_MODULE_FILE.id, f"module: expected {MODULE_FILE}, got none")
            )
        return CueSelection(
            Selection(
                tuple(self.kept), tuple(sorted(self.omitted.items(), key=lambda each: _order(each[0])))
            ),
            tuple(sorted(self.invalid.values(), key=lambda each: _order(each.name))),
            tuple(faults),
            inherited,
        )


def select_self(tree: Tree) -> CueSelection:
    """What kind self packs of a folder. Raises as the tree does."""
    account = _Account()
    candidates = list(_candidates(tree, account))
    modules = {
        name[: -len("/cue.mod")]
        for each in candidates
        for name in (each.name, *_folders(each.name))
        if name.endswith("/cue.mod")
    }
    plain = []
    for each in candidates:
        if each.name.startswith(_VENDOR):
            account.omitted[each.name] = "vendored"
        elif in_control_folder(each.name):
            account.omitted[each.name] = "version control"
        elif not modules.isdisjoint(_folders(each.name)):
            account.omitted[each.name] = "in another module"
        elif each.odd is not None:
            account.omitted[each.name] = each.odd
        else:
            plain.append(each)
    _judge(plain, account)
    return account.close()


def select_git(
    tree: Tree, tracked: Collection[str] | None = None, license_size: int | None = None
) -> CueSelection:
    """What kind git packs: `tracked` of a working tree, or all of a commit's tree where it is None.

    `license_size` is that of the `LICENSE` at the repository's root, where the module lies below it.
    """
    account = _Account()
    candidates = {each.name: each for each in _candidates(tree, account)}
    names = candidates.keys() if tracked is None else frozenset(tracked)
    for name in candidates.keys() - names:
        account.omitted[name] = "not tracked"
    for name in names - candidates.keys() - account.invalid.keys():
        account.refuse(name, checks.MISSING_FILE.id, "tracked, and not there")
    chosen = [each for name, each in candidates.items() if name in names]
    inherited = license_size is not None and LICENSE not in names
    if inherited:
        account.omitted.pop(LICENSE, None)
        chosen.append(_Candidate(LICENSE, license_size or 0))
    _judge(chosen, account)
    return account.close((LICENSE,) if inherited else ())


def open_source(tree: Tree, kind: str, repository: Repository | None = None) -> SelectedTree:
    """The files to pack of the folder `tree`, for a `source.kind`; git needs the repository around that folder.

    Raises Malformed (a name or the whole is invalid), Refuted (`git.unclean`), and as tree and repository do.
    """
    if kind == "self":
        found = select_self(tree)
        found.require()
        return SelectedTree(tree, found.selection)
    if kind != "git" or repository is None:
        raise Malformed(
            f"source.kind {kind!r}: expected self, or git and a repository", check=packchecks.SOURCE_KIND.id
        )
    require_clean(repository, repository.prefix)
    tracked = set(repository.ls_files(repository.prefix)) - _submodules(repository)
    root = _root_license(repository) if repository.prefix and LICENSE not in tracked else None
    found = select_git(tree, tracked, None if root is None else root.entries()[0].size)
    found.require()
    inherited = {} if root is None else dict.fromkeys(found.inherited, (root, LICENSE))
    return SelectedTree(tree, found.selection, inherited)


def _submodules(repository: Repository) -> set[str]:
    cut = len(os.fsencode(repository.prefix)) + 1 if repository.prefix else 0
    staged = repository.staged(repository.prefix)
    return {os.fsdecode(item.name[cut:]) for item, _ in staged if item.kind == "gitlink"}


def _root_license(repository: Repository) -> Tree | None:
    path = repository.top / LICENSE
    try:
        seen = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        raise Refuted(f"{path}: expected a regular file to inherit", check=packchecks.LICENSE_LINK.id)
    require_clean(repository, LICENSE)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        data = stream.read(MOST_LICENSE + 1)
    return MemoryTree({LICENSE: data})


def _candidates(tree: Tree, account: _Account) -> Iterator[_Candidate]:
    for entry in tree.entries():
        yield _Candidate(entry.name, entry.size)
    for irregular in tree.irregulars():
        if irregular.oddity in _INVALID:
            account.refuse(irregular.name, *_INVALID[irregular.oddity])
        elif irregular.oddity in _NOT_PLAIN:
            yield _Candidate(irregular.name, odd=_NOT_PLAIN[irregular.oddity])


def _judge(candidates: Iterable[_Candidate], account: _Account) -> None:
    """Rules 4 to 11."""
    ordered = sorted(candidates, key=lambda each: _order(each.name))
    modules = {_module_around(each.name) for each in ordered}
    seen: dict[str, tuple[str, bool]] = {}
    for each in ordered:
        name = each.name
        if each.odd == "submodule":
            account.omitted[name] = each.odd  # on disk a folder
        elif (reason := _omits(name, modules)) is not None:
            account.omitted[name] = reason
        elif (fault := _refuses(name) or _collides(name, seen)) is not None:
            account.refuse(name, *fault)
        elif each.odd is not None:
            account.omitted[name] = each.odd
        else:
            account.total += each.size
            most = {MODULE_FILE: MOST_MODULE_FILE, LICENSE: MOST_LICENSE}.get(name)
            if most is not None and each.size > most:
                account.refuse(
                    name, packchecks.FILE_TOO_LARGE.id, f"expected at most {most} bytes, got {each.size}"
                )
            else:
                account.kept.append(name)


def _omits(name: str, modules: set[str]) -> str | None:
    """Rules 4 to 6."""
    if name.startswith(_VENDOR):
        return "vendored"
    if not modules.isdisjoint(_folders(name)):
        return "in another module"
    if name == ".hg_archival.txt":
        return "inserted by hg archive"
    return "for development only" if name == "cue.mod/local-module.cue" else None


def _refuses(name: str) -> tuple[str, str] | None:
    """Rules 7 and 8."""
    for fault in check_names((name,), CUE):
        return fault.check.id, fault.detail
    first, _, rest = name.partition("/")
    if CUE.fold(first) == "cue.mod":
        if first != "cue.mod":
            return packchecks.CASE.id, "expected cue.mod in lower case"
        if CUE.fold(rest) == "module.cue" and rest != "module.cue":
            return packchecks.CASE.id, "expected module.cue in lower case"
    return None


def _collides(name: str, seen: dict[str, tuple[str, bool]]) -> tuple[str, str] | None:
    """Rule 9. What came first stays in `seen`, even of a name that is refused itself: so it is in cue."""
    path, folder = name, False
    while path:
        other, is_folder = seen.setdefault(CUE.fold(path), (path, folder))
        if other != path:
            return checks.NAME_CASE_COLLISION.id, f"{path} and {other} differ only in case"
        if is_folder != folder:
            return checks.NAME_FILE_AND_FOLDER.id, f"{path} is both a file and a folder"
        path, folder = path.rpartition("/")[0], True
    return None


def _module_around(name: str) -> str:
    """The folder that the last `cue.mod` in a name lies in; the root, and none at all, are empty."""
    parts = name.split("/")
    for at in range(len(parts) - 1, 0, -1):
        if CUE.fold(parts[at]) == "cue.mod":
            return "/".join(parts[:at])
    return ""


def _folders(name: str) -> Iterator[str]:
    above = name.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


def _order(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
