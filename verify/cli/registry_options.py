"""Options of every command that may reach a registry, as a decorator; passes on one `access`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    Command: TypeAlias = Callable[..., Any]


def registry_options(function: Command) -> Command:
    """Adds how registries are reached."""

    @click.option("--authfile", metavar="FILE", help="Credentials, in the form of Docker's config.json.")
    @click.option("--plain-http", is_flag=True, help="Without TLS; for loopback this is not needed.")
    @click.option("--ca-cert", metavar="FILE", help="Certificate authorities to trust as well, PEM.")
    @click.option("--client-cert", metavar="FILE", help="Client certificate, PEM.")
    @click.option("--client-key", metavar="FILE", help="Its key, PEM; without it, the same file.")
    @click.option(
        "--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="Longest wait for an answer."
    )
    @click.option("--offline", is_flag=True, help="No network: only layout folders.")
    @functools.wraps(function)
    def wrapped(
        *args: Any,
        authfile: str | None,
        plain_http: bool,
        ca_cert: str | None,
        client_cert: str | None,
        client_key: str | None,
        timeout: float | None,
        offline: bool,
        **kwargs: Any,
    ) -> Any:
        from verify.workflows.stores import Access  # noqa: PLC0415 - --help needs none of it

        if client_key is not None and client_cert is None:
            raise click.UsageError("--client-key goes with --client-cert")
        access = Access(
            authfile=authfile,
            plain_http=plain_http,
            ca_cert=ca_cert,
            client_cert=client_cert,
            client_key=client_key,
            offline=offline,
            timeout=timeout,
        )
        return function(*args, access=access, **kwargs)

    return wrapped
