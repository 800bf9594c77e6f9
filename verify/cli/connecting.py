"""Options of every command that may use a network, as a decorator: passes `connection`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from verify.cli.options import Command

_FILE = click.Path(path_type=Path, dir_okay=False)


def connecting(function: Command) -> Command:
    """Adds --offline, --plain-http, --authfile, --ca-file, --client-cert and --client-key."""

    @click.option("--offline", is_flag=True, help="Use no network.")
    @click.option("--plain-http", is_flag=True, help="No TLS, also beyond this machine.")
    @click.option("--authfile", type=_FILE, help="Credentials from this file and nowhere else.")
    @click.option("--ca-file", type=_FILE, help="Authorities to trust besides the system's (PEM).")
    @click.option("--client-cert", type=_FILE, help="Our certificate for the registry (PEM).")
    @click.option("--client-key", type=_FILE, help="Its key, if in another file.")
    @functools.wraps(function)
    def wrapped(
        *args: Any,
        offline: bool,
        plain_http: bool,
        authfile: Path | None,
        ca_file: Path | None,
        client_cert: Path | None,
        client_key: Path | None,
        **kwargs: Any,
    ) -> Any:
        from verify.workflows.connection import Connection  # noqa: PLC0415

        connection = Connection(
            offline=offline,
            plain_http=True if plain_http else None,
            authfile=authfile,
            ca_file=ca_file,
            client_certificate=client_cert,
            client_key=client_key,
        )
        return function(*args, connection=connection, **kwargs)

    return wrapped
