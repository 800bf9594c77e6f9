"""Everything that only reads: manifests, blobs and their ranges, tags, referrers, the catalogue.

1. A blob is compared with its digest while it is sent, and its last bytes are held back until it is known to
   be right: a damaged one is an error, or an answer that stops short, and never a complete wrong one. Of a
   range nothing can be proved here; whoever asks for one checks the whole.
2. Accept headers are not consulted: what was stored is what is there.
3. The list of referrers is complete or an error. There is no way to say "and perhaps more" in it.
4. The tags under which this folder lists referrers are not named among the tags: the referrers API answers
   for them. They can be fetched all the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci.blob import VerifyingReader
from verify.oci.fallback import is_list_tag
from verify.oci.jsondoc import render_json
from verify.oci.manifest import OCI_INDEX
from verify.oci.serve.answers import Answer, Stream, as_json, next_link, refuse
from verify.oci.serve.pages import page_of, page_size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from verify.oci.serve.repositories import Repositories
    from verify.oci.serve.request import Request, Route
    from verify.oci.serve.shelf import Shelf
    from verify.oci.store import Fetched

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class Pulls:
    """Reading, over repositories."""

    def __init__(self, repositories: Repositories, *, limits: Limits = DEFAULT) -> None:
        self._repositories = repositories
        self._limits = limits

    def base(self, _route: Route, _request: Request) -> Answer:
        return as_json({}, ("Docker-Distribution-Api-Version", "registry/2.0"))

    def catalog(self, _route: Route, request: Request) -> Answer:
        names, more = page_of(self._repositories.names(), request.query)
        answer = as_json({"repositories": names})
        return answer.having(_following(request, names[-1])) if more else answer

    def tags(self, route: Route, request: Request) -> Answer:
        shelf = self._repositories.find(route.name)
        listed = [tag for tag in shelf.store.tags() if "." in tag or not is_list_tag(tag)]
        tags, more = page_of(listed, request.query)
        answer = as_json({"name": route.name, "tags": tags})
        return answer.having(_following(request, tags[-1])) if more else answer

    def manifest(self, route: Route, _request: Request) -> Answer:
        fetched = _fetch(self._repositories.find(route.name), route.reference)
        headers = (
            ("Content-Type", fetched.media_type),
            ("Docker-Content-Digest", fetched.digest.text),
            ("ETag", f'"{fetched.digest}"'),
        )
        return Answer(status=200, headers=headers, body=fetched.data)

    def blob(self, route: Route, request: Request) -> Answer:
        digest = Digest.parse(route.reference)
        file, size = self._repositories.find(route.name).open_file(digest)
        headers = (
            ("Content-Type", "application/octet-stream"),
            ("Docker-Content-Digest", digest.text),
            ("Accept-Ranges", "bytes"),
            ("ETag", f'"{digest}"'),
        )
        if request.method == "HEAD":
            file.close()
            nothing = Stream(blocks=iter(()), size=size, close=file.close)
            return Answer(status=200, headers=headers, stream=nothing)
        asked = _RANGE.fullmatch(request.headers.get("range", ""))
        if asked is None or asked[1] == asked[2] == "":
            # several ranges, or a unit we do not know: RFC 9110 lets a server send everything
            return Answer(status=200, headers=headers, stream=self._whole(file, digest, size))
        first, last = _bounds(asked[1], asked[2], size)
        if first > last:
            file.close()
            answer = refuse(416, "SIZE_INVALID", f"range: the blob has {size} bytes")
            return answer.having(("Content-Range", f"bytes */{size}"))
        part = Stream(
            blocks=_part(file, first, last, self._limits.chunk), size=last - first + 1, close=file.close
        )
        return Answer(
            status=206, headers=(*headers, ("Content-Range", f"bytes {first}-{last}/{size}")), stream=part
        )

    def referrers(self, route: Route, request: Request) -> Answer:
        subject = Digest.parse(route.reference)
        wanted = request.query.get("artifactType") or None
        listing = self._repositories.find(route.name).store.referrers(subject, artifact_type=wanted)
        if not listing.complete:
            why = listing.faults[0].text if listing.faults else "a limit was reached"
            raise Unavailable(f"referrers of {subject}: the list is incomplete: {why}")
        found = {each.digest.text: each for each in listing.entries if wanted in {None, each.artifact_type}}
        most = min(page_size(request.query) or self._limits.serve_page, self._limits.serve_page)
        digests, more = page_of(sorted(found), {**request.query, "n": str(most)})
        rendered, space = [], self._limits.manifest_bytes // 2
        for position, each in enumerate(digests):
            members = found[each].members()
            space -= len(render_json(members))
            if space < 0 and position:
                digests, more = digests[:position], True
                break
            rendered.append(members)
        body = render_json({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": rendered})
        headers = [("Content-Type", OCI_INDEX)]
        if wanted is not None:
            headers.append(("OCI-Filters-Applied", "artifactType"))
        if more:
            headers.append(_following(request, digests[-1]))
        return Answer(status=200, headers=tuple(headers), body=body)

    def _whole(self, file: BinaryIO, digest: Digest, size: int) -> Stream:
        reader = VerifyingReader(file, digest, size=size, most=self._limits.blob_bytes)
        try:
            first = reader.read(self._limits.chunk)  # a small blob is judged before its answer begins
        except BaseException:
            reader.close()
            raise

        def blocks() -> Iterator[bytes]:
            block = first
            while block:
                yield block
                block = reader.read(self._limits.chunk)

        return Stream(blocks=blocks(), size=size, close=reader.close)


def _fetch(shelf: Shelf, reference: str) -> Fetched:
    if ":" not in reference:
        try:
            return shelf.store.get_manifest(reference)
        except Misused as error:
            raise Absent(f"no manifest {reference!r}", check="oci.manifest-unknown") from error
    digest = Digest.parse(reference)
    try:
        return shelf.store.get_manifest(digest)
    except (Malformed, Refuted, Exhausted) as error:
        if error.check in {"oci.digest-mismatch", "oci.size-mismatch", "oci.layout-irregular"}:
            raise
        shelf.store.tags()  # raises where the fault is the list's
        raise Absent(
            f"no manifest {digest}", check="oci.manifest-unknown"
        ) from error  # a blob of another kind


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    if not first:
        # the last so many bytes; of none there is no range
        return (max(0, size - int(last)), size - 1) if int(last) else (size, size - 1)
    return int(first), min(int(last or size), size - 1)


def _part(file: BinaryIO, first: int, last: int, chunk: int) -> Iterator[bytes]:
    file.seek(first)
    left = last - first + 1
    while left and (block := file.read(min(chunk, left))):
        left -= len(block)
        yield block


def _following(request: Request, last: str) -> tuple[str, str]:
    return next_link(request.path, {**request.query, "last": last})
