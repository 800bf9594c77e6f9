"""`modseal attach`: any file as a referrer of an artifact, and a look at whether it is found there.

1. The subject is resolved once and must exist: what is attached to nothing is never seen.
2. The artifact has the type that was asked for, an empty config, one layer with the file, titled by its name so
   that other tools can write it out again, and no time unless one is asked for.
3. Where the store does not list it by itself, the fallback list is written (both conventions in a layout folder).
4. The store is asked what is attached to the subject. What is not among it is an error: nobody would find it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.digest import measure
from verify.errors import Exhausted, Malformed, Misused, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.artifact import build_artifact
from verify.oci.blob import TITLE, Content
from verify.oci.descriptor import Descriptor, parse_media_type
from verify.oci.push import publish_artifact
from verify.workflows.annotations import CREATED, created, parse_annotations
from verify.workflows.artifact_checks import NOT_LISTED
from verify.workflows.payload import content_of
from verify.workflows.publishing import read_back
from verify.workflows.sources import open_file
from verify.workflows.stores import Place, fetch, locate, open_store

if TYPE_CHECKING:
    from typing import BinaryIO

    from verify.digest import Digest
    from verify.oci.artifact import Artifact
    from verify.oci.store import How, Store
    from verify.workflows.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to attach to what, and as what."""

    reference: str
    path: str
    kind: str
    media_type: str | None = None
    annotations: tuple[str, ...] = ()
    created: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """What was attached to what, and how it is listed there."""

    place: Place
    subject: Digest
    artifact: Artifact
    how: How

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.attach/1",
            "subject": f"{self.place.reference.name}@{self.subject}",
            "manifest": self.artifact.descriptor.digest.text,
            "blob": self.artifact.manifest.layers[0].digest.text,
            "artifactType": self.artifact.manifest.kind,
            "listed": self.how.value,
        }


def attach(
    order: Order, connection: Connection, *, limits: Limits = DEFAULT, events: Events = SILENT
) -> Attachment:
    """Raises Refuted (`publish.read-back`, `attach.not-listed`), and what the store and reading the file raise."""
    said = parse_annotations(order.annotations)
    time = created(order.created, os.environ)
    if time is not None:
        said.setdefault(CREATED, time)
    kind, media_type = _type(order.kind), _type(order.media_type or order.kind)
    place = locate(order.reference)
    with (
        open_file(Path(order.path)) as file,
        open_store(place, connection, limits=limits, events=events) as store,
    ):
        content = _content(file, Path(order.path).name, media_type, limits)
        subject = fetch(store, place).descriptor
        artifact = build_artifact(
            layers=(content,), artifact_type=kind, annotations=said, subject=subject, inline=True
        )
        publish_artifact(store, artifact, limits=limits, events=events)
        read_back(store, artifact)
        how = _listed(store, subject.digest, artifact)
    return Attachment(place=place, subject=subject.digest, artifact=artifact, how=how)


def _type(text: str) -> str:
    try:
        return parse_media_type(text, "--type")
    except Malformed as error:
        raise Misused(error.message, hint="application/vnd.example.sbom+json") from error


def _content(file: BinaryIO, name: str, media_type: str, limits: Limits) -> Content:
    measured = measure(file, most=limits.blob_bytes)
    descriptor = Descriptor(
        media_type=media_type, digest=measured.digest, size=measured.size, annotations={TITLE: name}
    )
    return content_of(file, descriptor)


def _listed(store: Store, subject: Digest, artifact: Artifact) -> How:
    listing = store.referrers(subject, artifact_type=artifact.manifest.artifact_type)
    digest = artifact.descriptor.digest
    if any(each.digest == digest for each in listing.entries):
        return listing.how
    if not listing.complete:
        raise Exhausted(f"{store.place}: attached {digest}, and the list is incomplete", check=NOT_LISTED.id)
    problem = f"{store.place}: attached {digest}, and it is not listed under {subject}"
    raise Refuted(problem, check=NOT_LISTED.id, hint=f"modseal referrers --repair {store.place}@{subject}")
