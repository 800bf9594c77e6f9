"""A repository in memory: for tests, and for whatever is built before it is sent.

`lists_referrers=False` makes it behave like a registry without the referrers API: what is attached is found
only through the fallback tag. What lies in `blobs`, `manifests` and `pointers` may be changed by whoever
holds it; reading checks the bytes all the same.
"""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Absent, Exhausted, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci.blob import VerifyingReader, short
from verify.oci.fallback import bounded_list, describe_referrer, read_fallback
from verify.oci.manifest import parse_document
from verify.oci.reference import check_tag
from verify.oci.store import Fetched, How, Placed, Put, ReferrerList

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Reader
    from verify.oci.descriptor import Descriptor


class MemoryStore:
    """All three ports over three dictionaries."""

    def __init__(
        self, *, name: str = "memory", lists_referrers: bool = True, limits: Limits = DEFAULT
    ) -> None:
        self.blobs: dict[Digest, bytes] = {}
        self.manifests: dict[Digest, tuple[bytes, str]] = {}
        self.pointers: dict[str, Digest] = {}
        self._name = name
        self._lists = lists_referrers
        self._limits = limits
        self._lock = threading.Lock()

    @property
    def place(self) -> str:
        return f"memory://{self._name}"

    def resolve(self, tag: str) -> Descriptor:
        return self.get_manifest(tag).descriptor

    def get_manifest(self, which: Digest | str) -> Fetched:
        asked = which if isinstance(which, Digest) else self.pointers.get(check_tag(which))
        if asked is None or asked not in self.manifests:
            raise Absent(f"{self.place}: no manifest {which}", check="oci.manifest-unknown")
        data, media_type = self.manifests[asked]
        if not asked.matches(data):
            raise Refuted(
                f"{self.place}: manifest {short(asked)} has other bytes", check="oci.digest-mismatch"
            )
        return Fetched(data=data, media_type=media_type, digest=asked)

    def open_blob(self, digest: Digest, *, size: int | None = None) -> VerifyingReader:
        if digest not in self.blobs:
            raise Absent(f"{self.place}: no blob {digest}", check="oci.blob-unknown")
        return VerifyingReader(
            io.BytesIO(self.blobs[digest]), digest, size=size, most=self._limits.blob_bytes
        )

    def has_blob(self, digest: Digest) -> bool:
        return digest in self.blobs

    def put_blob(
        self, descriptor: Descriptor, source: Callable[[], Reader], *, mount_from: str | None = None
    ) -> Put:
        del mount_from  # there is no other repository here
        if descriptor.digest in self.blobs:
            return Put.PRESENT
        with VerifyingReader(source(), descriptor.digest, size=descriptor.size) as reader:
            data = reader.read()
        self.blobs.setdefault(descriptor.digest, data)
        return Put.STORED

    def put_manifest(self, data: bytes, media_type: str, *, tag: str | None = None) -> Placed:
        document = parse_document(data, served_as=media_type, limits=self._limits, lenient=True)
        digest = Digest.of(data)
        with self._lock:
            if tag is not None:
                self.pointers[check_tag(tag)] = digest
            self.manifests[digest] = (data, media_type)
        fetched = Fetched(data=data, media_type=media_type, digest=digest)
        return Placed(descriptor=fetched.descriptor, attached=self._lists and document.subject is not None)

    def tags(self) -> tuple[str, ...]:
        return tuple(sorted(self.pointers))

    def referrers(self, subject: Digest, *, artifact_type: str | None = None) -> ReferrerList:
        if not self._lists:
            return read_fallback(self, subject, limits=self._limits)
        found = []
        for digest in sorted(self.manifests):
            try:
                fetched = self.get_manifest(digest)
                document = fetched.document(self._limits)
            except (Refuted, Exhausted):
                continue  # no registry lists what it cannot read
            if document.subject is None or document.subject.digest != subject:
                continue
            if artifact_type is None or document.kind == artifact_type:
                found.append(describe_referrer(fetched, document))
        return bounded_list(subject, found, How.API, limits=self._limits)
