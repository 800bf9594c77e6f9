"""`login` and `logout`: a credential is tried, then kept; a wrong one is never kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused, Unavailable
from verify.oci.endpoint import registry_address
from verify.oci.reference import Reference
from verify.transport.credentials import Credential, Secret, host_of
from verify.transport.keepsake import forget_login, keep_login
from verify.transport.keychain import Keychain
from verify.transport.message import Request
from verify.workflows.connection import Connection, connected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.transport.credentials import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedIn:
    """What a login did."""

    account: str
    kept: str
    anonymous: bool  # the registry did not ask who we are, so the password was not tried


class _Only:
    """One credential for one host, as it is being tried."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential
        self.asked = False

    def find(self, account: str) -> Credential | None:
        del account
        self.asked = True
        return self._credential


def log_in(
    registry: str,
    user: str,
    password: Secret,
    *,
    connection: Connection,
    environ: Mapping[str, str] | None = None,
) -> LoggedIn:
    """Raises Misused, Unavailable (`fetch.unauthorized` where the credential is wrong)."""
    if not user or ":" in user or not password.reveal():
        raise Misused("login: expected a user without a colon, and a password", check="credentials.user")
    account, host = _account(registry)
    keys = _Only(Credential(user=user, password=password, source="login"))
    _ask(host, account, keys, connection, environ)
    path = _keychain(connection, environ).target()
    return LoggedIn(account=account, kept=keep_login(path, account, user, password), anonymous=not keys.asked)


def log_out(
    registry: str, *, connection: Connection, environ: Mapping[str, str] | None = None
) -> tuple[str, bool]:
    """The account, and whether anything was forgotten. Only the file that a login writes is changed."""
    account, _ = _account(registry)
    return account, forget_login(_keychain(connection, environ).target(), account)


def _ask(
    host: str, account: str, keys: Keys, connection: Connection, environ: Mapping[str, str] | None
) -> None:
    address = registry_address(host, plain_http=connection.plain_http).at("/v2/")
    with connected(connection, host=host, keys=keys, environ=environ) as client:
        response = client.send(Request(method="GET", address=address, account=account))
        response.close()
    if response.status != 200 or response.headers.media_type == "text/html":
        raise Unavailable(
            f"{address}: answers {response.status}, expected an OCI registry", check="registry.unexpected"
        )


def _account(registry: str) -> tuple[str, str]:
    """`host[:port]` or `host[:port]/path`, and the host whose API is asked."""
    host, slash, path = registry.removeprefix("https://").removeprefix("oci://").rstrip("/").partition("/")
    # a reference's own rules: a path that is none names no account either
    reference = Reference.parse(f"oci://{host}/{path or 'library/any'}")
    if reference.tag is not None or reference.digest is not None:
        raise Misused(f"{registry}: expected a registry without tag and digest", check="oci.reference")
    return f"{reference.host}{slash}{path}", host_of(reference.api_host)


def _keychain(connection: Connection, environ: Mapping[str, str] | None) -> Keychain:
    variables = os.environ if environ is None else environ
    home = Path(variables.get("HOME") or Path.home())
    return Keychain(variables, home=home, authfile=connection.authfile)
