"""What a registry can do, found out by asking: each `Probe` is one question and what was seen.

Reading asks only for what is there: the base address, tags, one manifest, a part of its smallest blob, a
list of referrers. Writing (`verify.oci.probing_writes`) pushes an artifact of a few bytes and a referrer to
it, looks for the referrer both ways, and takes away what it put; what could not be taken away is told.

*No* means that the registry was asked and does not do it; *unknown* that it could not be asked, or that there
was nothing to ask about.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import ModsealError
from verify.limits import DEFAULT, Limits
from verify.oci.endpoint import ACCEPT
from verify.oci.fallback import fallback_tag, is_list_tag
from verify.oci.jsondoc import parse_json
from verify.oci.manifest import OCI_INDEX, Manifest
from verify.transport.challenge import parse_challenges
from verify.transport.message import Follow, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.oci.endpoint import Endpoint
    from verify.oci.reference import Reference
    from verify.oci.registry import RegistryStore
    from verify.oci.store import Fetched
    from verify.transport.message import Response

_NOBODY = Digest.parse("sha256:" + "0" * 64)
_JUDGED = frozenset({400, 401, 403, 404, 405, 406, 416, 501})
_TYPE = "application/vnd.example.none"


class Ability(StrEnum):
    """What was found out."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question. `seen` may hold what the registry said; `means` is what follows from a no."""

    id: str
    title: str
    ability: Ability
    seen: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question before it is asked."""

    id: str
    title: str
    means: str = ""

    def found(self, ability: Ability | bool, seen: str) -> Probe:
        """Its answer."""
        told = ability if isinstance(ability, Ability) else Ability.YES if ability else Ability.NO
        means = self.means if told is Ability.NO else ""
        return Probe(id=self.id, title=self.title, ability=told, seen=seen, means=means)

    def ask(self, how: Callable[[], Probe]) -> Probe:
        """Whatever keeps us from asking makes it unknown."""
        try:
            return how()
        except ModsealError as error:
            return self.found(Ability.UNKNOWN, str(error))


PROTOCOL = Question("protocol", "speaks the distribution protocol", "is this a registry's address?")
AUTHENTICATION = Question("authentication", "asks who we are")
ACCESS = Question("access", "lets us read the repository", "modseal login, or ask whoever runs it")
TAG_PAGES = Question(
    "tag-pages", "gives tags in pages", "long lists come whole, or cut without a word; ask for names you know"
)
LENGTH = Question("content-length", "states the length of a manifest", "cue refuses to read from it")
DIGEST = Question("digest-header", "names a manifest's digest", "clients that resolve tags by HEAD cannot")
ANY_TYPE = Question(
    "any-type",
    "gives a manifest to whoever lists no types",
    "tools without an Accept list see 404 for what exists",
)
RANGE = Question("range", "goes on with a download", "an interrupted one begins again")
SAME_HOST = Question(
    "same-host", "gives blobs itself", "they come from another host: firewalls and proxies must allow it too"
)
FREE_TAG = Question(
    "free-tag",
    "leaves tags sha256-… to those who write them",
    "it answers them with the manifest itself, so nobody can keep a list of attachments there",
)
REFERRERS = Question(
    "referrers-api",
    "lists what is attached",
    "attachments are listed under a tag sha256-…, which must be movable",
)
FILTER = Question("referrers-filter", "filters what is attached by type", "every entry is fetched and judged")

_OF_A_MANIFEST = (LENGTH, DIGEST, ANY_TYPE, RANGE, SAME_HOST, FREE_TAG)


def probe_registry(store: RegistryStore, *, limits: Limits = DEFAULT) -> Iterator[Probe]:
    """What needs no artifact. Raises Unavailable where nobody answers at the base address."""
    endpoint = store.endpoint
    yield from _base(endpoint)
    yield ACCESS.ask(lambda: _access(endpoint))
    yield TAG_PAGES.ask(lambda: _tag_pages(endpoint, limits))


def probe_contents(
    store: RegistryStore, reference: Reference, *, limits: Limits = DEFAULT
) -> Iterator[Probe]:
    """What can be asked about the artifact of a reference, or about any there is."""
    endpoint = store.endpoint
    fetched = _sample(store, reference)
    if fetched is None:
        yield from (each.found(Ability.UNKNOWN, "no manifest to ask about") for each in _OF_A_MANIFEST)
    else:
        yield from _manifest(endpoint, fetched)
        yield from _blob(endpoint, fetched, limits)
        yield FREE_TAG.ask(lambda: _free_tag(endpoint, fetched.digest, limits))
    subject = _NOBODY if fetched is None else fetched.digest
    yield REFERRERS.ask(lambda: _referrers(endpoint, subject))
    yield FILTER.ask(lambda: _filter(endpoint, subject))


def _base(endpoint: Endpoint) -> Iterator[Probe]:
    # without credentials: what is asked for is the question
    request = Request(method="GET", address=endpoint.root.at("/v2/"), give=_JUDGED, follow=Follow.ORIGIN)
    with endpoint.client.send(request) as response:
        challenges = parse_challenges(response.headers.all("www-authenticate"))
        spoken = response.status == 200 or (response.status == 401 and bool(challenges))
        html = response.headers.media_type == "text/html"
        seen = f"{response.status} {response.headers.media_type}".strip()
        yield PROTOCOL.found(spoken and not html, seen)
        asked = ", ".join(_scheme(each.scheme, each.get("realm")) for each in challenges)
        yield AUTHENTICATION.found(response.status == 401, asked or "nobody is asked")


def _scheme(scheme: str, realm: str) -> str:
    return f"{scheme}, tokens from {realm}" if scheme == "bearer" and realm else scheme


def _access(endpoint: Endpoint) -> Probe:
    with endpoint.get(endpoint.at("tags/list"), give=_JUDGED) as response:
        if response.status == 200:
            return ACCESS.found(Ability.YES, "tags are listed")
        said = endpoint.complaint(response)
        if response.status == 404:
            return ACCESS.found(Ability.YES, f"no such repository yet, or no tags: {said.text}".rstrip(": "))
        return ACCESS.found(Ability.NO, f"{response.status} {said.text}".strip())


def _tag_pages(endpoint: Endpoint, limits: Limits) -> Probe:
    every, _ = _tags(endpoint, "tags/list", limits)
    if every < 2:
        return TAG_PAGES.found(Ability.UNKNOWN, f"{every} tags are too few to tell")
    some, link = _tags(endpoint, "tags/list?n=1", limits)
    if some == 1 and link:
        return TAG_PAGES.found(Ability.YES, "one asked for, one given, and where to go on")
    return TAG_PAGES.found(Ability.NO, f"one asked for, {some} given, {'a' if link else 'no'} link to more")


def _tags(endpoint: Endpoint, rest: str, limits: Limits) -> tuple[int, bool]:
    with endpoint.get(endpoint.at(rest), give=_JUDGED) as response:
        if response.status != 200:
            return 0, False
        link = response.headers.get("link") is not None
        value = parse_json(
            response.read_all(limits.manifest_bytes, "list of tags"), most=limits.manifest_bytes, what="tags"
        )
    tags = value.get("tags") if isinstance(value, dict) else None
    return len(tags) if isinstance(tags, list) else 0, link


def _sample(store: RegistryStore, reference: Reference) -> Fetched | None:
    if reference.digest is not None or reference.tag is not None:
        return store.get_manifest(reference.digest or reference.tag or "")
    try:
        tags = [tag for tag in store.tags() if not is_list_tag(tag)]
        return store.get_manifest(tags[-1]) if tags else None
    except ModsealError:
        return None


def _manifest(endpoint: Endpoint, fetched: Fetched) -> Iterator[Probe]:
    address = endpoint.at(f"manifests/{fetched.digest}")

    def length() -> Probe:
        with endpoint.get(address, headers=(ACCEPT,), framed=False) as response:
            stated = response.headers.get("content-length")
            return LENGTH.found(stated == str(len(fetched.data)), f"Content-Length: {stated or 'none'}")

    def digest() -> Probe:
        with endpoint.get(address, method="HEAD", headers=(ACCEPT,), give=_JUDGED) as response:
            named = response.headers.get("docker-content-digest")
            return DIGEST.found(named == fetched.digest.text, f"Docker-Content-Digest: {named or 'none'}")

    def any_type() -> Probe:
        with endpoint.get(address, headers=(("Accept", "*/*"),), framed=False, give=_JUDGED) as response:
            return ANY_TYPE.found(response.status == 200, f"{response.status} for Accept: */*")

    yield LENGTH.ask(length)
    yield DIGEST.ask(digest)
    yield ANY_TYPE.ask(any_type)


def _blob(endpoint: Endpoint, fetched: Fetched, limits: Limits) -> Iterator[Probe]:
    try:
        document = fetched.document(limits)
    except ModsealError as error:
        yield from (each.found(Ability.UNKNOWN, str(error)) for each in (RANGE, SAME_HOST))
        return
    if not isinstance(document, Manifest):
        yield from (each.found(Ability.UNKNOWN, "an index has no blobs") for each in (RANGE, SAME_HOST))
        return
    sizeable = [each for each in document.children() if each.size > 1]
    if not sizeable:
        yield from (each.found(Ability.UNKNOWN, "no blob has two bytes") for each in (RANGE, SAME_HOST))
        return
    digest = min(sizeable, key=lambda each: each.size).digest
    origins: list[str] = []

    def part() -> Probe:
        headers = (("Range", "bytes=1-"),)
        with endpoint.get(
            endpoint.at(f"blobs/{digest}"), headers=headers, framed=False, give=_JUDGED
        ) as response:
            origins.append(str(response.address.origin))
            return RANGE.found(
                response.status == 206, f"{response.status} for a blob from its second byte on"
            )

    yield RANGE.ask(part)
    if origins:
        same = origins[0] == str(endpoint.root.origin)
        yield SAME_HOST.found(same, origins[0])
    else:
        yield SAME_HOST.found(Ability.UNKNOWN, "no blob was given")


def _free_tag(endpoint: Endpoint, subject: Digest, limits: Limits) -> Probe:
    address = endpoint.at(f"manifests/{fallback_tag(subject)}")
    with endpoint.get(address, headers=(ACCEPT,), give=_JUDGED) as response:
        if response.status != 200:
            return FREE_TAG.found(response.status == 404 or Ability.UNKNOWN, f"{response.status}")
        itself = subject.matches(response.read_all(limits.manifest_bytes, "manifest"))
        return FREE_TAG.found(not itself, "the manifest itself" if itself else "a list is there")


def _referrers(endpoint: Endpoint, subject: Digest) -> Probe:
    with _ask_referrers(endpoint, str(subject)) as response:
        kind = response.headers.media_type
        if response.status == 200 and kind == OCI_INDEX:
            return REFERRERS.found(Ability.YES, f"200 {kind}")
        if response.status == 404 and "NAME_UNKNOWN" in endpoint.complaint(response).codes:
            return REFERRERS.found(Ability.UNKNOWN, "404: no such repository yet")
        if response.status in {401, 403}:
            return REFERRERS.found(Ability.UNKNOWN, f"{response.status}")
        return REFERRERS.found(Ability.NO, f"{response.status} {kind}".strip())


def _filter(endpoint: Endpoint, subject: Digest) -> Probe:
    with _ask_referrers(endpoint, f"{subject}?artifactType={_TYPE}") as response:
        if response.status != 200 or response.headers.media_type != OCI_INDEX:
            return FILTER.found(Ability.UNKNOWN, "there is no list to filter")
        said = response.headers.get("oci-filters-applied")
        return FILTER.found("artifactType" in (said or ""), f"OCI-Filters-Applied: {said or 'none'}")


def _ask_referrers(endpoint: Endpoint, rest: str) -> Response:
    headers = (("Accept", OCI_INDEX),)
    address = endpoint.at(f"referrers/{rest}")
    return endpoint.get(address, headers=headers, give=_JUDGED, follow=Follow.ORIGIN)
