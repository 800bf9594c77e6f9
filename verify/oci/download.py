"""A blob from a registry, in one stream even where the connection is cut on the way.

1. A stream that ends early, stalls or is cut goes on where it stopped: by Range, or, where the registry has no
   ranges, from the start with what we have already skipped. At most `blob_resumes` times, and only after
   progress.
2. A partial answer must begin at the byte that was asked for.
3. Nothing here says that the bytes are right: a VerifyingReader around it does, over all of them, whichever
   answers they came from.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from verify.errors import Unavailable
from verify.oci import registrychecks as checks

if TYPE_CHECKING:
    from verify.digest import Digest
    from verify.oci.endpoint import Endpoint
    from verify.transport.message import Response

_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")
_CUT = frozenset({"fetch.cut", "fetch.timeout", "fetch.slow"})
_SKIP = 1 << 20


class Download:
    """A Reader of one blob, as it comes."""

    def __init__(self, endpoint: Endpoint, digest: Digest, size: int | None) -> None:
        self._endpoint = endpoint
        self._digest = digest
        self._size = size
        self._what = f"blob {digest}"
        self._done = 0
        self._resumes = 0
        self._progress = True
        self._response = self._open()

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes. Raises Unavailable."""
        while True:
            try:
                block = self._response.body.read(size)
            except Unavailable as error:
                if error.check not in _CUT or not self._progress or self._over():
                    raise error.within(self._endpoint.place) from None
                self._resume()
                continue
            self._done += len(block)
            self._progress = self._progress or bool(block)
            return block

    def close(self) -> None:
        """Nothing more is read."""
        self._response.close()

    def _over(self) -> bool:
        return self._resumes >= self._endpoint.limits.blob_resumes

    def _open(self) -> Response:
        endpoint = self._endpoint
        response = endpoint.get(endpoint.at(f"blobs/{self._digest}"), framed=False)
        self._check(response)
        return response

    def _check(self, response: Response) -> None:
        endpoint = self._endpoint
        if response.status == 404:
            raise endpoint.unknown(response, self._what, "oci.blob-unknown")
        if response.status not in {200, 206}:
            raise endpoint.unexpected(response, self._what)
        if self._size is None or response.length != self._size:
            # what the artifact's author stored may be HTML; a login page has another length
            endpoint.refuse_html(response, self._what)

    def _resume(self) -> None:
        with suppress(Unavailable):
            self._response.close()
        self._resumes += 1
        self._progress = False
        endpoint = self._endpoint
        address = endpoint.at(f"blobs/{self._digest}")
        if self._done:
            response = endpoint.get(
                address, headers=(("Range", f"bytes={self._done}-"),), give=frozenset({416}), framed=False
            )
            if response.status == 206:
                self._response = self._partial(response)
                return
            if response.status != 200:
                response.close()
                response = endpoint.get(address, framed=False)
        else:
            response = endpoint.get(address, framed=False)
        self._check(response)
        self._response = response
        self._skip()

    def _partial(self, response: Response) -> Response:
        match = _RANGE.fullmatch(response.headers.get("content-range") or "")
        if match is None or int(match[1]) != self._done:
            shown = response.headers.get("content-range")
            response.close()
            raise Unavailable(
                f"{self._endpoint.place}: {self._what}: asked from byte {self._done}, got range {shown!r}",
                check=checks.UNEXPECTED.id,
            )
        return response

    def _skip(self) -> None:
        left = self._done
        while left:
            block = self._response.body.read(min(left, _SKIP))
            if not block:
                raise Unavailable(
                    f"{self._endpoint.place}: {self._what}: shorter the second time", check="fetch.cut"
                )
            left -= len(block)
