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
    """Adds --offline, --plain-http, --authfile, --ca-cert, --client-cert, --client-key and --timeout."""

    @click.option("--offline", is_flag=True, help="Use no network.")
    @click.option("--plain-http", is_flag=True, help="No TLS, also beyond this machine.")
    @click.option("--authfile", type=_FILE, help="Credentials from this file and nowhere else.")
    @click.option("--ca-cert", type=_FILE, help="Authorities to trust besides the system's (PEM).")
    @click.option("--client-cert", type=_FILE, help="Our certificate for the registry (PEM).")
    @click.option("--client-key", type=_FILE, help="Its key, if in another file.")
    @click.option(
        "--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="Longest silence of a registry."
    )
    @functools.wraps(function)
    def wrapped(
        *args: Any,
        offline: bool,
        plain_http: bool,
        authfile: Path | None,
        ca_cert: Path | None,
        client_cert: Path | None,
        client_key: Path | None,
        timeout: float | None,
        **kwargs: Any,
    ) -> Any:
        from verify.workflows.connection import Connection  # noqa: PLC0415

        if client_key is not None and client_cert is None:
            raise click.UsageError("--client-key goes with --client-cert")
        connection = Connection(
            offline=offline,
            plain_http=True if plain_http else None,
            authfile=authfile,
            ca_file=ca_cert,
            client_certificate=client_cert,
            client_key=client_key,
            timeout=timeout,
        )
        return function(*args, connection=connection, **kwargs)

    return wrapped
