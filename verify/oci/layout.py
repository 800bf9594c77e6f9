"""A layout folder as a Store: the embedded default, with no server and no network.

1. Every blob that comes out is a regular file under its digest and has that digest.
2. A manifest is a blob and an entry of index.json. Its blobs come first, so that a reader never finds an
   entry without content.
3. A manifest with a subject is also listed in the index under the subject's fallback tag, and its own entry
   carries its artifact type and annotations: between them, the tools that read layouts find it.
4. Referrers are found by what lies there, not by what is listed: every manifest among the blobs that names
   the subject counts, whichever tool wrote it, listed or not. What is listed and does not lie there makes
   the list incomplete.
5. Several processes may write: the list changes under a lock, from what it says then.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci import checks
from verify.oci.blob import VerifyingReader
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import (
    bounded_list,
    describe_referrer,
    fallback_tag,
    is_list_tag,
    merge_entries,
    read_fallback,
    render_fallback,
)
from verify.oci.jsondoc import parse_json
from verify.oci.layout_disk import LayoutDisk
from verify.oci.layout_index import LayoutIndex, tag_of
from verify.oci.manifest import OCI_INDEX, parse_document
from verify.oci.reference import LayoutReference, check_tag
from verify.oci.store import Fault, Fetched, How, Placed, Put, ReferrerList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import stat_result

    from verify.digest import Reader
    from verify.oci.manifest import Document

SUBJECT = "org.opencontainers.image.referrer.subject"
_LAYOUT_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scan:
    """What lies among the blobs and refers to something."""

    found: dict[Digest, list[Descriptor]]
    faults: tuple[Fault, ...]


class LayoutStore:
    """All three ports over one folder. `path` need not exist until something is put."""

    def __init__(self, path: str, *, limits: Limits = DEFAULT) -> None:
        self._disk = LayoutDisk(path)
        self._limits = limits
        self._scanned: tuple[tuple[tuple[int, int], ...], _Scan] | None = None

    @property
    def place(self) -> str:
        return LayoutReference(path=self._disk.path).name

    def resolve(self, tag: str) -> Descriptor:
        entry = self._index().find(check_tag(tag))
        if entry is None:
            raise Absent(f"{self.place}: no manifest {tag}", check="oci.manifest-unknown")
        return Descriptor(media_type=entry.media_type, digest=entry.digest, size=entry.size)

    def sole(self) -> Descriptor:
        """The only artifact of the folder, for a reference without tag and digest. Raises Absent, Misused."""
        entries = [each for each in self._index().entries if not _attached(each)]
        if not entries:
            raise Absent(f"{self.place}: nothing is listed", check="oci.manifest-unknown")
        if len({each.digest for each in entries}) > 1:
            tags = [tag for each in entries if (tag := tag_of(each)) is not None]
            hint = f"{self.place}:{tags[0]}" if tags else f"{self.place}@{entries[0].digest}"
            raise Misused(f"{self.place}: holds {len(entries)} artifacts, name one", hint=hint)
        return Descriptor(media_type=entries[0].media_type, digest=entries[0].digest, size=entries[0].size)

    def get_manifest(self, which: Digest | str) -> Fetched:
        index = self._index()
        if isinstance(which, Digest):
            entry, digest = index.entry(which), which
        else:
            entry = index.find(check_tag(which))
            if entry is None:
                raise Absent(f"{self.place}: no manifest {which}", check="oci.manifest-unknown")
            digest = entry.digest
        data = self._read_manifest(digest, None if entry is None else entry.size)
        if entry is not None:
            return Fetched(data=data, media_type=entry.media_type, digest=digest)
        media_type = parse_document(data, served_as=None, limits=self._limits, lenient=True).media_type
        return Fetched(data=data, media_type=media_type, digest=digest)

    def open_blob(self, digest: Digest, *, size: int | None = None) -> VerifyingReader:
        file = self._disk.open_blob(digest)
        return VerifyingReader(file, digest, size=size, most=self._limits.blob_bytes)

    def has_blob(self, digest: Digest) -> bool:
        try:
            file = self._disk.open_blob(digest)
        except Absent:
            return False
        file.close()
        return True

    def put_blob(
        self, descriptor: Descriptor, source: Callable[[], Reader], *, mount_from: str | None = None
    ) -> Put:
        del mount_from  # a folder has no neighbours
        if self._holds(descriptor):
            return Put.PRESENT
        self._disk.create()
        with VerifyingReader(
            source(), descriptor.digest, size=descriptor.size, most=self._limits.blob_bytes
        ) as reader:
            self._disk.write_blob(descriptor.digest, _chunks(reader, self._limits.chunk))
        return Put.STORED

    def put_manifest(self, data: bytes, media_type: str, *, tag: str | None = None) -> Placed:
        document = parse_document(data, served_as=media_type, limits=self._limits, lenient=True)
        fetched = Fetched(data=data, media_type=media_type, digest=Digest.of(data))
        if tag is not None:
            check_tag(tag)
        self._disk.create()
        self._put_bytes(fetched.digest, data)
        with self._disk.locked():
            before = self._index_bytes()
            index = LayoutIndex.empty() if before is None else LayoutIndex.parse(before, limits=self._limits)
            index = index.put(_entry(fetched, document), tag)
            if document.subject is not None:
                index = self._list_referrer(
                    index, document.subject.digest, describe_referrer(fetched, document)
                )
            after = index.render()
            if after != before:
                self._disk.write("index.json", (after,))
        return Placed(descriptor=fetched.descriptor, attached=document.subject is not None)

    def tags(self) -> tuple[str, ...]:
        return self._index().tags()

    def referrers(self, subject: Digest, *, artifact_type: str | None = None) -> ReferrerList:
        scan = self._scan()
        found = scan.found.get(subject, [])
        listed = read_fallback(self, subject, limits=self._limits)
        missing = [entry for entry in listed.entries if not self.has_blob(entry.digest)]
        wanted = [each for each in found if artifact_type in {None, each.artifact_type}]
        return bounded_list(
            subject,
            [*sorted(wanted, key=lambda each: each.digest), *missing],
            How.LAYOUT,
            [*scan.faults, *listed.faults],
            limits=self._limits,
        )

    def _index(self) -> LayoutIndex:
        self._check_version()
        data = self._disk.read("index.json", most=self._limits.layout_index)
        return LayoutIndex.parse(data, limits=self._limits)

    def _index_bytes(self) -> bytes | None:
        self._check_version()
        try:
            return self._disk.read("index.json", most=self._limits.layout_index)
        except Absent:
            return None

    def _check_version(self) -> None:
        value = parse_json(
            self._disk.read("oci-layout", most=_LAYOUT_BYTES), most=_LAYOUT_BYTES, what="oci-layout"
        )
        version = value.get("imageLayoutVersion") if isinstance(value, dict) else None
        if version != "1.0.0":
            raise Malformed(
                f"{self.place}: oci-layout: expected version 1.0.0, got {version!r}",
                check="oci.layout-malformed",
            )

    def _read_manifest(self, digest: Digest, size: int | None) -> bytes:
        try:
            file = self._disk.open_blob(digest)
        except Absent as error:
            raise Absent(f"{self.place}: no manifest {digest}", check="oci.manifest-unknown") from error
        with VerifyingReader(
            file, digest, size=size, most=self._limits.manifest_bytes, what="manifest"
        ) as reader:
            return reader.read()

    def _holds(self, descriptor: Descriptor) -> bool:
        # a damaged file is written again: repeated, a copy converges
        try:
            with self.open_blob(descriptor.digest, size=descriptor.size) as reader:
                for _ in _chunks(reader, self._limits.chunk):
                    pass
        except (Absent, Refuted):
            return False
        return True

    def _put_bytes(self, digest: Digest, data: bytes) -> None:
        if not self._holds(Descriptor(media_type="", digest=digest, size=len(data))):
            self._disk.write_blob(digest, (data,))

    def _list_referrer(self, index: LayoutIndex, subject: Digest, entry: Descriptor) -> LayoutIndex:
        listed = read_fallback(self, subject, limits=self._limits)
        if entry in listed.entries:
            return index
        data = render_fallback(merge_entries(listed.entries, (entry,)))
        self._put_bytes(Digest.of(data), data)
        return index.put(Descriptor.of(data, OCI_INDEX), fallback_tag(subject))

    def _scan(self) -> _Scan:
        stamp = self._disk.stamp()
        if stamp is not None and self._scanned is not None and self._scanned[0] == stamp:
            return self._scanned[1]
        self._index()  # a folder that is no layout has no referrers to tell of
        found: dict[Digest, list[Descriptor]] = {}
        faults: list[Fault] = []
        for position, (digest, seen) in enumerate(self._disk.blobs()):
            if position >= self._limits.layout_blobs:
                text = f"more than {self._limits.layout_blobs} blobs"
                faults.append(Fault(check=checks.REFERRERS_INCOMPLETE, text=text))
                break
            judged = self._referrer(digest, seen)
            if isinstance(judged, Fault):
                faults.append(judged)
            elif judged is not None:
                found.setdefault(judged[0], []).append(judged[1])
        scan = _Scan(found=found, faults=tuple(faults))
        self._scanned = None if stamp is None else (stamp, scan)
        return scan

    def _referrer(self, digest: Digest, seen: stat_result) -> tuple[Digest, Descriptor] | Fault | None:
        if not stat.S_ISREG(seen.st_mode):
            text = f"{self.place}: blob {digest} is no regular file"
            return Fault(check=checks.LAYOUT_IRREGULAR, text=text)
        if seen.st_size > self._limits.manifest_bytes:
            return None
        try:
            file = self._disk.open_blob(digest)
            with file:
                data = file.read(1)
                # most blobs are archives: one byte tells
                if data not in {b"{", b" ", b"\t", b"\n", b"\r"}:
                    return None
                data += file.read(self._limits.manifest_bytes)
            if b"subject" not in data and b"\\u" not in data:
                return None
            document = parse_document(data, served_as=None, limits=self._limits, lenient=True)
        except (Malformed, Refuted, Exhausted, Absent):
            return None  # JSON of another kind, or gone again
        if document.subject is None:
            return None
        if not digest.matches(data):
            text = f"{self.place}: blob {digest} has other bytes"
            return Fault(check=checks.REFERRER_MALFORMED, text=text)
        fetched = Fetched(data=data, media_type=document.media_type, digest=digest)
        return document.subject.digest, describe_referrer(fetched, document)


def _entry(fetched: Fetched, document: Document) -> Descriptor:
    entry = replace(fetched.descriptor, artifact_type=document.artifact_type)
    if document.subject is None:
        return entry
    # LayoutIndex.put takes a tag out of these: a manifest must not name itself into the list
    annotations = {**document.annotations, SUBJECT: document.subject.digest.text}
    return replace(entry, artifact_type=document.kind, annotations=annotations)


def _attached(entry: Descriptor) -> bool:
    tag = tag_of(entry)
    return SUBJECT in entry.annotations or (tag is not None and is_list_tag(tag))


def _chunks(reader: VerifyingReader, size: int) -> Iterator[bytes]:
    while block := reader.read(size):
        yield block
