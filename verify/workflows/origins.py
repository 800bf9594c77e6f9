"""Where the modules of a workspace are fetched from: what `--from` names, in order, or what `CUE_REGISTRY` says.

    --from ocidir://DIR  --from ./DIR     a layout folder, or a tree of them (`verify.ecosystems.cue.layouts`)
    --from oci://HOST/PREFIX              repositories below a prefix of a registry
    (nothing)                             each module's own place, exactly as cue resolves it

The first place that has a module is the only one that is asked for it. Only *absent* leads to the next: a place that
cannot be reached, or that lies, is never papered over by another.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from verify.ecosystems.cue.download import fetch_module_file
from verify.ecosystems.cue.layouts import Layouts
from verify.errors import Absent, Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.reference import LayoutReference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.digest import Digest
    from verify.module import Module
    from verify.oci.store import ReadStore
    from verify.workflows.network import Network
    from verify.workflows.stores import Stores


class Origin(Protocol):
    """One place."""

    def store(self, module: Module, *, by_tag: bool = True) -> tuple[ReadStore, str]:
        """Its store for a module, and the module's tag. Raises Absent, Unavailable, Refuted."""


class Registry:
    """Modules found through a registry setting; the network's code is loaded when the first one is asked for."""

    def __init__(
        self, setting: str, network: Network, stack: ExitStack, limits: Limits, events: Events
    ) -> None:
        self._setting, self._network, self._stack = setting, network, stack
        self._limits, self._events = limits, events
        self._stores: Stores | None = None

    def store(self, module: Module, *, by_tag: bool = True) -> tuple[ReadStore, str]:
        """As the setting says. Raises Unavailable where it says nowhere, Malformed (`cue.registry`)."""
        del by_tag  # a repository is named after the module: its tag is the module's
        from verify.workflows.stores import Stores, locate  # noqa: PLC0415

        if self._stores is None:
            self._stores = Stores(self._network(), self._limits, self._events, self._stack)
        place = locate(str(module), {"CUE_REGISTRY": self._setting})
        return self._stores.open(place), place.reference.tag or module.version


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """All places, in the order in which they are asked."""

    places: tuple[Origin, ...]
    name: str
    stack: ExitStack
    limits: Limits = DEFAULT

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

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
    sources: Sequence[str],
    environment: Mapping[str, str],
    network: Network,
    *,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Origins:
    """From the words behind `--from`. Nothing is asked yet; use it in a `with`. Raises Misused, Absent."""
    stack = ExitStack()
    if not sources:
        setting = environment.get("CUE_REGISTRY", "")
        place = Registry(setting, network, stack, limits, events)
        return Origins(places=(place,), name="the registries cue would ask", stack=stack, limits=limits)
    places: list[Origin] = []
    for each in sources:
        if each.startswith("oci://"):
            places.append(Registry(each.removeprefix("oci://").rstrip("/"), network, stack, limits, events))
        else:
            places.append(_folder(each, limits))
    return Origins(places=tuple(places), name=", ".join(sources), stack=stack, limits=limits)


def _folder(text: str, limits: Limits) -> Layouts:
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
