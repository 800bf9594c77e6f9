"""`modseal referrers`: what is attached to an artifact, and repairing the list of it where that is a tag.

The three answers are kept apart: nothing is attached (asked, answered, and the answer was complete), the list
cannot be had (Unavailable), and the list is incomplete. Everything listed was fetched and says itself that it is
attached; what it claims beyond that is unverified.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Malformed, Misused, Unavailable, Undecidable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.fallback import Repair, repair_fallback
from verify.oci.referrers import Node, find_referrers, walk_referrers
from verify.oci.store import How
from verify.workflows.stores import Place, fetch, locate, open_store

if TYPE_CHECKING:
    from verify.oci.store import Store
    from verify.workflows.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What is attached to one manifest, as a tree."""

    place: Place
    root: Node

    @property
    def subject(self) -> str:
        """By digest."""
        return f"{self.place.reference.name}@{self.root.digest}"

    def require_complete(self) -> None:
        """Raises Undecidable (`oci.referrers-incomplete`)."""
        if not self.root.whole:
            raise Undecidable(
                f"{self.subject}: list incomplete, more may be attached",
                check=checks.REFERRERS_INCOMPLETE.id,
                hint=f"modseal referrers --repair {self.subject}",
            )

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {"schemaVersion": "modseal.referrers/1", "subject": self.subject, **_node(self.root)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What became of a list. Without a repair the store keeps the list itself."""

    place: Place
    subject: Digest
    repair: Repair | None

    def as_data(self) -> dict[str, object]:
        """For machines."""
        repair = self.repair
        return {
            "schemaVersion": "modseal.repair/1",
            "subject": f"{self.place.reference.name}@{self.subject}",
            "needed": repair is not None,
            "kept": [each.digest.text for each in repair.kept] if repair else [],
            "added": [each.digest.text for each in repair.added] if repair else [],
            "dropped": [{"check": each.check.id, "text": each.text} for each in repair.dropped]
            if repair
            else [],
        }


def list_attached(
    text: str,
    connection: Connection,
    *,
    kind: str | None = None,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Listed:
    """With `kind`, only what has that artifact type, and whatever is attached to it. Raises what the store raises."""
    place = locate(text)
    with open_store(place, connection, limits=limits, events=events) as store:
        digest = fetch(store, place).digest
        try:
            root = _tree(store, digest, kind, limits)
        except Unavailable as error:
            raise error.within(f"{place}: cannot list what is attached") from error
    return Listed(place=place, root=root)


def repair_list(
    text: str,
    connection: Connection,
    *,
    known: tuple[str, ...] = (),
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Repaired:
    """Rebuild the list from what it names, what the store finds, and what the caller knows. Raises as the store does."""
    place = locate(text)
    try:
        found = {Digest.parse(each) for each in known}
    except Malformed as error:
        raise Misused(error.message) from error
    with open_store(place, connection, limits=limits, events=events) as store:
        digest = fetch(store, place).digest
        listing = store.referrers(digest)
        if listing.how is How.API:
            return Repaired(place=place, subject=digest, repair=None)
        found.update(each.digest for each in listing.entries)
        repair = repair_fallback(store, digest, sorted(found), limits=limits)
    return Repaired(place=place, subject=digest, repair=repair)


def _tree(store: Store, digest: Digest, kind: str | None, limits: Limits) -> Node:
    if kind is None:
        return walk_referrers(store, digest, limits=limits)
    attached = find_referrers(store, digest, artifact_type=kind, limits=limits)
    children = tuple(
        replace(walk_referrers(store, each.fetched.digest, limits=limits), referrer=each)
        for each in attached.referrers
    )
    return Node(
        digest=digest, referrer=None, children=children, complete=attached.complete, faults=attached.faults
    )


def _node(node: Node) -> dict[str, object]:
    found: dict[str, object] = {
        "digest": node.digest.text,
        "complete": node.complete,
        "faults": [{"check": each.check.id, "text": each.text} for each in node.faults],
        "attached": [_node(child) for child in node.children],
    }
    if node.referrer is not None:
        found["artifactType"] = node.referrer.kind
        found["annotations"] = dict(node.referrer.document.annotations)
        found["bytes"] = len(node.referrer.fetched.data)
    return found
