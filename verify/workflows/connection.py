"""The one client that a command shares, from flags and the environment: the driver of `transport`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.reference import LayoutReference, Reference, parse_reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.oci.registry import RegistryStore
    from verify.transport.client import HttpClient
    from verify.transport.credentials import Keys


_CERTIFICATES = (Path("/etc/containers/certs.d"), Path("/etc/docker/certs.d"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """What flags say about the network."""

    offline: bool = False
    plain_http: bool | None = None  # None: only on this machine
    authfile: Path | None = None
    ca_file: Path | None = None
    client_certificate: Path | None = None
    client_key: Path | None = None
    chunk: int | None = None
    timeout: float | None = None  # seconds of silence


@contextmanager
def connected(
    connection: Connection,
    *,
    host: str | None = None,
    keys: Keys | None = None,
    environ: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Iterator[HttpClient]:
    """A client until the block ends. `host` is whom a client certificate is for."""
    # commands have a Connection also where nothing but folders is named
    from verify.transport.client import HttpClient  # noqa: PLC0415
    from verify.transport.keychain import Keychain  # noqa: PLC0415
    from verify.transport.tls import ClientCertificate, Tls  # noqa: PLC0415
    from verify.transport.wire import UrllibWire  # noqa: PLC0415

    limits = _patience(connection, limits)
    variables = dict(os.environ) if environ is None else dict(environ)
    home = Path(variables.get("HOME") or Path.home())
    clients: dict[str, ClientCertificate] = {}
    if connection.client_certificate is not None:
        if host is None:
            raise Misused("client certificate: expected one host that it is for")
        clients[host] = ClientCertificate(
            certificate=connection.client_certificate, key=connection.client_key
        )
    folders = (home / ".config/containers/certs.d", *_CERTIFICATES)
    tls = Tls(authorities=connection.ca_file, clients=clients, folders=folders)
    found = keys
    if found is None:
        found = Keychain(variables, home=home, authfile=connection.authfile, limits=limits)
    wire = UrllibWire(tls=tls, environ=variables, limits=limits)
    client = HttpClient(wire, keys=found, offline=connection.offline, limits=limits, events=events)
    try:
        yield client
    finally:
        client.close()


def _patience(connection: Connection, limits: Limits) -> Limits:
    silence = connection.timeout
    if silence is None:
        return limits
    total = max(limits.http_total, silence)
    return replace(limits, http_connect=silence, http_read=silence, http_total=total)


def registry_store(
    text: str,
    client: HttpClient,
    connection: Connection,
    *,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> tuple[RegistryStore, Reference]:
    """The store of a registry reference. Raises Misused (`oci.reference`) for one to a layout folder."""
    from verify.oci.registry import RegistryStore  # noqa: PLC0415

    reference = parse_reference(text)
    if isinstance(reference, LayoutReference):
        raise Misused(f"{text}: expected a registry, got a layout folder", check="oci.reference")
    store = RegistryStore(
        reference,
        client,
        plain_http=connection.plain_http,
        chunk=connection.chunk,
        limits=limits,
        events=events,
    )
    return store, reference
