"""`modseal publish`: a module into a store, as its ecosystem's own tool would find it there.

1. The zip is packed, or the given one is checked (`payload.py`). A CUE module whose own lock is stale is not
   published (`publish_lock.py`).
2. The tags are settled. A CUE module has the tag of its version, and version and place must fit its module file.
3. The manifest is built: for CUE byte for byte what `cue mod publish` writes for the same zip and annotations.
   `--dry-run` ends here and asks nobody.
4. A version's tag that names other content is never moved without `--force`: neither the tag in the target, nor
   `--version`, nor a `--tag` that is a whole version. Other `--tag`s, such as `latest`, move.
5. Blobs, manifest, then tags. The same content again changes nothing.
6. What is there is read back: the manifest under every tag, and each blob.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verify.archive.writer import Encoding
from verify.ecosystems.cue import names as cue_names
from verify.ecosystems.cue.artifact import build_cue_artifact
from verify.ecosystems.generic.artifact import build_generic_artifact
from verify.ecosystems.opentofu.artifact import build_opentofu_artifact
from verify.errors import Absent, Malformed, Misused, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.module import Version
from verify.oci.blob import short
from verify.oci.push import publish_artifact
from verify.oci.reference import check_tag
from verify.workflows.annotations import CREATED, created, parse_annotations
from verify.workflows.artifact_checks import IDENTITY, READ_BACK, TAG_EXISTS
from verify.workflows.payload import Kind, Payload, open_payload
from verify.workflows.publish_lock import refuse_stale_lock
from verify.workflows.stores import Place, locate, open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.digest import Digest
    from verify.oci.artifact import Artifact
    from verify.oci.store import ReadStore, Store
    from verify.workflows.connection import Connection

TITLE = "module.zip"  # the same for every publisher: a folder's name is no part of a module


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to publish, where, and as what."""

    source: str
    to: str
    kind: str | None = None
    version: str | None = None
    tags: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    created: str | None = None
    encoding: str = Encoding.STORE.value
    keep_executable: bool = False
    dry_run: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was published, or would be."""

    place: Place
    tags: tuple[str, ...]
    payload: Payload
    artifact: Artifact
    dry_run: bool
    stored: int = 0

    @property
    def digest(self) -> Digest:
        """Of the manifest."""
        return self.artifact.descriptor.digest

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.publish/1",
            "target": self.place.reference.name,
            "tags": list(self.tags),
            "type": self.payload.kind.value,
            "module": str(self.place.module) if self.place.module else None,
            "manifest": self.digest.text,
            "archive": self.payload.digest.text,
            "h1": str(self.payload.tree_hash),
            "bytes": self.payload.size,
            "files": self.payload.files,
            "dryRun": self.dry_run,
            "stored": self.stored,
            "document": self.artifact.data.decode("utf-8"),
        }


def publish(
    order: Order, connection: Connection, *, limits: Limits = DEFAULT, events: Events = SILENT
) -> Done:
    """Raises Refuted (`publish.…`) and what packing, checking and the store raise."""
    place = _target(order)
    kind = Kind.CUE if order.kind is None and place.module is not None else order.kind
    with open_payload(
        order.source,
        kind=None if kind is None else Kind(kind),
        encoding=Encoding(order.encoding),
        keep_executable=order.keep_executable,
        limits=limits,
        events=events,
    ) as payload:
        refuse_stale_lock(order.source, payload, limits=limits, events=events)
        fixed = _versions(order, place, payload)
        tags = tuple(dict.fromkeys((*fixed, *(check_tag(each) for each in order.tags))))
        artifact = _build(order, payload)
        done = Done(place=place, tags=tags, payload=payload, artifact=artifact, dry_run=order.dry_run)
        if order.dry_run:
            return done
        with open_store(place, connection, limits=limits, events=events) as store:
            if not order.force:
                refuse_moves(store, (*fixed, *filter(is_version, tags)), done.digest)
            published = publish_artifact(store, artifact, tags=tags, force=True, limits=limits, events=events)
            read_back(store, artifact, tags)
    return replace(done, stored=published.stored)


def refuse_moves(store: ReadStore, tags: Iterable[str], digest: Digest) -> None:
    """Each tag is free or names this digest already. Raises Refuted (`publish.tag-exists`), Unavailable."""
    for tag in dict.fromkeys(tags):
        try:
            found = store.resolve(tag)
        except Absent:
            continue
        if found.digest != digest:
            raise Refuted(
                f"{store.place}:{tag}: expected {short(digest)} or nothing, got {short(found.digest)}",
                check=TAG_EXISTS.id,
                hint="publish under a new version, or --force",
            )


def read_back(store: Store, artifact: Artifact, tags: Sequence[str] = ()) -> None:
    """What was put is there. Raises Refuted (`publish.read-back`), Unavailable."""
    digest = artifact.descriptor.digest
    try:
        wanted: list[Digest | str] = [digest, *tags]
        for which in wanted:
            found = store.get_manifest(which)
            if found.data != artifact.data:
                raise _lost(f"{store.place}: {which}: expected {short(digest)}, got {short(found.digest)}")
    except Absent as error:
        raise _lost(str(error)) from error
    for blob in artifact.blobs:
        if not store.has_blob(blob.descriptor.digest):
            raise _lost(f"{store.place}: blob {short(blob.descriptor.digest)} is not there")


def is_version(tag: str) -> bool:
    """Whether a tag is a whole version, so that nobody expects it to move. `_` stands for `+`, as Helm has it."""
    try:
        Version.parse(tag.replace("_", "+"))
    except Malformed:
        return False
    return True


def _lost(problem: str) -> Refuted:
    return Refuted(problem, check=READ_BACK.id)


def _target(order: Order) -> Place:
    place = locate(order.to)
    if place.reference.digest is not None:
        raise Misused(f"{order.to}: expected a tag, the digest follows from the content")
    if place.module is not None and order.kind not in {None, Kind.CUE.value}:
        raise Misused(f"{order.to}: is a CUE module, expected --type cue")
    return place


def _versions(order: Order, place: Place, payload: Payload) -> tuple[str, ...]:
    """The tags that name this version and no other."""
    tag = place.reference.tag
    if payload.declared is not None:
        version = place.module.version if place.module else order.version or tag
        if version is None:
            raise Misused(f"{order.to}: expected a version", hint=f"{order.to}:v1.0.0, or --version v1.0.0")
        _identify(place, str(payload.declared.path), version)
        return (tag or check_tag(version),)
    found = tuple(check_tag(each) for each in (tag, order.version) if each is not None)
    if not found and not order.tags:
        raise Misused(f"{order.to}: expected a tag", hint=f"{order.to}:v1.0.0, or --version v1.0.0")
    return found


def _identify(place: Place, path: str, version: str) -> None:
    try:
        identity = cue_names.module(path, version)
    except Malformed as error:
        raise Refuted(error.message, check=IDENTITY.id, hint="a CUE module is published as v1.2.3") from error
    if place.module is not None and place.module.path != identity.path:
        raise Refuted(
            f"module file: expected {place.module.path}, got {identity.path}",
            check=IDENTITY.id,
            hint=f"--to {identity}",
        )


def _build(order: Order, payload: Payload) -> Artifact:
    annotations = parse_annotations(order.annotations)
    environment = {} if payload.kind is Kind.CUE else os.environ
    time = created(order.created, environment)
    if time is not None:
        annotations.setdefault(CREATED, time)
    content = payload.content()
    if payload.kind is Kind.CUE:
        artifact = build_cue_artifact(content, payload.module_file, source=payload.commit)
    elif payload.kind is Kind.OPENTOFU:
        artifact = build_opentofu_artifact(content, title=TITLE)
    else:
        artifact = build_generic_artifact(content, title=TITLE)
    if not annotations:
        return artifact
    manifest = replace(artifact.manifest, annotations={**artifact.manifest.annotations, **annotations})
    return replace(artifact, manifest=manifest, data=manifest.render())
