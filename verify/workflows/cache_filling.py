"""`modseal vendor --cache DIR`: a module cache that an unmodified cue works from without a network.

    CUE_CACHE_DIR=DIR CUE_REGISTRY=none cue export

Each module's served file and archive are written as they were published, byte for byte, with the locked digests; cue
extracts them on first use. Files appear whole or not at all, and one that is there already is written again only where
it differs, so that an interrupted run can be repeated.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from verify.digest import measure
from verify.ecosystems.cue.cache import ModuleCache, archive_path, module_file_path
from verify.ecosystems.cue.workspace import modfile_hash
from verify.errors import Absent, Refuted
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.workflows.outputs import write_atomically, written_aside
from verify.workflows.vendoring import Done

if TYPE_CHECKING:
    from verify.module import Module
    from verify.workflows.supply import Supply
    from verify.workflows.vendoring import VendorOrder


def fill_cache(order: VendorOrder, folder: str, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Done:
    """Fill it. Raises as `vendor` does."""
    target = ModuleCache(root=folder, limits=limits)
    told = []
    with order.supply(limits, events) as supply:
        modules = supply.modules()
        for module in modules:
            source = "already there"
            if not _there(target, supply, module):
                _fill(Path(folder), supply, module)
                source = "fetched"
            told.append((str(module), source))
            events.note(Level.INFO, f"{module}: {source}")
    advice = f"use it with CUE_CACHE_DIR={folder} CUE_REGISTRY=none"
    return Done(folder=folder, modules=tuple(told), files=2 * len(modules), advice=advice)


def _there(target: ModuleCache, supply: Supply, module: Module) -> bool:
    entry = supply.entries[str(module)]
    try:
        if not target or modfile_hash(target.module_file(module)) != entry.modfile:
            return False
        with target.open_archive(module) as file:
            return measure(file, most=supply.limits.archive_bytes).digest == entry.archive
    except Absent:
        return False


def _fill(folder: Path, supply: Supply, module: Module) -> None:
    entry = supply.entries[str(module)]
    archive, served = folder / archive_path(module), folder / module_file_path(module)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with supply.originals(module) as (module_file, blocks):
        if modfile_hash(module_file) != entry.modfile:
            raise Refuted(f"{module}: another module file than the locked one", check="lock.modfile")
        state = hashlib.sha256()
        with written_aside(archive) as file:
            for block in blocks:
                state.update(block)
                file.write(block)
            if entry.archive is None or state.hexdigest() != entry.archive.hex:
                raise Refuted(f"{module}: wrote another archive than the locked one", check="lock.archive")
        write_atomically(served, module_file)
