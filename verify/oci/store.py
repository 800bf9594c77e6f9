"""The Store ports: content by digest, in one repository. Reading, writing and listing apart.

A store is bound to one repository, one layout folder, or one place in memory. Bytes that come out of one
have the digest that was asked for, whatever the store says of them. Four answers are kept apart:

    Absent        the repository was asked and does not have it
    Unavailable   it could not be asked, or refused to answer
    Refuted       it gave other bytes than those asked for
    an empty, complete `ReferrerList`     nothing is attached

and for lists there is a fifth: `complete` is False, what is there is not all there may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from verify.limits import DEFAULT, Limits
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import parse_document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.digest import Digest, Reader
    from verify.oci.blob import VerifyingReader
    from verify.oci.manifest import Document
    from verify.report import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A manifest's exact bytes, the type they were served as, and their digest: the one asked for, or computed."""

    data: bytes
    media_type: str
    digest: Digest

    @property
    def descriptor(self) -> Descriptor:
        """As a descriptor, without annotations."""
        return Descriptor(media_type=self.media_type, digest=self.digest, size=len(self.data))

    def document(self, limits: Limits = DEFAULT) -> Document:
        """What the bytes say. Raises Malformed, Refuted (`oci.media-type`)."""
        return parse_document(self.data, served_as=self.media_type, limits=limits)


class Put(StrEnum):
    """What came of putting a blob."""

    STORED = "stored"
    PRESENT = "present"
    MOUNTED = "mounted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A manifest that was put. `attached`: the store lists it under its subject from now on, by itself.

    Where a manifest with a subject was not attached, whoever put it adds it to the fallback list
    (`verify.oci.fallback.add_to_fallback`).
    """

    descriptor: Descriptor
    attached: bool = False


class How(StrEnum):
    """Where a list of referrers comes from."""

    API = "api"
    FALLBACK = "fallback"
    LAYOUT = "layout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something in a list that could not be used."""

    check: Check
    text: str  # may be untrusted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferrerList:
    """What a store lists under one subject. Every entry is a hint: `find_referrers` fetches and judges them."""

    subject: Digest
    entries: tuple[Descriptor, ...]
    how: How
    complete: bool = True
    faults: tuple[Fault, ...] = ()


class ReadStore(Protocol):
    """Bytes by digest, and tags."""

    @property
    def place(self) -> str:
        """The repository for messages: `oci://host/repository` or `ocidir://path`."""

    def resolve(self, tag: str) -> Descriptor:
        """What a tag names now: media type, digest, size.

        Raises Absent (`oci.manifest-unknown`), Unavailable, Refuted (`oci.tag-ambiguous`), Misused (no tag).
        """

    def get_manifest(self, which: Digest | str) -> Fetched:
        """A manifest by digest or tag. By digest, the bytes have that digest; by tag, theirs is computed.

        Raises Absent (`oci.manifest-unknown`), Unavailable, Refuted (`oci.digest-mismatch`,
        `oci.tag-ambiguous`), Exhausted (`oci.too-large`), Misused (no tag). It parses nothing, but for a store
        that keeps no media type beside the bytes: that one raises Malformed too.
        """

    def open_blob(self, digest: Digest, *, size: int | None = None) -> VerifyingReader:
        """A blob as a stream that checks itself against `digest` and `size`. Close it.

        Raises Absent (`oci.blob-unknown`), Unavailable; the reader raises Refuted, Exhausted, Unavailable.
        """


class WriteStore(Protocol):
    """Content in; each call may be repeated and converges."""

    def has_blob(self, digest: Digest) -> bool:
        """Whether the blob is there, without reading it. Raises Unavailable."""

    def put_blob(
        self, descriptor: Descriptor, source: Callable[[], Reader], *, mount_from: str | None = None
    ) -> Put:
        """Store a blob unless it is there. `source` is called only if bytes are needed, again on a retry.

        What `source` gives is checked against the descriptor before it is visible, and closed if it can be.
        `mount_from` names another repository of the same registry that has it.
        Raises Refuted (`oci.digest-mismatch`, `oci.size-mismatch`), Unavailable.
        """

    def put_manifest(self, data: bytes, media_type: str, *, tag: str | None = None) -> Placed:
        """Store these exact bytes, after the blobs they name; by tag too, which is moved if it exists.

        Raises Malformed, Refuted (`oci.media-type`), Exhausted (`oci.too-large`), Unavailable,
        Misused (no tag).
        """


class ListStore(Protocol):
    """What there is."""

    def tags(self) -> Sequence[str]:
        """Every tag, sorted, those of fallback lists and signatures included.

        Raises Absent (no such repository), Unavailable, Exhausted.
        """

    def referrers(self, subject: Digest, *, artifact_type: str | None = None) -> ReferrerList:
        """What is listed as attached. With `artifact_type`, entries that state another may be left out.

        An empty complete list means: asked, and nothing is attached. Limits reached make it incomplete.
        Raises Unavailable where the store cannot be asked: that is never an empty list.
        """


class Store(ReadStore, WriteStore, ListStore, Protocol):
    """All three."""
