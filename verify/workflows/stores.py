"""From a word on the command line to the store that it names.

1. `oci://host/repository` and the same without the scheme are a registry's repository, `ocidir://path` is a layout
   folder, and `example.com/mod@v1.2.3` is whatever `CUE_REGISTRY` says of that module.
2. A tag is resolved once, and a digest beside it decides. Without either, a layout folder's only artifact is
   meant; a registry has no such default, because what `latest` is differs from day to day.
3. With `--offline` a registry's store can be opened, and asking it anything raises Unavailable (`fetch.offline`).

>>> str(locate("ocidir://./mirror:v1.2.3").reference)
'ocidir://./mirror:v1.2.3'
>>> str(locate("example.com/net@v1.2.3", {"CUE_REGISTRY": "localhost:5000/cue"}).reference)
'oci://localhost:5000/cue/example.com/net:v1.2.3'
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused, ModsealError, Unavailable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.layout import LayoutStore
from verify.oci.reference import LayoutReference, Reference, check_repository, check_tag, parse_reference
from verify.workflows.sources import read_document
from verify.workflows.targets import LayoutTarget, ModuleTarget, OciTarget, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.module import Module
    from verify.oci.manifest import Document
    from verify.oci.store import Fetched, Store
    from verify.transport.client import HttpClient
    from verify.workflows.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is or shall be."""

    reference: Reference | LayoutReference
    plain_http: bool = False  # `CUE_REGISTRY` says that this host has no TLS
    module: Module | None = None  # where it was named as a CUE module

    def __str__(self) -> str:
        return str(self.reference)


def locate(text: str, environment: Mapping[str, str] | None = None) -> Place:
    """Raises Misused; Malformed (`cue.registry`) and Unavailable where `CUE_REGISTRY` gives a module no place."""
    target = parse_target(text)
    if isinstance(target, ModuleTarget):
        return _module(text, os.environ if environment is None else environment)
    if isinstance(target, OciTarget | LayoutTarget):
        return Place(reference=parse_reference(text))
    raise Misused(
        f"{text}: expected a registry, a layout folder or a CUE module",
        hint="oci://HOST/REPO:TAG, ocidir://PATH:TAG",
    )


class Stores:
    """Opens stores. A registry's host has one client, so that its tokens and its patience are shared."""

    def __init__(self, connection: Connection, limits: Limits, events: Events, stack: ExitStack) -> None:
        self._connection, self._limits, self._events, self._stack = connection, limits, events, stack
        self._clients: dict[str, HttpClient] = {}

    def open(self, place: Place) -> Store:
        """Nothing is asked yet. Raises Misused where what the flags name cannot be used."""
        reference = place.reference
        if isinstance(reference, LayoutReference):
            return LayoutStore(reference.path, limits=self._limits)
        # the network's code is loaded where there is a network
        from verify.oci.registry import RegistryStore  # noqa: PLC0415
        from verify.workflows.connection import connected  # noqa: PLC0415

        host = reference.host
        if host not in self._clients:
            client = connected(self._connection, host=host, limits=self._limits, events=self._events)
            self._clients[host] = self._stack.enter_context(client)
        plain = True if place.plain_http else self._connection.plain_http
        # no events: whoever moves bytes through a store tells of them, whatever the store is
        return RegistryStore(reference, self._clients[host], plain_http=plain, limits=self._limits)


@contextmanager
def stores(connection: Connection, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Iterator[Stores]:
    """For as long as the block lasts; what was opened in it is closed with it."""
    with ExitStack() as stack:
        yield Stores(connection, limits, events, stack)


@contextmanager
def open_store(
    place: Place, connection: Connection, *, limits: Limits = DEFAULT, events: Events = SILENT
) -> Iterator[Store]:
    """One store, for as long as the block lasts. Raises as `Stores.open`."""
    with stores(connection, limits=limits, events=events) as opened:
        yield opened.open(place)


def fetch(store: Store, place: Place) -> Fetched:
    """The manifest that a place names, resolved once. Raises what the store raises, Misused where it names none."""
    reference = place.reference
    which = reference.digest or reference.tag
    if which is not None:
        return store.get_manifest(which)
    if isinstance(store, LayoutStore):
        return store.get_manifest(store.sole().digest)
    raise Misused(f"{reference}: expected a tag or a digest", hint=f"{reference}:latest, if that is meant")


def read(fetched: Fetched, place: Place, limits: Limits = DEFAULT) -> Document:
    """What a manifest says. Raises Malformed, Refuted, Exhausted, each naming the place."""
    try:
        return fetched.document(limits)
    except ModsealError as error:
        raise error.within(str(place)) from None


def _module(text: str, environment: Mapping[str, str]) -> Place:
    from verify.ecosystems.cue.names import parse_module  # noqa: PLC0415 - only names of modules need it
    from verify.ecosystems.cue.registry import parse_registry_config  # noqa: PLC0415

    identity = parse_module(text)
    resolver = parse_registry_config(
        environment.get("CUE_REGISTRY", ""), lambda path: read_document(Path(path), DEFAULT.document_bytes)
    )
    found = resolver.resolve(identity.path, identity.version)
    if found is None:
        raise Unavailable(f"{text}: CUE_REGISTRY says that no registry has it", check="cue.registry")
    reference = Reference(
        host=found.host,
        repository=check_repository(found.host, found.repository, text),
        tag=check_tag(found.tag),
    )
    return Place(reference=reference, plain_http=found.insecure, module=identity)
