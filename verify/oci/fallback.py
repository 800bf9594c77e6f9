"""The tag that lists referrers where a registry does not: `sha256-<hex>`, naming an image index.

1. The tag is the algorithm, cut to 32 characters, a dash, and the digits, cut to 64.
2. Reading: no such tag means nothing is attached. The subject itself under that tag (some registries resolve
   it so), something that is no index, or an index with a subject of its own means that nobody knows.
3. Writing: read, merge, put, read back, and again while our entry is missing: no registry known to us refuses
   a write that is based on an old list. The merge is a union over digests, so writers that repeat it
   converge. Another writer can still lose an entry of ours after we read it back: `repair_fallback` rebuilds.
4. Nothing old is deleted: the right to delete is rarely given, and other lists may name it.

>>> from verify.digest import Digest
>>> fallback_tag(Digest.of(b""))
'sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
"""

from __future__ import annotations

import random
import re
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Exhausted, Malformed, Refuted, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.descriptor import Descriptor
from verify.oci.jsondoc import render_json
from verify.oci.manifest import INDEX_TYPES, OCI_INDEX, parse_listing
from verify.oci.store import Fault, How, ReferrerList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verify.digest import Digest
    from verify.oci.jsondoc import Json
    from verify.oci.manifest import Document, Listing
    from verify.oci.store import Fetched, ReadStore, Store

_TAG = re.compile(r"sha(?:256|512)-[0-9a-f]{64}")
_LEGACY = re.compile(r"sha256-[0-9a-f]{64}\.(?:sig|att|sbom)")
# one writer per list in this process; a few locks shared by all lists cost less than one each
_LOCKS = tuple(threading.Lock() for _ in range(64))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What rebuilding a list changed."""

    kept: tuple[Descriptor, ...]
    added: tuple[Descriptor, ...]
    dropped: tuple[Fault, ...]


def fallback_tag(subject: Digest) -> str:
    """The tag under which referrers of `subject` are listed."""
    return f"{subject.algorithm[:32]}-{subject.hex[:64]}"


def is_list_tag(tag: str) -> bool:
    """Whether a tag is a fallback list or an attachment of the older kind, and so no version of anything."""
    return _TAG.fullmatch(tag) is not None or _LEGACY.fullmatch(tag) is not None


def describe_referrer(fetched: Fetched, document: Document) -> Descriptor:
    """The entry a list has for a manifest: its type, else its config's, and its annotations."""
    return Descriptor(
        media_type=fetched.media_type,
        digest=fetched.digest,
        size=len(fetched.data),
        annotations=dict(document.annotations),
        artifact_type=document.kind,
    )


def merge_entries(listed: Iterable[Descriptor], ours: Iterable[Descriptor]) -> tuple[Descriptor, ...]:
    """A union over digests, sorted by digest. Ours replace what is listed of the same digest."""
    found = {entry.digest: entry for entry in listed}
    found.update((entry.digest, entry) for entry in ours)
    return tuple(found[digest] for digest in sorted(found))


