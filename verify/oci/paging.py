"""Lists that come in pages: which address is next, and when to stop believing in a next one.

The Link header is read in all its spellings in use: quoted or bare `rel`, with and without spaces.

>>> next_link(['</v2/a/tags/list?last=b>;rel=next'])
'/v2/a/tags/list?last=b'
>>> next_link(['<https://example.com/1>; rel="prev", <?n=2>; title="a, b"; rel="last next"'])
'?n=2'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.errors import Exhausted, Unavailable
from verify.oci import registrychecks as checks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.transport.address import Address
    from verify.transport.message import Response

_LINK = re.compile(r'<([^<>]*)>((?:[ \t]*;[ \t]*[^=;,<>" \t]+(?:[ \t]*=[ \t]*(?:"[^"]*"|[^";, \t]+))?)*)')
_PARAMETER = re.compile(r';[ \t]*([^=;,<>" \t]+)[ \t]*(?:=[ \t]*(?:"([^"]*)"|([^";, \t]+)))?')
_MOST = 16 << 10


def next_link(values: Iterable[str]) -> str | None:
    """The target of the first link whose relations include `next`."""
    for value in values:
        for target, parameters in _LINK.findall(value[:_MOST]):
            for name, quoted, bare in _PARAMETER.findall(parameters):
                if name.lower() == "rel" and "next" in (quoted or bare).lower().split():
                    return str(target)
    return None


class Pages:
    """Remembers where it has been."""

    def __init__(self, first: Address, most: int) -> None:
        self._first = first
        self._seen = {first.text}
        self._most = most
        self._count = 1

    def next(self, response: Response) -> Address | None:
        """Where the next page is; None at the end. Raises Unavailable (`registry.link`), Exhausted."""
        link = next_link(response.headers.all("link"))
        if link is None:
            if any("next" in value for value in response.headers.all("link")):
                raise self._refused("it cannot be read")
            return None
        try:
            there = response.address.join(link.partition("#")[0])
        except Unavailable as error:
            raise self._refused(error.message) from error
        return self.go(there)

    def go(self, there: Address) -> Address:
        """One page further. Raises as `next`."""
        if there.origin != self._first.origin:
            raise self._refused(f"it is at {there.origin}")
        if there.text in self._seen:
            raise self._refused("it was read before")
        if self._count >= self._most:
            raise Exhausted(f"{self._first}: more than {self._most} pages", check=checks.LIMIT.id)
        self._count += 1
        self._seen.add(there.text)
        return there

    def _refused(self, why: str) -> Unavailable:
        return Unavailable(f"{self._first}: the next page is refused: {why}", check=checks.LINK.id)
