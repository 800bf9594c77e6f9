"""The vendored tree of a workspace: one walk, one reading of every file, and each module's share of both.

What lies in `cue.mod/vendor` is divided by the place where it lies: a module's folder, the tree list beside it, the
list `modules.cue`, and strays, which nothing explains. A folder is a module's by its name alone; whether anybody
locked that module is not asked here.

>>> share_of("example.com/net@v1.4.0/templates/a.cue")
('example.com/net@v1.4.0', 'templates/a.cue')
>>> share_of("example.com/net@v1.4.0.h1list"), share_of("README")
(('', 'example.com/net@v1.4.0.h1list'), ('', 'README'))
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from verify.ecosystems.cue.names import MODULE_FILE, unescaped_folder
from verify.ecosystems.cue.vendor_list import LIST_PATH, TREE_LIST_SUFFIX, VENDOR_FOLDER, vendored_folder
from verify.errors import Absent, Malformed, ModsealError
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.tree.below import lies_below
from verify.tree.directory import DirectoryTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.digest import Measure
    from verify.module import Module
    from verify.tree.port import Entry, Irregular

_SHARE = re.compile(r"((?:[^/@]+/)*[^/@]+@v[^/]+)/(.+)", re.DOTALL)
_LIST = LIST_PATH.removeprefix(f"{VENDOR_FOLDER}/")


def share_of(name: str) -> tuple[str, str]:
    """The module folder a name lies in and the name inside it; without a folder, the name as it is."""
    match = _SHARE.fullmatch(name)
    if match is None or module_of(match[1]) is None:
        return "", name
    return match[1], match[2]


def module_of(folder: str) -> Module | None:
    """The module whose folder this is, if it is one's."""
    try:
        return unescaped_folder(folder)
    except Malformed:
        return None


@dataclass(slots=True)
class Share:
    """The tree of one vendored module, read already."""

    tree: DirectoryTree
    folder: str
    found: list[tuple[Entry, Measure]] = field(default_factory=list)
    odd: list[Irregular] = field(default_factory=list)

    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for entry, _ in self.found)

    def irregulars(self) -> tuple[Irregular, ...]:
        return tuple(self.odd)

    def open(self, name: str) -> BinaryIO:
        return self.tree.open(f"{self.folder}/{name}")

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        return iter(self.found)

    @property
    def module_file(self) -> bytes | None:
        """The SHA-256 of its module file, if it has one."""
        return next((measure.sha256 for entry, measure in self.found if entry.name == MODULE_FILE), None)


@dataclass(slots=True, kw_only=True)
class VendoredTree:
    """Everything that lies there. `error` is what ended the reading before its end; then shares are not complete."""

    tree: DirectoryTree
    shares: dict[str, Share] = field(default_factory=dict)
    tree_lists: dict[str, bytes] = field(default_factory=dict)  # by module folder: the SHA-256 of the list
    has_list: bool = False
    strays: list[str] = field(default_factory=list)
    odd: list[Irregular] = field(default_factory=list)  # outside every module
    error: ModsealError | None = None

    def share(self, module: Module) -> Share | None:
        """What lies in a module's folder."""
        return self.shares.get(_folder(module))

    def tree_list(self, module: Module) -> bytes | None:
        """The SHA-256 of a module's tree list."""
        return self.tree_lists.get(_folder(module))

    def read(self, name: str, most: int) -> bytes:
        """A document in it. Raises Absent, Refuted, Malformed beyond `most`."""
        with self.tree.open(name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise Malformed(f"{name}: expected at most {most} bytes", check="limit.size")
        return data

    def module_file(self, module: Module) -> bytes:
        """For the selection of versions. Raises Absent, Refuted, Malformed."""
        return self.read(f"{_folder(module)}/{MODULE_FILE}", DEFAULT.document_bytes)


def load_vendored(root: str, *, limits: Limits = DEFAULT, events: Events = SILENT) -> VendoredTree | None:
    """Read all of it, or nothing where there is none. What ends the reading is kept as `error`."""
    try:
        if not lies_below(root, VENDOR_FOLDER):
            return None
    except Absent:
        return None
    tree = DirectoryTree(root, limits, events, below=VENDOR_FOLDER)
    found = VendoredTree(tree=tree)
    try:
        for irregular in tree.irregulars():
            _place_odd(found, irregular)
        _read(found)
    except ModsealError as error:  # what was read before it stays read, and the rest is not taken for missing
        found.error = error
    return found


def _read(found: VendoredTree) -> None:
    folder, share, skip = "\0", None, 0
    for entry, measure in found.tree.measures():
        name = entry.name
        if share is None or not name.startswith(folder):
            inside, _ = share_of(name)
            if not inside:
                _place(found, name, measure.sha256)
                continue
            folder, skip = f"{inside}/", len(inside) + 1
            share = found.shares.setdefault(inside, Share(found.tree, inside))
        share.found.append((type(entry)(name[skip:], entry.size, entry.executable), measure))


def _place(found: VendoredTree, name: str, sha256: bytes) -> None:
    base = name.removesuffix(TREE_LIST_SUFFIX)
    if name == _LIST:
        found.has_list = True
    elif base != name and module_of(base) is not None:
        found.tree_lists[base] = sha256
    else:
        found.strays.append(name)


def _place_odd(found: VendoredTree, irregular: Irregular) -> None:
    folder, name = share_of(irregular.name)
    if not folder and module_of(irregular.name) is not None:
        folder, name = irregular.name, "."  # the module's folder itself is a link, or empty
    if not folder:
        found.odd.append(irregular)
        return
    share = found.shares.setdefault(folder, Share(found.tree, folder))
    share.odd.append(type(irregular)(name, irregular.oddity, irregular.detail))


def _folder(module: Module) -> str:
    return vendored_folder(module).removeprefix(f"{VENDOR_FOLDER}/")
