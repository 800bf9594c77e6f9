"""Which token server may see a credential.

1. A realm is a URL, possibly relative to the registry's; http or https, nothing else, and no user information.
2. From a registry on https, only https.
3. An inner host (see `address`) only where the registry is that same host: otherwise a registry could have our
   credential sent to whatever listens beside us. Public hosts may differ: Docker Hub's does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import Unavailable

if TYPE_CHECKING:
    from verify.transport.address import Address


def check_realm(registry: Address, realm: str) -> Address:
    """Where the token is to be asked for. Raises Unavailable (`transport.realm`)."""
    try:
        there = registry.join(realm.partition("#")[0])
    except Unavailable as error:
        raise _refused(registry, error.message) from error
    if registry.origin.scheme == "https" and there.origin.scheme != "https":
        raise _refused(registry, f"{there} is not https")
    if there.origin.inner and there.origin.host != registry.origin.host:
        raise _refused(registry, f"{there} is inside this network and not the registry")
    return there


def _refused(registry: Address, problem: str) -> Unavailable:
    return Unavailable(
        f"{registry.origin}: token server refused: {problem}",
        check="transport.realm",
        hint="no credential was sent; ask whoever runs the registry",
    )
