"""Where the modules of a workspace are fetched from: what `--from` names, in order, or what `CUE_REGISTRY` says.

    --from ocidir://DIR  --from ./DIR     a layout folder, or a tree of them (`verify.ecosystems.cue.layouts`)
    --from oci://HOST/PREFIX              repositories below a prefix of a registry
    (nothing)                             each module's own place, exactly as cue resolves it

The first place that has a module is the only one that is asked for it. Only *absent* leads to the next: a place that
cannot be reached, or that lies, is never papered over by another.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from verify.ecosystems.cue.download import fetch_module_file
from verify.ecosystems.cue.layouts import Layouts
from verify.errors import Absent, Misused, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci.reference import LayoutReference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.digest import Digest
    from verify.module import Module
    from verify.oci.store import ReadStore


class Origin(Protocol):
    """One place."""

    def store(self, module: Module, *, by_tag: bool = True) -> tuple[ReadStore, str]:
        """Its store for a module, and the module's tag. Raises Absent, Unavailable, Refuted."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Modules found through a registry setting."""

    setting: str
    limits: Limits = DEFAULT

    def store(self, module: Module, *, by_tag: bool = True) -> tuple[ReadStore, str]:
        """As the setting says. Raises Unavailable where it says nowhere, or no client is there."""
        del by_tag  # a repository is named after the module: its tag is the module's
        try:
            stores = importlib.import_module("verify.workflows.stores")
        except ModuleNotFoundError as error:
            raise Unavailable(
                f"{module}: no registry can be asked", check="fetch.unavailable", hint="--from ocidir://DIR"
            ) from error
        place = stores.locate(str(module), {"CUE_REGISTRY": self.setting})
        store: ReadStore = stores.open_store(place, stores.Access(), limits=self.limits)
        return store, place.reference.tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """All places, in the order in which they are asked."""

    places: tuple[Origin, ...]
    name: str
    limits: Limits = DEFAULT

    def find(self, module: Module) -> tuple[ReadStore, str]:
        """The first place whose tag names the module. Raises Absent, Unavailable, Refuted."""
        missing: Absent | None = None
        for place in self.places:
            try:
                store, tag = place.store(module)
                store.resolve(tag)
            except Absent as error:
                missing = error
                continue
            return store, tag
        raise missing or _nowhere(module)

    def find_locked(self, module: Module, manifest: Digest) -> tuple[ReadStore, str]:
        """The first place that has this very manifest. Raises as `find`."""
        missing: Absent | None = None
        for place in self.places:
            try:
                store, tag = place.store(module, by_tag=False)
                store.get_manifest(manifest)
            except Absent as error:
                missing = error
                continue
            return store, tag
        raise missing or _nowhere(module)

    def module_file(self, module: Module) -> bytes:
        """For the selection of versions. Raises as `find`, Malformed."""
        store, tag = self.find(module)
        return fetch_module_file(store, tag, module, limits=self.limits)[1]


def open_origins(
    sources: Sequence[str], environment: Mapping[str, str], *, limits: Limits = DEFAULT
) -> Origins:
    """From the words behind `--from`. Nothing is asked yet. Raises Misused."""
    if not sources:
        setting = environment.get("CUE_REGISTRY", "")
        return Origins(
            places=(Registry(setting, limits),), name="the registries cue would ask", limits=limits
        )
    return Origins(
        places=tuple(_origin(each, limits) for each in sources), name=", ".join(sources), limits=limits
    )


def _origin(text: str, limits: Limits) -> Origin:
    if text.startswith("oci://"):
        return Registry(text.removeprefix("oci://").rstrip("/"), limits)
    path = text
    if text.startswith("ocidir://"):
        reference = LayoutReference.parse(text)
        if reference.tag or reference.digest:
            raise Misused(f"--from {text}: expected a folder without tag and digest")
        path = reference.path
    elif text[0:1] not in {".", "/"}:
        raise Misused(
            f"--from {text}: expected a folder or a registry", hint=f"--from ./{text}, --from oci://{text}"
        )
    if not Path(path).is_dir():
        raise Absent(f"--from {text}: no such folder", check="tree.absent")
    return Layouts(path, limits)


def _nowhere(module: Module) -> Absent:
    return Absent(f"{module}: no place to fetch it from", check="fetch.absent")
