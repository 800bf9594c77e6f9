"""What is attached to a manifest, fetched and judged; and what is attached to that.

1. The store lists; every entry is a hint. Entries that state another artifact type than the wanted one are
   left out, unless what they state is one of the values that tools write in place of the real one: nothing,
   the empty config's type, or a config's type.
2. Every other entry is fetched by its digest, and its own bytes say what it refers to and what it is. One
   that refers to something else, does not exist or cannot be read is a fault, and never a referrer.
3. Limits on entries, fetches, depth and nodes make the answer incomplete. An incomplete answer still holds
   for what is in it; it says nothing about what is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Exhausted, Malformed, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.artifact import EMPTY_TYPE
from verify.oci.fallback import describe_referrer
from verify.oci.store import Fault, Fetched, How

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.digest import Digest
    from verify.oci.descriptor import Descriptor
    from verify.oci.manifest import Document
    from verify.oci.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Referrer:
    """A manifest that itself says that it refers to the subject. What it claims is still unverified."""

    descriptor: Descriptor  # with the artifact type and annotations of its own bytes
    fetched: Fetched
    document: Document

    @property
    def kind(self) -> str:
        """Its artifact type, else its config's; empty where it has neither."""
        return self.document.kind or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """The judged answer. Nothing is attached when it is complete and has no referrers."""

    subject: Digest
    referrers: tuple[Referrer, ...]
    how: How
    complete: bool
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A manifest and what is attached to it. `referrer` is None at the root."""

    digest: Digest
    referrer: Referrer | None
    children: tuple[Node, ...]
    complete: bool
    faults: tuple[Fault, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Itself and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def whole(self) -> bool:
        """Whether every list in the tree was complete."""
        return all(node.complete for node in self.walk())


def find_referrers(
    store: Store, subject: Digest, *, artifact_type: str | None = None, limits: Limits = DEFAULT
) -> Attached:
    """List, fetch, judge. Raises Unavailable where the list or a listed manifest cannot be reached."""
    listing = store.referrers(subject, artifact_type=artifact_type)
    complete = listing.complete
    faults = list(listing.faults)
    found: dict[Digest, Referrer] = {}
    fetches = 0
    for entry in listing.entries:
        if entry.digest in found or not _may_be(entry, artifact_type):
            continue
        if fetches >= limits.referrer_fetches:
            complete = False
            text = f"more than {limits.referrer_fetches} referrers would have to be fetched"
            faults.append(Fault(check=checks.REFERRERS_INCOMPLETE, text=text))
            break
        fetches += 1
        judged = _judge(store, subject, entry, limits)
        if isinstance(judged, Fault):
            faults.append(judged)
            # what is gone or damaged may have been what somebody looks for; what refers elsewhere was not
            complete = complete and judged.check is checks.REFERRER_FOREIGN
        elif artifact_type is None or judged.kind == artifact_type:
            found[entry.digest] = judged
    return Attached(
        subject=subject,
        referrers=tuple(found[digest] for digest in sorted(found)),
        how=listing.how,
        complete=complete,
        faults=tuple(faults),
    )


def walk_referrers(store: Store, digest: Digest, *, limits: Limits = DEFAULT) -> Node:
    """The tree of everything attached. Raises as `find_referrers`."""
    budget = [limits.referrer_nodes]
    return _node(store, digest, None, limits, budget, frozenset())


def _node(
    store: Store,
    digest: Digest,
    referrer: Referrer | None,
    limits: Limits,
    budget: list[int],
    above: frozenset[Digest],
) -> Node:
    if len(above) > limits.referrer_depth:
        fault = Fault(check=checks.REFERRERS_INCOMPLETE, text=f"deeper than {limits.referrer_depth} levels")
        return Node(digest=digest, referrer=referrer, children=(), complete=False, faults=(fault,))
    attached = find_referrers(store, digest, limits=limits)
    complete, faults = attached.complete, attached.faults
    children = []
    for each in attached.referrers:
        if budget[0] <= 0:
            text = f"more than {limits.referrer_nodes} referrers in the tree"
            faults = (*faults, Fault(check=checks.REFERRERS_INCOMPLETE, text=text))
            complete = False
            break
        budget[0] -= 1
        # a digest cannot contain itself, so a circle needs a broken hash; the depth bounds it all the same
        children.append(_node(store, each.fetched.digest, each, limits, budget, above | {digest}))
    return Node(
        digest=digest, referrer=referrer, children=tuple(children), complete=complete, faults=tuple(faults)
    )


def _may_be(entry: Descriptor, artifact_type: str | None) -> bool:
    stated = entry.artifact_type
    if artifact_type is None or stated is None:
        return True
    return stated in {artifact_type, EMPTY_TYPE} or "config" in stated


def _judge(store: Store, subject: Digest, entry: Descriptor, limits: Limits) -> Referrer | Fault:
    try:
        fetched = store.get_manifest(entry.digest)
        document = fetched.document(limits)
    except Absent:
        return Fault(check=checks.REFERRER_MISSING, text=f"{entry.digest} is listed and does not exist")
    except (Malformed, Refuted, Exhausted) as error:
        return Fault(check=checks.REFERRER_MALFORMED, text=f"{entry.digest}: {error}")
    if document.subject is None or document.subject.digest != subject:
        return Fault(check=checks.REFERRER_FOREIGN, text=f"{entry.digest} does not refer to {subject}")
    return Referrer(descriptor=describe_referrer(fetched, document), fetched=fetched, document=document)
