"""An artifact from one store into another, with everything attached to it, recursively.

1. Every manifest and blob is read by digest and checked while it passes; nothing is written under a digest
   that it does not have.
2. Children before parents, manifests by digest, what is attached after what it is attached to, tags last: an
   interrupted copy shows no tag without its signatures, and repeated it converges.
3. What is attached to a child of an index comes too.
4. A list of referrers that is incomplete makes the copy incomplete, and says so; any failure to read or write
   ends it with that error.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.errors import Exhausted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.blob import short
from verify.oci.fallback import is_list_tag
from verify.oci.manifest import Index
from verify.oci.progress import metered
from verify.oci.push import check_tags, place_manifest
from verify.oci.referrers import find_referrers
from verify.oci.store import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.digest import Digest
    from verify.oci.descriptor import Descriptor
    from verify.oci.store import Fetched, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What is now in the target. `complete` is False where something attached may have been missed."""

    descriptor: Descriptor
    tags: tuple[str, ...]
    manifests: int
    blobs: int
    referrers: int
    complete: bool
    faults: tuple[Fault, ...]


@dataclass(slots=True, kw_only=True)
class _Run:
    source: Store
    target: Store
    recursive: bool
    mount_from: str | None
    limits: Limits
    events: Events
    pause: Callable[[float], None]
    manifests: set[Digest] = field(default_factory=set)
    blobs: set[Digest] = field(default_factory=set)
    referrers: int = 0
    complete: bool = True
    faults: list[Fault] = field(default_factory=list)

    def told(self, descriptor: Descriptor, tags: tuple[str, ...]) -> Copied:
        return Copied(
            descriptor=descriptor,
            tags=tags,
            manifests=len(self.manifests),
            blobs=len(self.blobs),
            referrers=self.referrers,
            complete=self.complete,
            faults=tuple(self.faults),
        )


def copy_artifact(  # noqa: PLR0913 - keywords with defaults
    source: Store,
    target: Store,
    which: Digest | str,
    *,
    tags: Sequence[str] = (),
    recursive: bool = True,
    force: bool = True,
    mount_from: str | None = None,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
    pause: Callable[[float], None] = time.sleep,
) -> Copied:
    """Copy one manifest and what belongs to it. Raises what the two stores raise.

    `mount_from` is the source's repository where both are in one registry. Without `force`, a tag that names
    something else in the target raises Refuted (`oci.tag-moved`) before anything is written.
    """
    fetched = source.get_manifest(which)
    if not force:
        check_tags(target, tags, fetched.digest)
    run = _Run(
        source=source,
        target=target,
        recursive=recursive,
        mount_from=mount_from,
        limits=limits,
        events=events,
        pause=pause,
    )
    descriptor = _copy_manifest(run, fetched, 0)
    for tag in tags:
        target.put_manifest(fetched.data, fetched.media_type, tag=tag)
    return run.told(descriptor, tuple(tags))


def artifact_tags(store: Store) -> tuple[str, ...]:
    """Every tag that is no list of referrers: what `--all-tags` copies."""
    return tuple(tag for tag in store.tags() if not is_list_tag(tag))


def tags_of(store: Store, digest: Digest) -> tuple[str, ...]:
    """Every tag that names this manifest, so that a copy can keep them."""
    return tuple(tag for tag in artifact_tags(store) if store.resolve(tag).digest == digest)


def _copy_manifest(run: _Run, fetched: Fetched, depth: int) -> Descriptor:
    if depth > run.limits.index_depth:
        raise Exhausted(f"{short(fetched.digest)}: indexes nested deeper than {run.limits.index_depth}")
    document = fetched.document(run.limits)
    run.manifests.add(fetched.digest)
    for child in document.children():
        if not isinstance(document, Index):
            _copy_blob(run, child)
        elif child.digest not in run.manifests:
            _copy_manifest(run, run.source.get_manifest(child.digest), depth + 1)
    descriptor = place_manifest(
        run.target, fetched.data, fetched.media_type, limits=run.limits, pause=run.pause
    )
    if run.recursive:
        _copy_referrers(run, fetched.digest, 1)
    return descriptor


def _copy_blob(run: _Run, blob: Descriptor) -> None:
    if blob.digest in run.blobs:
        return
    source = metered(lambda: run.source.open_blob(blob.digest, size=blob.size), blob, run.events)
    run.target.put_blob(blob, source, mount_from=run.mount_from)
    run.blobs.add(blob.digest)


def _copy_referrers(run: _Run, subject: Digest, depth: int) -> None:
    attached = find_referrers(run.source, subject, limits=run.limits)
    run.complete = run.complete and attached.complete
    run.faults.extend(attached.faults)
    fresh = [each for each in attached.referrers if each.fetched.digest not in run.manifests]
    if fresh and (
        depth > run.limits.referrer_depth or run.referrers + len(fresh) > run.limits.referrer_nodes
    ):
        run.complete = False
        run.faults.append(Fault(check=checks.REFERRERS_INCOMPLETE, text=f"more is attached to {subject}"))
        return
    for each in fresh:
        run.referrers += 1
        run.manifests.add(each.fetched.digest)
        _copy_attached(run, each.fetched, depth)


def _copy_attached(run: _Run, fetched: Fetched, depth: int) -> None:
    document = fetched.document(run.limits)
    for child in document.children():
        if not isinstance(document, Index):
            _copy_blob(run, child)
        elif child.digest not in run.manifests:
            _copy_manifest(run, run.source.get_manifest(child.digest), depth)
    place_manifest(run.target, fetched.data, fetched.media_type, limits=run.limits, pause=run.pause)
    _copy_referrers(run, fetched.digest, depth + 1)
