"""An artifact into a store: blobs, then the manifest, then its place in a list, then its tags.

1. A tag that names something else stops everything before anything is sent, unless moving it is asked for.
2. Every blob is put unless it is there; inline data does not excuse it.
3. The manifest is put by digest. If it refers to a subject and the store does not list it by itself, the
   fallback list is written and read back.
4. Tags come last: whoever sees the tag sees everything. Interrupted and repeated, it converges.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Refuted
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.blob import short
from verify.oci.fallback import add_to_fallback, describe_referrer
from verify.oci.manifest import parse_document
from verify.oci.progress import metered
from verify.oci.store import Fetched, Put

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.digest import Digest
    from verify.oci.artifact import Artifact
    from verify.oci.descriptor import Descriptor
    from verify.oci.store import ReadStore, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was put, and how many of its blobs were new."""

    descriptor: Descriptor
    tags: tuple[str, ...]
    stored: int
    present: int


def publish_artifact(
    store: Store,
    artifact: Artifact,
    *,
    tags: Sequence[str] = (),
    force: bool = False,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
    pause: Callable[[float], None] = time.sleep,
) -> Published:
    """Put it. Raises Refuted (`oci.tag-moved`) and what the store raises."""
    if not force:
        check_tags(store, tags, artifact.descriptor.digest)
    outcomes = []
    for blob in {blob.descriptor.digest: blob for blob in artifact.blobs}.values():
        outcome = store.put_blob(blob.descriptor, metered(blob.open, blob.descriptor, events))
        events.note(Level.DEBUG, f"blob {short(blob.descriptor.digest)} {outcome.value}")
        outcomes.append(outcome)
    media_type = artifact.manifest.media_type
    descriptor = place_manifest(store, artifact.data, media_type, limits=limits, pause=pause)
    for tag in tags:
        store.put_manifest(artifact.data, media_type, tag=tag)
    stored = sum(1 for outcome in outcomes if outcome is not Put.PRESENT)
    return Published(descriptor=descriptor, tags=tuple(tags), stored=stored, present=len(outcomes) - stored)


def check_tags(store: ReadStore, tags: Sequence[str], digest: Digest) -> None:
    """Each tag is free or names this digest already. Raises Refuted (`oci.tag-moved`), Unavailable."""
    for tag in tags:
        try:
            found = store.resolve(tag)
        except Absent:
            continue
        if found.digest != digest:
            raise Refuted(
                f"{store.place}:{tag}: expected {short(digest)}, got {short(found.digest)}",
                check=checks.TAG_MOVED.id,
                hint="publish under a new version, or --force",
            )


def place_manifest(
    store: Store,
    data: bytes,
    media_type: str,
    *,
    limits: Limits = DEFAULT,
    pause: Callable[[float], None] = time.sleep,
) -> Descriptor:
    """Put a manifest by digest and see to it that it is listed under its subject, if it has one."""
    document = parse_document(data, served_as=media_type, limits=limits, lenient=True)
    placed = store.put_manifest(data, media_type)
    if document.subject is not None and not placed.attached:
        fetched = Fetched(data=data, media_type=media_type, digest=placed.descriptor.digest)
        entry = describe_referrer(fetched, document)
        add_to_fallback(store, document.subject.digest, entry, limits=limits, pause=pause)
    return placed.descriptor
