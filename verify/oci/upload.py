"""A blob into a registry: mounted, in one piece, or in chunks.

1. Where another repository of the registry has it, a mount is asked for; a registry that does not mount opens
   an upload instead, and that one is used.
2. POST opens an upload, PUT sends the bytes and closes it, with the digest. Every answer's Location replaces
   the one before and keeps what the registry put into it; it stays at the registry's own origin, or nothing
   is sent.
3. In chunks, where asked for: PATCH after PATCH with `Content-Range: first-last`, then an empty PUT. When the
   registry says 416, it is asked how far it is, and goes on from there.
4. An upload that fails on the way is begun again, with a new source, a bounded number of times: nobody knows
   what a half-sent one left behind. What the source gives is checked while it passes.
"""

from __future__ import annotations

import io
import re
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from verify.errors import Unavailable
from verify.events import SILENT, Events
from verify.limits import MIB
from verify.oci import registrychecks as checks
from verify.oci.ahead import ReadAhead
from verify.oci.blob import VerifyingReader, short
from verify.oci.store import Put

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Reader
    from verify.oci.descriptor import Descriptor
    from verify.oci.endpoint import Endpoint
    from verify.transport.address import Address
    from verify.transport.message import Response

_OCTETS = ("Content-Type", "application/octet-stream")
_REPEATED = frozenset({"fetch.cut", "fetch.timeout", "fetch.server-error", "fetch.slow"})
_UPLOADS = 3
_LARGE = 8 * MIB
_DONE = re.compile(r"(?:bytes=)?0-([0-9]{1,18})")


class Upload:
    """One blob on its way."""

    def __init__(
        self,
        endpoint: Endpoint,
        descriptor: Descriptor,
        source: Callable[[], Reader],
        *,
        chunk: int | None = None,
        events: Events = SILENT,
    ) -> None:
        self._endpoint = endpoint
        self._descriptor = descriptor
        self._source = source
        self._chunk = chunk
        self._events = events
        self._what = f"blob {short(descriptor.digest)}"

    def run(self, mount_from: str | None) -> Put:
        """Raises Unavailable, and Refuted for a source that gives other bytes."""
        opened = None if mount_from is None else self._mount(mount_from)
        if opened is not None and opened.status == 201:
            opened.close()
            return Put.MOUNTED
        for attempt in range(_UPLOADS):
            try:
                self._send(self._location(opened if opened is not None else self._open()))
            except Unavailable as error:
                if error.check not in _REPEATED or attempt == _UPLOADS - 1:
                    raise
                opened = None
            else:
                return Put.STORED
        raise AssertionError  # the last attempt returns or raises

    def _mount(self, mount_from: str) -> Response | None:
        endpoint = self._endpoint
        query = f"mount={quote(self._descriptor.digest.text, safe='')}&from={quote(mount_from, safe='')}"
        response = endpoint.put(
            "POST",
            endpoint.at("blobs/uploads/").with_query(query),
            scopes=(endpoint.scope("pull", mount_from),),
            give=frozenset({401, 403}),
        )
        if response.status in {201, 202}:
            return response
        response.close()  # a registry that cannot mount can still be sent the bytes
        return None

    def _open(self) -> Response:
        endpoint = self._endpoint
        response = endpoint.put("POST", endpoint.at("blobs/uploads/"))
        if response.status != 202:
            raise self._refused(response)
        return response

    def _location(self, response: Response) -> Address:
        location = response.headers.get("location")
        here = response.address
        response.close()
        if location is None:
            raise Unavailable(f"{self._place}: no Location to upload to", check=checks.UNEXPECTED.id)
        there = here.join(location.partition("#")[0])
        if there.origin != self._endpoint.root.origin:
            raise Unavailable(
                f"{self._place}: {self._endpoint.root.origin} wants it uploaded to {there.origin}",
                check=checks.LOCATION.id,
            )
        return there

    def _send(self, there: Address) -> None:
        size = self._descriptor.size
        if self._chunk is not None and size > self._chunk:
            self._send_chunks(there, self._chunk)
            return
        self._close(there, self._open_source, size)

    def _close(self, there: Address, body: Callable[[], Reader] | None, length: int) -> None:
        address = there.with_query(f"digest={quote(self._descriptor.digest.text, safe='')}")
        response = self._endpoint.put(
            "PUT", address, headers=(_OCTETS,), body=body, length=length, repeat=False
        )
        if response.status != 201:
            raise self._refused(response)
        response.close()

    def _send_chunks(self, there: Address, chunk: int) -> None:
        size = self._descriptor.size
        with closing(self._open_source()) as reader:
            first = 0
            kept = b""
            while first < size:
                if not kept:
                    kept = _exactly(reader, min(chunk, size - first))
                there, done = self._patch(there, kept, first)
                kept = kept[done - first :]
                first = done
        self._close(there, None, 0)

    def _patch(self, there: Address, data: bytes, first: int) -> tuple[Address, int]:
        """The next Location, and how far the registry is."""
        last = first + len(data) - 1
        response = self._endpoint.put(
            "PATCH",
            there,
            headers=(_OCTETS, ("Content-Range", f"{first}-{last}")),
            body=lambda: io.BytesIO(data),
            length=len(data),
            give=frozenset({416}),
            repeat=False,
        )
        if response.status in {202, 201}:
            return self._location(response), last + 1
        if response.status != 416:
            raise self._refused(response)
        response.close()
        asked = self._endpoint.put("GET", there)
        match = _DONE.fullmatch(asked.headers.get("range") or "")
        there = self._location(asked)
        done = int(match[1]) + 1 if match is not None else -1
        if not first < done <= last + 1:
            # no progress, or bytes that we never sent: begin again
            raise Unavailable(f"{self._place}: the registry lost its place", check="fetch.cut")
        return there, done

    def _open_source(self) -> VerifyingReader | ReadAhead:
        descriptor = self._descriptor
        reader = _Told(self._source(), self._events, self._what)
        checked = VerifyingReader(reader, descriptor.digest, size=descriptor.size, close=reader.close)
        # a large blob is read and hashed while what came before it is sent
        return ReadAhead(checked) if descriptor.size > _LARGE else checked

    @property
    def _place(self) -> str:
        return f"{self._endpoint.place}: {self._what}"

    def _refused(self, response: Response) -> Unavailable:
        said = self._endpoint.complaint(response).text
        return Unavailable(
            f"{self._place}: refused with {response.status}" + (f": {said}" if said else ""),
            check=checks.REFUSED.id,
        )


class _Told:
    """A source whose progress is told."""

    def __init__(self, source: Reader, events: Events, task: str) -> None:
        self._source = source
        self._events = events
        self._task = task

    def read(self, size: int = -1, /) -> bytes:
        block = self._source.read(size)
        self._events.advance(self._task, len(block))
        return block

    def close(self) -> None:
        close = getattr(self._source, "close", None)
        if close is not None:
            close()


def _exactly(reader: Reader, size: int) -> bytes:
    blocks = []
    while size:
        block = reader.read(size)
        if not block:
            break
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)
