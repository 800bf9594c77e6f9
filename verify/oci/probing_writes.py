"""Whether a registry takes an artifact and what is attached to it, by doing so and taking it away again.

1. An artifact of a few bytes, with a random word in it so that nobody else has it, and a referrer to it.
2. The answer to the referrer's push, then both lists: the referrers API, and the fallback tag.
3. Manifests are deleted by digest, the referrer first. What is left is told with its digest.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from verify.errors import ModsealError
from verify.limits import DEFAULT, Limits
from verify.oci.artifact import build_artifact
from verify.oci.blob import Content
from verify.oci.fallback import fallback_tag, read_fallback
from verify.oci.manifest import OCI_INDEX, parse_listing
from verify.oci.probing import Ability, Probe, Question, probe_contents
from verify.oci.push import place_manifest, publish_artifact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.digest import Digest
    from verify.oci.artifact import Artifact
    from verify.oci.descriptor import Descriptor
    from verify.oci.reference import Reference
    from verify.oci.registry import RegistryStore

_TYPE = "application/vnd.modseal.doctor.v1"
_GIVE = frozenset({400, 401, 403, 404, 405, 409, 501})

PUSH = Question("push", "takes an artifact", "modseal login, or ask for the right to push")
SUBJECT = Question(
    "subject-header", "confirms an attachment", "clients keep the list under a tag themselves, all of them"
)
BY_API = Question("referrers-listed", "lists a new attachment by itself", "it is found through the tag alone")
BY_TAG = Question(
    "fallback-tag", "keeps the list of attachments under a tag", "allow tags sha256-… to be created and moved"
)
DELETE = Question(
    "delete",
    "deletes a manifest",
    "what doctor pushed stays; what you attach can only be outdated, not removed",
)


def probe_writes(
    store: RegistryStore, reference: Reference, word: str, *, limits: Limits = DEFAULT
) -> Iterator[Probe]:
    """Push, ask about what was pushed, attach, look, delete. `word` makes it new."""
    subject = _artifact(word)
    pushed = PUSH.ask(lambda: _push(store, subject, limits))
    yield pushed
    if pushed.ability is not Ability.YES:
        return
    referrer = _artifact(f"{word} attached", subject.descriptor)
    made = [referrer.descriptor.digest, subject.descriptor.digest]
    try:
        yield from probe_contents(store, reference.at(digest=made[1]), limits=limits)
        yield SUBJECT.ask(lambda: _subject(store, referrer))
        yield BY_API.ask(
            lambda: _by_api(store, subject.descriptor.digest, referrer.descriptor.digest, limits)
        )
        yield BY_TAG.ask(lambda: _by_tag(store, subject.descriptor.digest, referrer, limits))
    finally:
        removed = DELETE.ask(lambda: _delete(store, subject.descriptor.digest, made))
    yield removed


def _artifact(word: str, subject: Descriptor | None = None) -> Artifact:
    content = Content.of(f"pushed by modseal doctor, may be deleted: {word}\n".encode(), "text/plain")
    return build_artifact(layers=(content,), artifact_type=_TYPE, subject=subject)


def _push(store: RegistryStore, artifact: Artifact, limits: Limits) -> Probe:
    published = publish_artifact(store, artifact, limits=limits)
    data = store.get_manifest(published.descriptor.digest).data
    return PUSH.found(data == artifact.data, f"{published.descriptor.digest} pushed and read back")


def _subject(store: RegistryStore, referrer: Artifact) -> Probe:
    for blob in referrer.blobs:
        store.put_blob(blob.descriptor, blob.open)
    placed = store.put_manifest(referrer.data, referrer.manifest.media_type)
    seen = "OCI-Subject, and an API behind it" if placed.attached else "no OCI-Subject, or no API behind it"
    return SUBJECT.found(placed.attached, seen)


def _by_api(store: RegistryStore, subject: Digest, referrer: Digest, limits: Limits) -> Probe:
    headers = (("Accept", OCI_INDEX),)
    with store.endpoint.get(
        store.endpoint.at(f"referrers/{subject}"), headers=headers, give=_GIVE
    ) as response:
        if response.status != 200 or response.headers.media_type != OCI_INDEX:
            return BY_API.found(Ability.NO, f"{response.status} {response.headers.media_type}".strip())
        data = response.read_all(limits.manifest_bytes, "referrers")
    listed = any(each.digest == referrer for each in parse_listing(data, limits=limits).entries)
    return BY_API.found(listed, "it is in the list" if listed else "the list does not have it")


def _by_tag(store: RegistryStore, subject: Digest, referrer: Artifact, limits: Limits) -> Probe:
    if _has(store, subject, referrer.descriptor.digest, limits):
        return BY_TAG.found(Ability.YES, "the registry keeps it there itself")
    # puts the manifest again, which changes nothing, and the list where the registry has none of its own
    place_manifest(store, referrer.data, referrer.manifest.media_type, limits=limits)
    if _has(store, subject, referrer.descriptor.digest, limits):
        return BY_TAG.found(Ability.YES, "written and read back")
    return BY_TAG.found(Ability.UNKNOWN, "not needed, so not tried")


def _has(store: RegistryStore, subject: Digest, referrer: Digest, limits: Limits) -> bool:
    listing = read_fallback(store, subject, limits=limits)
    return any(each.digest == referrer for each in listing.entries)


def _delete(store: RegistryStore, subject: Digest, made: list[Digest]) -> Probe:
    with suppress(ModsealError):
        made = [*made, store.resolve(fallback_tag(subject)).digest]
    left: list[str] = []
    for digest in dict.fromkeys(made):
        status = _delete_one(store, digest)
        if status not in {"202", "200", "404"}:
            left.append(f"{digest} ({status})")
    if not left:
        return DELETE.found(Ability.YES, "nothing is left but blobs that nothing names")
    return DELETE.found(Ability.NO, f"left: {', '.join(left)}")


def _delete_one(store: RegistryStore, digest: Digest) -> str:
    endpoint = store.endpoint
    try:
        scopes = (endpoint.scope("delete"),)
        with endpoint.put(
            "DELETE", endpoint.at(f"manifests/{digest}"), scopes=scopes, give=_GIVE
        ) as response:
            return str(response.status)
    except ModsealError as error:
        return str(error)
