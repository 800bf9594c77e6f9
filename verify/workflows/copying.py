"""`modseal copy`: artifacts from one store to another, with all that is attached to them.

1. Without `--all-tags` one manifest is copied: under the target's tag, else under its own. A target that names a
   digest must get that digest.
2. With `--all-tags` every tag of the source is copied under its own name; tags that name the same manifest stay
   as many tags. Lists of referrers are no tags: they are made anew where the target needs them.
3. A version's tag that names other content in the target stops the whole copy before anything is written, unless
   `--force`. Other tags move.
4. Whatever cannot be read or written is an error. Referrers that could not all be seen make the copy incomplete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verify.errors import Absent, Misused, Undecidable
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.copy import Copied, artifact_tags, copy_artifact
from verify.oci.reference import Reference
from verify.workflows.publishing import is_version, refuse_moves
from verify.workflows.stores import Place, fetch, locate, stores

if TYPE_CHECKING:
    from verify.digest import Digest
    from verify.oci.store import Store
    from verify.workflows.connection import Connection

TASK = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """What is now in the target. `complete` is False where something attached may have been missed."""

    source: Place
    target: Place
    copies: tuple[Copied, ...]

    @property
    def complete(self) -> bool:
        """Whether every list was."""
        return all(each.complete for each in self.copies)

    def require_complete(self) -> None:
        """Raises Undecidable (`oci.referrers-incomplete`)."""
        if not self.complete:
            raise Undecidable(
                f"{self.source}: copied, and something attached may have been missed",
                check=checks.REFERRERS_INCOMPLETE.id,
                hint=f"modseal referrers {self.source}",
            )

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.copy/1",
            "source": self.source.reference.name,
            "target": self.target.reference.name,
            "complete": self.complete,
            "copies": [
                {
                    "manifest": each.descriptor.digest.text,
                    "tags": list(each.tags),
                    "manifests": each.manifests,
                    "blobs": each.blobs,
                    "referrers": each.referrers,
                    "complete": each.complete,
                    "faults": [{"check": fault.check.id, "text": fault.text} for fault in each.faults],
                }
                for each in self.copies
            ],
        }


def copy(
    text: str,
    to: str,
    connection: Connection,
    *,
    all_tags: bool = False,
    referrers: bool = True,
    force: bool = False,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Copies:
    """Raises Refuted (`publish.tag-exists`) and what the two stores raise."""
    source, target = locate(text), locate(to)
    if all_tags and not (_whole(source) and _whole(target)):
        raise Misused("--all-tags: expected two repositories or folders without tag and digest")
    with stores(connection, limits=limits, events=events) as opened:
        reader, writer = opened.open(source), opened.open(target)
        wanted = _all(reader, source) if all_tags else _one(reader, source, target)
        if not force:
            for digest, tags in wanted.items():
                refuse_moves(writer, filter(is_version, tags), digest)
        events.begin(TASK, len(wanted), "artifacts")
        try:
            copies = tuple(
                _copied(
                    reader,
                    writer,
                    digest,
                    tags=tags,
                    recursive=referrers,
                    mount_from=_neighbour(source, target),
                    limits=limits,
                    events=events,
                )
                for digest, tags in wanted.items()
            )
        finally:
            events.end(TASK)
    return Copies(source=source, target=target, copies=copies)


def _copied(reader: Store, writer: Store, digest: Digest, *, events: Events, **how: Any) -> Copied:
    done = copy_artifact(reader, writer, digest, events=events, **how)
    for fault in done.faults:
        events.note(Level.WARNING, f"{fault.check.id}: {fault.text}")
    events.advance(TASK, 1)
    return done


def _whole(place: Place) -> bool:
    return place.reference.tag is None and place.reference.digest is None


def _one(reader: Store, source: Place, target: Place) -> dict[Digest, tuple[str, ...]]:
    digest = fetch(reader, source).digest
    wanted = target.reference
    if wanted.digest is not None and wanted.digest != digest:
        raise Misused(f"{target}: expected {digest}, which is what is copied")
    # a module by name has the tag that CUE_REGISTRY gives it there
    tag = wanted.tag or (source.reference.tag if wanted.digest is None else None)
    return {digest: () if tag is None else (tag,)}


def _all(reader: Store, source: Place) -> dict[Digest, tuple[str, ...]]:
    found: dict[Digest, tuple[str, ...]] = {}
    for tag in artifact_tags(reader):
        digest = reader.resolve(tag).digest
        found[digest] = (*found.get(digest, ()), tag)
    if not found:
        raise Absent(f"{source}: there is no tag to copy", check="oci.manifest-unknown")
    return found


def _neighbour(source: Place, target: Place) -> str | None:
    """The source's repository where the target's registry can take blobs from it without a transfer."""
    one, other = source.reference, target.reference
    if isinstance(one, Reference) and isinstance(other, Reference) and one.host == other.host:
        return one.repository
    return None