def render_fallback(entries: Iterable[Descriptor], unread: Iterable[Json] = ()) -> bytes:
    """The index as bytes. What another tool listed and we cannot read stays, at the end."""
    manifests = [*(entry.members() for entry in entries), *unread]
    return render_json({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": manifests})


def read_fallback(store: ReadStore, subject: Digest, *, limits: Limits = DEFAULT) -> ReferrerList:
    """What the fallback list of `subject` says. Raises Unavailable, never for an absent list."""
    try:
        listing = _listing(store, subject, limits)
    except (Malformed, Refuted, Exhausted) as error:
        check = (
            checks.FALLBACK_SUBJECT
            if error.check == checks.FALLBACK_SUBJECT.id
            else checks.FALLBACK_MALFORMED
        )
        fault = Fault(check=check, text=str(error))
        return ReferrerList(subject=subject, entries=(), how=How.FALLBACK, complete=False, faults=(fault,))
    if listing is None:
        return ReferrerList(subject=subject, entries=(), how=How.FALLBACK)
    return bounded_list(
        subject,
        listing.entries,
        How.FALLBACK,
        [Fault(check=checks.REFERRER_MALFORMED, text=str(each)) for each in listing.faults],
        limits=limits,
    )


def bounded_list(
    subject: Digest,
    entries: Iterable[Descriptor],
    how: How,
    faults: Iterable[Fault] = (),
    *,
    complete: bool = True,
    limits: Limits = DEFAULT,
) -> ReferrerList:
    """Each digest once, the subject itself never, and at most as many entries and faults as the limit says."""
    found: dict[Digest, Descriptor] = {}
    for entry in entries:
        if entry.digest != subject:
            found.setdefault(entry.digest, entry)
        if len(found) > limits.referrer_entries:
            complete = False
            break
    told = list(faults)
    if len(told) > limits.referrer_entries:
        told, complete = told[: limits.referrer_entries], False
    if len(found) > limits.referrer_entries:
        found.popitem()
        text = f"more than {limits.referrer_entries} referrers are listed"
        told.append(Fault(check=checks.REFERRERS_INCOMPLETE, text=text))
    # an entry that could not be read may have been the one somebody looks for
    complete = complete and not told
    return ReferrerList(
        subject=subject, entries=tuple(found.values()), how=how, complete=complete, faults=tuple(told)
    )


def add_to_fallback(
    store: Store,
    subject: Digest,
    entry: Descriptor,
    *,
    limits: Limits = DEFAULT,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """List `entry` under `subject` by tag, and see that it is there.

    Raises Unavailable (`oci.fallback-lost`) when others keep overwriting it, Refuted (`oci.fallback-is-subject`,
    `oci.fallback-malformed`) when what stands there is not ours to replace, and what the store raises.
    """
    with _lock(store, subject):
        for attempt in range(limits.fallback_attempts):
            listing = _listing(store, subject, limits)
            listed = () if listing is None else listing.entries
            if any(each.digest == entry.digest for each in listed):
                return
            unread = () if listing is None else listing.unread
            _write(store, subject, render_fallback(merge_entries(listed, (entry,)), unread))
            again = _listing(store, subject, limits)
            if again is not None and any(each.digest == entry.digest for each in again.entries):
                return
            pause(random.uniform(0.05, 0.2) * 2**attempt)  # noqa: S311 - jitter, not a secret
    raise Unavailable(
        f"{store.place}:{fallback_tag(subject)}: our entry is not there after {limits.fallback_attempts} writes",
        check=checks.FALLBACK_LOST.id,
        hint=f"modseal referrers --repair {store.place}@{subject}",
    )


def repair_fallback(
    store: Store, subject: Digest, known: Iterable[Digest] = (), *, limits: Limits = DEFAULT
) -> Repair:
    """Rebuild the list from what it names and what the caller knows: each manifest is fetched and judged.

    A list that is no list is replaced; the subject under that tag never is. Raises Refuted
    (`oci.fallback-is-subject`), Unavailable; nothing is written when one of the manifests cannot be reached.
    """
    with _lock(store, subject):
        try:
            listing = _listing(store, subject, limits)
        except (Malformed, Refuted) as error:
            if error.check == checks.FALLBACK_SUBJECT.id:
                raise
            listing = None
        listed = {} if listing is None else {entry.digest: entry for entry in listing.entries}
        kept: list[Descriptor] = []
        added: list[Descriptor] = []
        dropped: list[Fault] = []
        for digest in sorted({*listed, *known}):
            judged = _judge(store, subject, digest, limits)
            if isinstance(judged, Fault):
                dropped.append(judged)
            else:
                (kept if listed.get(digest) == judged else added).append(judged)
        faults = () if listing is None else listing.faults
        dropped.extend(Fault(check=checks.REFERRER_MALFORMED, text=str(each)) for each in faults)
        if added or dropped or (listing is None and kept):
            _write(store, subject, render_fallback(merge_entries(kept, added)))
    return Repair(kept=tuple(kept), added=tuple(added), dropped=tuple(dropped))


def _judge(store: ReadStore, subject: Digest, digest: Digest, limits: Limits) -> Descriptor | Fault:
    try:
        fetched = store.get_manifest(digest)
        document = fetched.document(limits)
    except Absent:
        return Fault(check=checks.REFERRER_MISSING, text=f"{digest} is listed and does not exist")
    except (Malformed, Refuted, Exhausted) as error:
        return Fault(check=checks.REFERRER_MALFORMED, text=f"{digest}: {error}")
    if document.subject is None or document.subject.digest != subject:
        return Fault(check=checks.REFERRER_FOREIGN, text=f"{digest} does not refer to {subject}")
    return describe_referrer(fetched, document)


def _listing(store: ReadStore, subject: Digest, limits: Limits) -> Listing | None:
    tag = fallback_tag(subject)
    try:
        fetched = store.get_manifest(tag)
    except Absent:
        return None
    if fetched.digest == subject:
        raise Refuted(
            f"{store.place}:{tag} is the subject itself, not a list", check=checks.FALLBACK_SUBJECT.id
        )
    if fetched.media_type not in INDEX_TYPES:
        raise Refuted(
            f"{store.place}:{tag}: expected an index, got {fetched.media_type}",
            check=checks.FALLBACK_MALFORMED.id,
        )
    listing = parse_listing(fetched.data, served_as=fetched.media_type, limits=limits)
    if listing.subject is not None:
        raise Refuted(
            f"{store.place}:{tag}: the list has a subject of its own", check=checks.FALLBACK_MALFORMED.id
        )
    return listing


def _write(store: Store, subject: Digest, data: bytes) -> None:
    store.put_manifest(data, OCI_INDEX, tag=fallback_tag(subject))


def _lock(store: ReadStore, subject: Digest) -> threading.Lock:
    return _LOCKS[hash((store.place, subject)) % len(_LOCKS)]
