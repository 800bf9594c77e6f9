"""`modseal vendor`: the vendored tree from the lock, all of it or nothing.

1. The build list must be locked: a module without an entry is refused, not vendored.
2. Everything is written beside the target: each module's files, its tree list, and the list of modules. What was
   written is hashed while it is written, and has the locked hash, or nothing happens.
3. The new tree takes the target's name, and the former one goes only then. The same lock gives the same bytes,
   whatever place they came from.
4. `--restore` keeps the other modules' files as they are, whatever they are.

cue itself does not read `cue.mod/vendor`; `--cache` (`cache_filling`) makes what it does read.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from verify.ecosystems.cue.vendor_list import (
    LIST_PATH,
    VENDOR_FOLDER,
    Vendored,
    VendorList,
    render_vendor_list,
    vendored_folder,
    vendored_tree_list,
)
from verify.errors import Misused, Refuted, Unavailable
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.tree.listing import TreeList
from verify.workflows.network import Network, default_network
from verify.workflows.supply import Supply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.module import Module
    from verify.tree.port import Tree

ADVICE = "cue itself does not read this folder; modseal vendor --cache DIR writes what it reads"


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorOrder:
    """What to vendor, from where, and where to."""

    root: str
    out: str | None = None
    sources: tuple[str, ...] = ()
    restore: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    network: Network = default_network

    def supply(self, limits: Limits, events: Events) -> Supply:
        """Where the modules come from; use it in a `with`. Raises as `Supply`."""
        return Supply(self.root, self.sources, self.environment, self.network, limits=limits, events=events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What lies where now, and where each module came from."""

    folder: str
    modules: tuple[tuple[str, str], ...]
    files: int
    advice: str  # who reads it

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.vendored/1",
            "folder": self.folder,
            "files": self.files,
            "modules": [{"module": name, "from": source} for name, source in self.modules],
        }


def vendor(order: VendorOrder, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Done:
    """Write it. Raises Misused, Refuted (`lock.entry`, `lock.changed`), Absent, Unavailable, Malformed."""
    with order.supply(limits, events) as supply:
        return _vendor(order, supply, limits, events)


def _vendor(order: VendorOrder, supply: Supply, limits: Limits, events: Events) -> Done:
    target = Path(order.out) if order.out is not None else Path(order.root, VENDOR_FOLDER)
    modules = supply.modules()
    restored = _restored(order, modules)
    _check_target(target, ours=order.out is None)
    told: list[tuple[str, str]] = []
    files = 0
    with _beside(target) as (aside, take_name):
        for module in modules:
            if restored is not None and module not in restored:
                count, source = _keep(target, aside, module), "kept"
            else:
                with supply.tree(module) as (tree, source):
                    listed = _write(tree, aside / _inside(vendored_folder(module)), limits)
                _check_written(listed, supply, module)
                (aside / _inside(vendored_tree_list(module))).write_bytes(listed.render())
                count = len(listed)
            files += count
            told.append((str(module), source))
            events.note(Level.INFO, f"{module}: {count} files from {source}")
        (aside / _inside(LIST_PATH)).write_bytes(render_vendor_list(_record(supply, modules)))
        take_name()
    return Done(folder=str(target), modules=tuple(told), files=files, advice=ADVICE)


def _record(supply: Supply, modules: tuple[Module, ...]) -> VendorList:
    found = []
    for module in modules:
        entry = supply.entries[str(module)]
        if entry.archive is not None and entry.manifest is not None:
            found.append(Vendored(module, entry.archive, entry.manifest))
    return VendorList.of(tuple(found))


def _check_written(listed: TreeList, supply: Supply, module: Module) -> None:
    locked = supply.entries[str(module)].tree
    if listed.tree_hash != locked:
        raise Refuted(f"{module}: wrote {listed.tree_hash}, expected {locked}", check="tree.hash")


def _inside(path: str) -> str:
    return path.removeprefix(f"{VENDOR_FOLDER}/")


def _restored(order: VendorOrder, modules: tuple[Module, ...]) -> set[Module] | None:
    if not order.restore:
        return None
    for name in order.restore:
        if all(name not in {str(module), module.path} for module in modules):
            raise Misused(f"--restore {name}: the build list has no such module")
    return {module for module in modules if {str(module), module.path} & set(order.restore)}


def _check_target(target: Path, *, ours: bool) -> None:
    """A folder that this command may replace: none, an empty one, or a vendored tree."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Misused(f"{target}: expected a folder or nothing")
    if ours or not target.exists() or not any(target.iterdir()):
        return
    if not (target / _inside(LIST_PATH)).is_file():
        raise Misused(f"{target}: not empty, and not a vendored tree", hint=f"rm -r {target}")


def _write(tree: Tree, into: Path, limits: Limits) -> TreeList:
    """Every file of a tree into a new folder; the list of what was written."""
    into.mkdir(parents=True)
    items: list[tuple[str, bytes]] = []
    made = {into}
    for entry in tree.entries():
        path = into / entry.name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        state = hashlib.sha256()
        with tree.open(entry.name) as source, path.open("xb") as file:
            while block := source.read(limits.chunk):
                state.update(block)
                file.write(block)
        items.append((entry.name, state.digest()))
    return TreeList.from_items(items)


def _keep(target: Path, aside: Path, module: Module) -> int:
    """Another module's files and list as they are."""
    for name in (_inside(vendored_folder(module)), _inside(vendored_tree_list(module))):
        source, copy = target / name, aside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink() or source.is_file():
            shutil.copy2(source, copy, follow_symlinks=False)
        elif source.is_dir():
            shutil.copytree(source, copy, symlinks=True)
    return sum(1 for each in (aside / _inside(vendored_folder(module))).rglob("*") if each.is_file())


@contextmanager
def _beside(target: Path) -> Iterator[tuple[Path, Callable[[], None]]]:
    """A new folder beside the target, which vanishes unless it is given the target's name."""
    mark = secrets.token_hex(8)
    aside, former = (target.absolute().with_name(f".{target.name}.{mark}.{kind}") for kind in ("new", "old"))

    def take_name() -> None:
        if hasattr(os, "sync"):
            os.sync()
        if target.exists():
            target.rename(former)
        try:
            aside.rename(target)
        except BaseException:
            if former.exists():
                former.rename(target)
            raise

    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        aside.mkdir()
        yield aside, take_name
    except OSError as error:
        raise Unavailable(f"{target}: {error.strerror or error}", check="output.unwritable") from error
    finally:
        for each in (aside, former):
            shutil.rmtree(each, ignore_errors=True)
