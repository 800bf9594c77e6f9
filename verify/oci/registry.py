"""A repository in a registry, as the Store ports.

1. What comes by digest has that digest; what comes by tag has the digest of its bytes. A Docker-Content-Digest
   header is compared and never believed.
2. 404 to a question with the full list of types means absent. 401, 403, 429, 5xx, redirects into the dark and
   web pages mean that nobody knows: Unavailable.
3. Referrers: the API is asked. 404, 405, 501, 400 and 406 mean that it is not served: the fallback tag is read
   and is the answer. A redirect to another host or an answer that is no index leave it open what is attached:
   the fallback tag is read, and the list is incomplete.
4. A manifest with a subject is attached by the registry when it says so (OCI-Subject with that digest) *and*
   its API answers: some say so without having it.
5. Tags come in pages; some registries cut a page without saying so, so that a suspiciously round one is asked
   for what follows.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
from urllib.parse import quote

from verify.digest import Digest
from verify.errors import Exhausted, Malformed, Refuted, Unavailable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci import registrychecks as checks
from verify.oci.blob import VerifyingReader, short
from verify.oci.checks import REFERRER_MALFORMED, REFERRERS_INCOMPLETE
from verify.oci.download import Download
from verify.oci.endpoint import ACCEPT, Endpoint
from verify.oci.fallback import bounded_list, read_fallback
from verify.oci.jsondoc import parse_json
from verify.oci.manifest import OCI_INDEX, parse_document, parse_listing
from verify.oci.paging import Pages
from verify.oci.reference import check_repository, check_tag
from verify.oci.store import Fault, Fetched, How, Placed, Put, ReferrerList
from verify.oci.upload import Upload
from verify.transport.message import Follow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.digest import Reader
    from verify.oci.descriptor import Descriptor
    from verify.oci.reference import Reference
    from verify.transport.address import Address
    from verify.transport.message import Client, Response

_NOT_SERVED = frozenset({400, 404, 405, 406, 501})
_ROUND = 50  # pages that are cut without a Link are multiples of this


class RegistryStore:
    """All three ports over one repository. Threads may share it."""

    def __init__(
        self,
        reference: Reference,
        client: Client,
        *,
        plain_http: bool | None = None,
        chunk: int | None = None,
        limits: Limits = DEFAULT,
        events: Events = SILENT,
    ) -> None:
        self.endpoint = Endpoint.of(reference, client, plain_http=plain_http, limits=limits)
        self._host = reference.host
        self._chunk = chunk
        self._limits = limits
        self._events = events
        self._served: bool | None = None  # the referrers API, once it is known

    @property
    def place(self) -> str:
        return self.endpoint.place

    def resolve(self, tag: str) -> Descriptor:
        # GET, not HEAD: only bytes prove a digest
        return self.get_manifest(tag).descriptor

    def get_manifest(self, which: Digest | str) -> Fetched:
        asked = which if isinstance(which, Digest) else None
        what = f"manifest {which if asked is None else short(asked)}"
        name = str(which) if asked is not None else check_tag(str(which))
        response = self.endpoint.get(
            self.endpoint.at(f"manifests/{name}"), headers=(ACCEPT,), framed=asked is None
        )
        if response.status == 404:
            raise self.endpoint.unknown(response, f"manifest {which}", "oci.manifest-unknown")
        if response.status != 200:
            raise self.endpoint.unexpected(response, what)
        self.endpoint.refuse_html(response, what)
        data = self._document(response, what)
        digest = Digest.of(data) if asked is None else asked
        if not digest.matches(data):
            raise Refuted(f"{self.place}: {what}: other bytes than that", check="oci.digest-mismatch")
        self._compare_header(response, data, what)
        # without a type only the bytes can say what they are
        media_type = response.headers.media_type or parse_document(data, served_as=None).media_type
        return Fetched(data=data, media_type=media_type, digest=digest)

    def _document(self, response: Response, what: str) -> bytes:
        try:
            return response.read_all(self._limits.manifest_bytes, what)
        except Exhausted as error:
            raise Exhausted(f"{self.place}: {error.message}", check="oci.too-large") from None

    def _compare_header(self, response: Response, data: bytes, what: str) -> None:
        text = response.headers.get("docker-content-digest")
        if text is None:
            return
        try:
            named = Digest.parse(text.strip())
        except Malformed:
            named = None
        if named is None or not named.matches(data):
            raise Refuted(
                f"{self.place}: {what}: the header names {text[:100]!r}, not what its bytes have",
                check=checks.DIGEST_HEADER.id,
            )

    def open_blob(self, digest: Digest, *, size: int | None = None) -> VerifyingReader:
        if size is not None and size > self._limits.blob_bytes:
            raise Exhausted(f"{self.place}: blob {short(digest)}: too large", check="oci.too-large")
        download = Download(self.endpoint, digest, size)
        task = f"{self.place}: {short(digest)}"
        self._events.begin(task, size)

        def over() -> None:
            download.close()
            self._events.end(task)

        source = _Told(download, self._events, task)
        return VerifyingReader(source, digest, size=size, most=self._limits.blob_bytes, close=over)

    def has_blob(self, digest: Digest) -> bool:
        response = self.endpoint.get(self.endpoint.at(f"blobs/{digest}"), method="HEAD")
        response.close()
        if response.status == 404:
            return False
        if response.status != 200:
            raise self.endpoint.unexpected(response, f"blob {short(digest)}")
        if response.headers.get("docker-content-digest") != digest.text:
            self.endpoint.refuse_html(response, f"blob {short(digest)}")
        return True

    def put_blob(
        self, descriptor: Descriptor, source: Callable[[], Reader], *, mount_from: str | None = None
    ) -> Put:
        if mount_from is not None:
            check_repository(self._host, mount_from)
        if self.has_blob(descriptor.digest):
            return Put.PRESENT
        task = f"blob {short(descriptor.digest)}"
        self._events.begin(task, descriptor.size)
        try:
            upload = Upload(self.endpoint, descriptor, source, chunk=self._chunk, events=self._events)
            return upload.run(mount_from)
        finally:
            self._events.end(task)

    def put_manifest(self, data: bytes, media_type: str, *, tag: str | None = None) -> Placed:
        if len(data) > self._limits.manifest_bytes:
            raise Exhausted(
                f"manifest: longer than {self._limits.manifest_bytes} bytes", check="oci.too-large"
            )
        document = parse_document(data, served_as=media_type, limits=self._limits)
        digest = Digest.of(data)
        name = digest.text if tag is None else check_tag(tag)
        response = self.endpoint.put(
            "PUT",
            self.endpoint.at(f"manifests/{name}"),
            headers=(("Content-Type", media_type),),
            body=lambda: io.BytesIO(data),
            length=len(data),
            give=frozenset({403}),
        )
        if response.status != 201:
            raise self._refused(response, f"manifest {name}", tagged=tag is not None)
        response.close()
        self._compare_header(response, data, f"manifest {name}")
        placed = Fetched(data=data, media_type=media_type, digest=digest).descriptor
        subject = None if document.subject is None else document.subject.digest
        said = response.headers.get("oci-subject")
        attached = subject is not None and said == subject.text and self._serves(subject)
        return Placed(descriptor=placed, attached=attached)

    def _refused(self, response: Response, what: str, *, tagged: bool) -> Unavailable:
        said = self.endpoint.complaint(response).text
        hint = None
        if response.status in {400, 403, 405, 409, 412} and tagged:
            hint = "where tags cannot be moved, publish under another one"
        return Unavailable(
            f"{self.place}: {what}: refused with {response.status}" + (f": {said}" if said else ""),
            check="fetch.forbidden" if response.status == 403 else checks.REFUSED.id,
            hint=hint,
        )

    def tags(self) -> Sequence[str]:
        address: Address | None = self.endpoint.at("tags/list")
        pages = Pages(self.endpoint.at("tags/list"), self._limits.tag_pages)
        found: set[str] = set()
        while address is not None:
            response = self.endpoint.get(address)
            if response.status == 404:
                raise self.endpoint.unknown(response, "list of tags", checks.NAME_UNKNOWN.id)
            if response.status != 200:
                raise self.endpoint.unexpected(response, "list of tags")
            self.endpoint.refuse_html(response, "list of tags")
            page = self._tag_page(self._document(response, "list of tags"))
            news = [tag for tag in page if tag not in found]
            found.update(news)
            if len(found) > self._limits.tag_count:
                raise Exhausted(
                    f"{self.place}: more than {self._limits.tag_count} tags", check=checks.LIMIT.id
                )
            address = pages.next(response)
            if address is None and news and len(page) % _ROUND == 0:
                last = quote(page[-1], safe="")
                address = pages.go(self.endpoint.at(f"tags/list?last={last}"))
        return tuple(sorted(found))

    def _tag_page(self, data: bytes) -> list[str]:
        value = parse_json(data, most=self._limits.manifest_bytes, what="list of tags")
        tags = value.get("tags") if isinstance(value, dict) else ()
        if tags is None:
            return []  # Go writes null for an empty list
        if not isinstance(tags, list):
            raise Malformed(f"{self.place}: list of tags: expected a list", check=checks.LIST_MALFORMED.id)
        for tag in tags:
            if not isinstance(tag, str):
                raise Malformed(
                    f"{self.place}: list of tags: expected strings", check=checks.LIST_MALFORMED.id
                )
        return [str(tag) for tag in tags]

    def referrers(self, subject: Digest, *, artifact_type: str | None = None) -> ReferrerList:
        if self._served is False:
            return read_fallback(self, subject, limits=self._limits)
        query = "" if artifact_type is None else f"?artifactType={quote(artifact_type, safe='')}"
        first = self.endpoint.at(f"referrers/{subject}{query}")
        response = self._ask_referrers(first)
        clear = self._judge_service(response)
        if not clear or not self._served:
            response.close()
            found = read_fallback(self, subject, limits=self._limits)
            return found if clear else _unclear(found, response)
        return self._pages_of_referrers(subject, first, response)

    def _ask_referrers(self, address: Address) -> Response:
        return self.endpoint.get(
            address, headers=(("Accept", OCI_INDEX),), give=_NOT_SERVED, follow=Follow.ORIGIN
        )

    def _judge_service(self, response: Response) -> bool:
        """Whether the answer tells if the API is served; what it told is remembered."""
        if response.status == 200 and response.headers.media_type == OCI_INDEX:
            self._served = True
            return True
        if response.status in _NOT_SERVED:
            # a repository that does not exist yet says nothing about the API
            if "NAME_UNKNOWN" not in self.endpoint.complaint(response).codes:
                self._served = False
            return True
        if response.status == 200 or 300 <= response.status < 400:
            return False
        raise self.endpoint.unexpected(response, "referrers")

    def _pages_of_referrers(self, subject: Digest, first: Address, response: Response) -> ReferrerList:
        pages = Pages(first, self._limits.referrer_pages)
        entries: list[Descriptor] = []
        faults: list[Fault] = []
        complete = True
        while True:
            try:
                data = self._document(response, "referrers")
                listing = parse_listing(data, served_as=OCI_INDEX, limits=self._limits)
                entries.extend(listing.entries)
                faults.extend(Fault(check=REFERRER_MALFORMED, text=str(each)) for each in listing.faults)
                following = pages.next(response)
            except (Malformed, Refuted, Exhausted, Unavailable) as error:
                if isinstance(error, Unavailable) and error.check != checks.LINK.id:
                    raise
                check = checks.LINK if error.check == checks.LINK.id else REFERRERS_INCOMPLETE
                faults.append(Fault(check=check, text=str(error)))
                complete = False
                break
            if following is None or len(entries) > self._limits.referrer_entries:
                break
            response = self._ask_referrers(following)
            if response.status != 200 or response.headers.media_type != OCI_INDEX:
                faults.append(Fault(check=REFERRERS_INCOMPLETE, text=f"page answered {response.status}"))
                response.close()
                complete = False
                break
        return bounded_list(subject, entries, How.API, faults, complete=complete, limits=self._limits)

    def _serves(self, subject: Digest) -> bool:
        if self._served is None:
            response = self._ask_referrers(self.endpoint.at(f"referrers/{subject}"))
            self._judge_service(response)
            response.close()
        return self._served is True


class _Told:
    """A download whose progress is told."""

    def __init__(self, source: Reader, events: Events, task: str) -> None:
        self._source = source
        self._events = events
        self._task = task

    def read(self, size: int = -1, /) -> bytes:
        block = self._source.read(size)
        self._events.advance(self._task, len(block))
        return block


def _unclear(found: ReferrerList, response: Response) -> ReferrerList:
    text = f"{response.address.origin} answers the question for referrers with {response.status} {response.headers.media_type}"
    fault = Fault(check=checks.REFERRERS_UNCLEAR, text=text)
    return ReferrerList(
        subject=found.subject,
        entries=found.entries,
        how=found.how,
        complete=False,
        faults=(*found.faults, fault),
    )
