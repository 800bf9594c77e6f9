"""Where an answer may send us.

1. Only 301, 302, 303, 307 and 308 with one Location are redirects.
2. A GET or HEAD follows; another method follows 307 and 308 within its origin and nothing else, because its
   body was meant for whom it was sent to.
3. Never from https to http.
4. Never from a public host to an inner one (see `address`): a registry has no business in our network. From
   an inner host to itself or another inner one is fine.
5. A change of origin ends credentials; whoever follows sees to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import Unavailable

if TYPE_CHECKING:
    from verify.transport.address import Address
    from verify.transport.message import Response

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def redirect_target(method: str, response: Response) -> Address:
    """Raises Unavailable (`transport.redirect`, `transport.address`)."""
    here = response.address
    locations = response.headers.all("location")
    if len(locations) != 1:
        raise _refused(here, f"{len(locations)} Locations")
    there = here.join(locations[0].partition("#")[0])
    if method not in {"GET", "HEAD"} and (response.status not in {307, 308} or there.origin != here.origin):
        raise _refused(here, f"a {method} led to {there}")
    if here.origin.scheme == "https" and there.origin.scheme != "https":
        raise _refused(here, f"https led to {there}")
    if there.origin.inner and not here.origin.inner:
        raise _refused(here, f"a public host led to {there}")
    return there


def _refused(here: Address, problem: str) -> Unavailable:
    return Unavailable(f"{here}: redirect refused: {problem}", check="transport.redirect")
