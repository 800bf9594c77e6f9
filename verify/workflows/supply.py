"""Locked modules for `modseal vendor`, from the first place that has their locked bytes.

The vendored tree that is there already comes first, then cue's module cache, then what `--from` or `CUE_REGISTRY`
names. Every place is untrusted: what is given has the locked hash. A place nearby with other bytes is passed over; where
bytes are fetched, other bytes than the locked ones are refused.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from verify.archive.reader import read_archive
from verify.digest import measure
from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import ModuleCache, cache_folder
from verify.ecosystems.cue.download import Download, download
from verify.ecosystems.cue.vendor_list import VENDOR_FOLDER
from verify.ecosystems.cue.vendored import load_vendored
from verify.ecosystems.cue.workspace import load_workspace
from verify.errors import Absent, Malformed, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.tree.hashing import hash_tree
from verify.workflows.consulted import LockedFiles, consult
from verify.workflows.locking import locked_before
from verify.workflows.origins import open_origins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.ecosystems.cue.selection import ModuleSource
    from verify.module import Module
    from verify.sums.entry import SumEntry
    from verify.tree.port import Tree
    from verify.workflows.network import Network


class Supply:
    """One workspace's lock, and the places its modules come from."""

    def __init__(
        self,
        root: str,
        sources: Sequence[str],
        environment: Mapping[str, str],
        network: Network,
        *,
        limits: Limits = DEFAULT,
        events: Events = SILENT,
    ) -> None:
        self.limits, self.events = limits, events
        self.workspace = load_workspace(root, limits=limits)
        self.entries = locked_before(self.workspace, limits).by_key()
        self.vendored = load_vendored(root, limits=limits, events=events)
        self.cache = ModuleCache(root=cache_folder(environment), limits=limits) or None
        self.origins = open_origins(sources, environment, network, limits=limits, events=events)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.origins.stack.close()

    def modules(self) -> tuple[Module, ...]:
        """The build list, each module of it locked. Raises Refuted (`lock.entry`), Undecidable, Malformed."""
        places: list[ModuleSource] = [
            each for each in (self.vendored, self.cache, self.origins) if each is not None
        ]
        consulted = consult(self.workspace.main, LockedFiles(self.entries, places), limits=self.limits)
        for _, error in consulted.unread:
            raise error
        for module in consulted.build.modules:
            if str(module) not in self.entries:
                message = f"{module}: in the build list, not in the sum file"
                raise Refuted(message, check=checks.ENTRY.id, hint="modseal lock")
        return consulted.build.modules

    @contextmanager
    def tree(self, module: Module) -> Iterator[tuple[Tree, str]]:
        """Its files, and where they come from. Raises as `fetched`."""
        entry = self.entries[str(module)]
        share = (
            self.vendored.share(module) if self.vendored is not None and self.vendored.error is None else None
        )
        if share is not None and not share.odd and hash_tree(share) == entry.tree:
            yield share, VENDOR_FOLDER
            return
        if self._cached(module, entry):
            assert self.cache is not None  # noqa: S101 - it had the module a moment ago
            with self.cache.open_archive(module) as file:
                yield read_archive(file, limits=self.limits), "module cache"
            return
        with self.fetched(module) as found:
            yield found.archive, self.origins.name

    def _cached(self, module: Module, entry: SumEntry) -> bool:
        if self.cache is None:
            return False
        try:
            with self.cache.open_archive(module) as file:
                return hash_tree(read_archive(file, limits=self.limits)) == entry.tree
        except (Absent, Malformed, Refuted):
            return False  # another place may have what is locked

    @contextmanager
    def fetched(self, module: Module) -> Iterator[Download]:
        """As it was published. Raises Refuted where other bytes are served, Absent, Unavailable, Malformed."""
        entry = self.entries[str(module)]
        if entry.source is None and entry.manifest is not None:
            store, _ = self.origins.find_locked(module, entry.manifest)
            opened = download(store, entry.manifest, module, limits=self.limits, events=self.events)
        else:
            store, tag = self.origins.find(module)
            opened = download(store, tag, module, limits=self.limits, events=self.events)
        with opened as found:
            if (found.entry.tree, found.entry.modfile) != (entry.tree, entry.modfile):
                raise Refuted(f"{module}: other bytes than the locked ones", check=checks.CHANGED.id)
            yield found

    @contextmanager
    def originals(self, module: Module) -> Iterator[tuple[bytes, Iterator[bytes]]]:
        """The module file and the archive as they were published, byte for byte: from the cache, or fetched."""
        entry = self.entries[str(module)]
        if self.cache is not None:
            try:
                module_file = self.cache.module_file(module)
                file = self.cache.open_archive(module)
            except (Absent, Refuted):
                pass
            else:
                with file:
                    if measure(file, most=self.limits.archive_bytes).digest == entry.archive:
                        file.seek(0)
                        yield module_file, iter(lambda: file.read(self.limits.chunk), b"")
                        return
        with self.fetched(module) as found:
            if found.entry.archive != entry.archive:
                raise Refuted(f"{module}: another archive than the locked one", check=checks.ARCHIVE.id)
            found.file.seek(0)
            yield found.module_file, iter(lambda: found.file.read(self.limits.chunk), b"")
