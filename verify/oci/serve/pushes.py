"""Everything that changes a repository: uploads, mounts, manifests, deletions.

1. A blob appears only when all of it has the digest in the request, also one that is there already: wrong
   bytes are an error whatever is stored. It goes straight to its place when it comes in one piece.
2. Chunks come in order. One that begins elsewhere is refused with what arrived so far, and may be repeated.
3. A manifest is parsed as strictly as we read one, has the digest it is put under, and comes after everything
   it names; layers that must not be distributed are excused, and so are lists of referrers.
4. A manifest with a subject is listed under it in the same step, and the answer says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci.blob import VerifyingReader
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import is_list_tag
from verify.oci.manifest import Index, parse_document, plain_type
from verify.oci.reference import check_tag
from verify.oci.serve.answers import Answer, refuse, told
from verify.oci.store import Put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verify.digest import Reader
    from verify.oci.manifest import Document
    from verify.oci.serve.repositories import Repositories
    from verify.oci.serve.request import Body, Request, Route
    from verify.oci.serve.shelf import Shelf
    from verify.oci.serve.uploads import Upload, Uploads

_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_BINARY = "application/octet-stream"
_UNDISTRIBUTED = ("foreign", "nondistributable")


class Pushes:
    """Writing, over repositories and uploads."""

    def __init__(self, repositories: Repositories, uploads: Uploads, *, limits: Limits = DEFAULT) -> None:
        self._repositories = repositories
        self._uploads = uploads
        self._limits = limits

    def begin(self, route: Route, request: Request) -> Answer:
        """POST: a session, or all of it at once, or a blob of another repository."""
        shelf = self._repositories.make(route.name)
        if "mount" in request.query:
            mounted = self._mount(shelf, route, request)
            if mounted is not None:
                return mounted
        try:
            upload = self._uploads.begin(route.name)
        except Exhausted as error:
            return refuse(429, "TOOMANYREQUESTS", error.message).having(("Retry-After", "1"))
        if "digest" not in request.query:
            return _going_on(upload)
        try:
            return self._using(upload, lambda: self._complete(shelf, upload, request))
        finally:
            self._uploads.drop(upload)

    def status(self, route: Route, _request: Request) -> Answer:
        """GET: how far it is."""
        return _going_on(self._uploads.find(route.name, route.reference), status=204)

    def append(self, route: Route, request: Request) -> Answer:
        """PATCH: more of it."""
        upload = self._uploads.find(route.name, route.reference)
        return self._using(upload, lambda: self._append(upload, request))

    def finish(self, route: Route, request: Request) -> Answer:
        """PUT: the rest, and the digest of all."""
        upload = self._uploads.find(route.name, route.reference)
        shelf = self._repositories.make(route.name)
        return self._using(upload, lambda: self._complete(shelf, upload, request))

    def cancel(self, route: Route, _request: Request) -> Answer:
        """DELETE: never mind."""
        upload = self._uploads.find(route.name, route.reference)

        def work() -> Answer:
            self._uploads.drop(upload)
            return Answer(status=204)

        return self._using(upload, work)

    def put_manifest(self, route: Route, request: Request) -> Answer:
        try:
            tag, data, document = self._judge(route, request)
        except (Malformed, Refuted, Exhausted) as error:
            return told(error, storing="MANIFEST_INVALID")
        shelf = self._repositories.make(route.name)
        if tag is None or not is_list_tag(tag):
            for each in _needed(document):
                if not shelf.store.has_blob(each.digest):
                    return refuse(400, "MANIFEST_BLOB_UNKNOWN", f"{each.digest} is named and not there")
        placed = shelf.store.put_manifest(data, document.media_type, tag=tag)
        answer = _created(route.name, "manifests", placed.descriptor.digest)
        if document.subject is None or not placed.attached:
            return answer
        return answer.having(("OCI-Subject", document.subject.digest.text))

    def delete_manifest(self, route: Route, _request: Request) -> Answer:
        shelf = self._repositories.find(route.name)
        if ":" in route.reference:
            shelf.remove_manifest(Digest.parse(route.reference))
        else:
            shelf.remove_tag(route.reference)
        return Answer(status=202)

    def delete_blob(self, route: Route, _request: Request) -> Answer:
        self._repositories.find(route.name).remove_blob(Digest.parse(route.reference))
        return Answer(status=202)

    def _using(self, upload: Upload, work: Callable[[], Answer]) -> Answer:
        if not upload.lock.acquire(blocking=False):
            return refuse(409, "BLOB_UPLOAD_INVALID", "another request uses this upload")
        try:
            self._uploads.find(upload.name, upload.id)  # it may have ended just before
            return work()
        finally:
            upload.lock.release()

    def _mount(self, shelf: Shelf, route: Route, request: Request) -> Answer | None:
        digest = Digest.parse(request.query["mount"])
        try:
            source = self._repositories.find(request.query["from"])
            descriptor = Descriptor(media_type=_BINARY, digest=digest, size=source.size(digest))
            shelf.store.put_blob(descriptor, lambda: source.store.open_blob(digest, size=descriptor.size))
        except (KeyError, Absent, Misused, Refuted):
            return None  # the protocol's answer to all of these: send it, then
        return _created(route.name, "blobs", digest)

    def _append(self, upload: Upload, request: Request) -> Answer:
        stated = request.headers.get("content-range")
        if stated is not None:
            match = _RANGE.fullmatch(stated)
            if match is None:
                return refuse(400, "BLOB_UPLOAD_INVALID", "Content-Range: expected FIRST-LAST")
            if int(match[1]) != upload.size:
                return _going_on(upload, status=416)
            if request.body.length not in {None, int(match[2]) - int(match[1]) + 1}:
                return refuse(400, "SIZE_INVALID", "Content-Range: other than Content-Length")
        refused = self._take(upload, request.body)
        return refused if refused is not None else _going_on(upload)

    def _take(self, upload: Upload, body: Body) -> Answer | None:
        try:
            self._uploads.append(upload, body)
        except Exhausted as error:
            self._uploads.drop(upload)
            return told(error, storing="BLOB_UPLOAD_INVALID")
        return None

    def _complete(self, shelf: Shelf, upload: Upload, request: Request) -> Answer:
        digest = Digest.parse(request.query.get("digest", ""))
        body, length = request.body, request.body.length
        match = _RANGE.match(request.headers.get("content-range", ""))
        if match is not None and length != 0 and int(match[1]) != upload.size:
            return _going_on(upload, status=416)
        if length is not None and upload.size + length > self._limits.blob_bytes:
            self._uploads.drop(upload)
            return refuse(413, "SIZE_INVALID", f"blob: more than {self._limits.blob_bytes} bytes")
        source: Callable[[], Reader] = lambda: body  # noqa: E731 - one piece: no detour over the spool
        if length is None or upload.size:
            refused = self._take(upload, body)
            if refused is not None:
                return refused
            source, length = upload.reader, upload.size
        try:
            _store(shelf, Descriptor(media_type=_BINARY, digest=digest, size=length), source, self._limits)
        except (Malformed, Refuted, Exhausted) as error:
            self._uploads.drop(upload)
            return told(error, storing="BLOB_UPLOAD_INVALID")
        self._uploads.drop(upload)
        return _created(upload.name, "blobs", digest)

    def _judge(self, route: Route, request: Request) -> tuple[str | None, bytes, Document]:
        digest, tag = _named(route.reference)
        data = _read(request.body, self._limits.manifest_bytes)
        if digest is not None and not digest.matches(data):
            raise Refuted(f"manifest: its bytes do not have {digest}", check="oci.digest-mismatch")
        served_as = plain_type(request.headers.get("content-type", "")) or None
        return tag, data, parse_document(data, served_as=served_as, limits=self._limits)


def _named(reference: str) -> tuple[Digest | None, str | None]:
    if ":" not in reference:
        try:
            return None, check_tag(reference)
        except Misused as error:
            raise Malformed(error.message) from error
    digest = Digest.parse(reference)
    if digest.algorithm != "sha256":
        raise Malformed(f"manifest: expected sha256, got {digest.algorithm}", check="digest.malformed")
    return digest, None


def _read(body: Body, most: int) -> bytes:
    if body.length is not None and body.length > most:
        raise Exhausted(f"manifest: {body.length} bytes, more than {most}", check="oci.too-large")
    found = bytearray()
    while len(found) <= most and (block := body.read(most + 1 - len(found))):
        found += block
    if len(found) > most:
        raise Exhausted(f"manifest: more than {most} bytes", check="oci.too-large")
    return bytes(found)


def _needed(document: Document) -> Iterable[Descriptor]:
    if isinstance(document, Index):
        return document.children()
    return (
        each for each in document.children() if not any(word in each.media_type for word in _UNDISTRIBUTED)
    )


def _store(shelf: Shelf, descriptor: Descriptor, source: Callable[[], Reader], limits: Limits) -> None:
    if shelf.store.put_blob(descriptor, source) is not Put.PRESENT:
        return
    reader = VerifyingReader(source(), descriptor.digest, size=descriptor.size)
    while reader.read(limits.chunk):
        pass


def _created(name: str, kind: str, digest: Digest) -> Answer:
    headers = (("Location", f"/v2/{name}/{kind}/{digest}"), ("Docker-Content-Digest", digest.text))
    return Answer(status=201, headers=headers)


def _going_on(upload: Upload, *, status: int = 202) -> Answer:
    answer = (
        Answer(status=status) if status != 416 else refuse(416, "BLOB_UPLOAD_INVALID", "chunk: out of order")
    )
    return answer.having(
        ("Location", f"/v2/{upload.name}/blobs/uploads/{upload.id}"),
        ("Range", f"0-{max(0, upload.size - 1)}"),
        ("Docker-Upload-UUID", upload.id),
    )
