"""Uploads that are not finished: what arrived so far, in files without a name.

A spool lies on the same disk as the layouts and is unlinked as soon as it is open (Windows deletes it when it
is closed), so that however this process ends, nothing of an unfinished upload stays. An upload that comes in
one piece is never spooled: it goes straight to its place, checked on the way.
"""

from __future__ import annotations

import secrets
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from verify.errors import Absent, Exhausted, Unavailable
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.digest import Reader


class UploadUnknown(Absent):
    """No such session in that repository, or none any more."""


@dataclass(slots=True, eq=False)
class Upload:
    """One of them. Whoever holds `lock` may use it."""

    id: str
    name: str
    touched: float
    size: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    spool: IO[bytes] | None = None

    def reader(self) -> Reader:
        """What arrived, from its start. Closing it is nobody's business but ours."""
        return _Spooled(self.spool)


class Uploads:
    """All of them, by repository and session."""

    def __init__(
        self, folder: Path, *, limits: Limits = DEFAULT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._open: dict[str, Upload] = {}
        self._lock = threading.Lock()

    def begin(self, name: str) -> Upload:
        """A new session. Raises Exhausted when too many are open."""
        self.expire()
        with self._lock:
            if len(self._open) >= self._limits.serve_uploads:
                raise Exhausted(f"more than {self._limits.serve_uploads} uploads are open")
            upload = Upload(secrets.token_hex(16), name, self._clock())
            self._open[upload.id] = upload
        return upload

    def find(self, name: str, session: str) -> Upload:
        """Raises UploadUnknown."""
        with self._lock:
            upload = self._open.get(session)
        if upload is None or upload.name != name:
            raise UploadUnknown("no such upload")
        upload.touched = self._clock()
        return upload

    def append(self, upload: Upload, source: Reader) -> None:
        """Everything the source gives. Raises Exhausted (`oci.too-large`), Unavailable; what came stays."""
        try:
            if upload.spool is None:
                upload.spool = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - lives as long as the upload
            upload.spool.seek(upload.size)
        except OSError as error:
            raise _unavailable(error) from error
        while block := source.read(self._limits.chunk):
            if upload.size + len(block) > self._limits.blob_bytes:
                raise Exhausted(f"upload: more than {self._limits.blob_bytes} bytes", check="oci.too-large")
            try:
                upload.spool.write(block)
            except OSError as error:
                raise _unavailable(error) from error
            upload.size += len(block)

    def drop(self, upload: Upload) -> None:
        """It is over."""
        with self._lock:
            self._open.pop(upload.id, None)
        if upload.spool is not None:
            upload.spool.close()

    def expire(self) -> None:
        """Drop those that nobody went on with and nobody is using."""
        before = self._clock() - self._limits.serve_upload_seconds
        with self._lock:
            old = [each for each in self._open.values() if each.touched < before]
        for each in old:
            if each.lock.acquire(blocking=False):
                try:
                    self.drop(each)
                finally:
                    each.lock.release()

    def close(self) -> None:
        """Drop all of them."""
        for each in tuple(self._open.values()):
            self.drop(each)


class _Spooled:
    def __init__(self, spool: IO[bytes] | None) -> None:
        self._spool = spool
        if spool is not None:
            spool.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        return b"" if self._spool is None else self._spool.read(size)


def _unavailable(error: OSError) -> Unavailable:
    return Unavailable(f"upload: {error.strerror or error}", check="oci.layout-unreadable")
