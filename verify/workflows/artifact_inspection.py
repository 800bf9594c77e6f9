"""`modseal inspect REF`: what a manifest is, what it names, and what is attached to it. Explains; decides nothing.

A reference without tag and digest names the tags of its repository or folder, unless a layout folder has only one
artifact. Texts in the answer are as found: whoever prints them escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.ecosystems.recognition import recognise
from verify.errors import Malformed, Misused, Undecidable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.copy import artifact_tags
from verify.oci.manifest import Index
from verify.workflows.stores import Place, fetch, locate, open_store, read

if TYPE_CHECKING:
    from verify.digest import Digest
    from verify.oci.descriptor import Descriptor
    from verify.oci.manifest import Document
    from verify.oci.store import Fetched, Store
    from verify.workflows.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that a manifest names, and what it is for."""

    role: str
    descriptor: Descriptor

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {"role": self.role, **self.descriptor.members()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Everything `inspect` tells of one manifest."""

    place: Place
    fetched: Fetched
    document: Document
    shape: str  # ecosystem and kind, or what keeps it from being one
    rows: tuple[Row, ...]
    attached: int | None  # None where nobody can say
    why_unknown: str

    def as_data(self) -> dict[str, object]:
        """For machines."""
        subject = self.document.subject
        return {
            "schemaVersion": "modseal.inspect-artifact/1",
            "reference": f"{self.place.reference.name}@{self.fetched.digest}",
            "mediaType": self.fetched.media_type,
            "bytes": len(self.fetched.data),
            "shape": self.shape,
            "artifactType": self.document.artifact_type,
            "annotations": dict(self.document.annotations),
            "subject": subject.digest.text if subject else None,
            "parts": [row.as_data() for row in self.rows],
            "attached": self.attached,
            "attachedUnknown": self.why_unknown or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The tags of a repository or folder, with the digests they name."""

    place: Place
    tags: tuple[tuple[str, Digest], ...]

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.inspect-tags/1",
            "reference": self.place.reference.name,
            "tags": [{"tag": tag, "manifest": digest.text} for tag, digest in self.tags],
        }


def inspect_artifact(
    text: str, connection: Connection, *, limits: Limits = DEFAULT, events: Events = SILENT
) -> Explained | Listed:
    """Raises what fetching and parsing the manifest raise."""
    place = locate(text)
    with open_store(place, connection, limits=limits, events=events) as store:
        try:
            fetched = fetch(store, place)
        except Misused:
            tags = () if place.reference.tag or place.reference.digest else artifact_tags(store)
            if not tags:
                raise
            return Listed(place=place, tags=tuple((tag, store.resolve(tag).digest) for tag in tags))
        document = read(fetched, place, limits)
        shape, rows = _shape(document)
        attached, why = _attached(store, fetched.digest)
    return Explained(
        place=place,
        fetched=fetched,
        document=document,
        shape=shape,
        rows=rows,
        attached=attached,
        why_unknown=why,
    )


def _shape(document: Document) -> tuple[str, tuple[Row, ...]]:
    if isinstance(document, Index):
        return "index", tuple(Row(role="manifest", descriptor=each) for each in document.manifests)
    config = Row(role="config", descriptor=document.config)
    try:
        shape = recognise(document)
    except Malformed as error:
        layers = tuple(Row(role="layer", descriptor=each) for each in document.layers)
        return f"refused: {error}", (config, *layers)
    roles = {part.layer.digest: part.role for part in shape.parts}
    layers = tuple(Row(role=roles.get(each.digest, "layer"), descriptor=each) for each in document.layers)
    return f"{shape.ecosystem} {shape.kind}", (config, *layers)


def _attached(store: Store, digest: Digest) -> tuple[int | None, str]:
    try:
        listing = store.referrers(digest)
    except Undecidable as error:
        return None, str(error)
    if not listing.complete:
        return None, f"list incomplete, {len(listing.entries)} or more"
    return len(listing.entries), ""
