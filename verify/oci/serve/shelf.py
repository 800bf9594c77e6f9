"""One repository as it is served: a layout folder's Store, and what serving needs beyond the ports.

1. A blob's file with its size, because an answer states its length before its first byte.
2. Making the folder: a layout with an empty list from the first upload on, also above or below another one.
3. Taking away. A tag goes and its manifest stays listed; a manifest goes with its tags, its bytes and its
   entry in its subject's list; a blob goes whether or not something refers to it. The list changes first and
   under its lock, so that a reader never finds an entry without content.
"""

from __future__ import annotations

import io
import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import fallback_tag, render_fallback
from verify.oci.layout import LayoutStore
from verify.oci.layout_disk import LAYOUT, LayoutDisk
from verify.oci.layout_index import REF_NAME, LayoutIndex, tag_of
from verify.oci.manifest import OCI_INDEX, parse_listing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

    from verify.digest import Digest
    from verify.oci.manifest import Listing
    from verify.oci.store import Store


class Shelf:
    """`store` for reading, writing and listing; the rest is here."""

    def __init__(self, path: Path, *, limits: Limits = DEFAULT) -> None:
        self.store: Store = LayoutStore(str(path), limits=limits)
        self._path = path
        self._disk = LayoutDisk(str(path))
        self._limits = limits

    def open_file(self, digest: Digest) -> tuple[BinaryIO, int]:
        """A blob's file and its size. Raises Absent, Refuted (`oci.layout-irregular`), Unavailable."""
        file = self._disk.open_blob(digest)
        return file, os.fstat(file.fileno()).st_size

    def size(self, digest: Digest) -> int:
        """A blob's size. Raises as `open_file`."""
        file, size = self.open_file(digest)
        file.close()
        return size

    def prepare(self) -> None:
        """Make it a layout, if it is none. Raises Unavailable."""
        try:
            if stat.S_ISREG(os.lstat(self._path / "index.json").st_mode):
                return
        except FileNotFoundError:
            pass
        try:
            (self._path / "blobs" / "sha256").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unavailable(self._path, error) from error
        with self._disk.locked():
            self._write_unless_there("oci-layout", LAYOUT)
            self._write_unless_there("index.json", LayoutIndex.empty().render())

    def remove_tag(self, tag: str) -> None:
        """Raises Absent (`oci.manifest-unknown`), Refuted (`oci.tag-ambiguous`)."""

        def without(index: LayoutIndex) -> LayoutIndex:
            found = index.find(tag)
            if found is None:
                raise Absent(f"no manifest {tag}", check="oci.manifest-unknown")
            named = [each for each in index.entries if each.annotations.get(REF_NAME) == tag] or [
                each for each in index.entries if tag_of(each) == tag
            ]
            kept = [each for each in index.entries if each not in named]
            if not any(each.digest == found.digest for each in kept):
                annotations = {key: value for key, value in found.annotations.items() if key != REF_NAME}
                kept.append(replace(found, annotations=annotations))
            return replace(index, entries=tuple(kept))

        self._change(without)

    def remove_manifest(self, digest: Digest) -> None:
        """Raises Absent (`oci.manifest-unknown`)."""
        subject = self._subject(digest)
        stale: list[Digest] = []

        def without(index: LayoutIndex) -> LayoutIndex:
            entries = tuple(each for each in index.entries if each.digest != digest)
            index = replace(index, entries=entries)
            return index if subject is None else self._unlist(index, subject, digest, stale)

        self._change(without)
        for each in (digest, *stale):
            self._unlink(each)

    def remove_blob(self, digest: Digest) -> None:
        """Raises Absent (`oci.blob-unknown`), Misused where a listed manifest lies under this digest."""
        file, _ = self.open_file(digest)
        file.close()
        if self._index().entry(digest) is not None:
            raise Misused(f"{digest}: is a manifest, delete it as one")
        self._unlink(digest)

    def _subject(self, digest: Digest) -> Digest | None:
        fetched = self.store.get_manifest(digest)
        try:
            document = fetched.document(self._limits)
        except (Malformed, Refuted, Exhausted):
            return None  # whatever it is, it goes
        return None if document.subject is None else document.subject.digest

    def _unlist(
        self, index: LayoutIndex, subject: Digest, digest: Digest, stale: list[Digest]
    ) -> LayoutIndex:
        tag = fallback_tag(subject)
        listed = index.find(tag)
        listing = None if listed is None else self._listing(listed.digest)
        if listed is None or listing is None or all(each.digest != digest for each in listing.entries):
            return index
        left = [each for each in listing.entries if each.digest != digest]
        stale.append(listed.digest)
        if not left and not listing.unread:
            return replace(index, entries=tuple(each for each in index.entries if each != listed))
        data = render_fallback(left, listing.unread)
        entry = Descriptor.of(data, OCI_INDEX)
        self.store.put_blob(entry, lambda: io.BytesIO(data))
        return index.put(entry, tag)

    def _listing(self, digest: Digest) -> Listing | None:
        try:
            fetched = self.store.get_manifest(digest)
            return parse_listing(fetched.data, served_as=fetched.media_type, limits=self._limits)
        except (Absent, Malformed, Refuted, Exhausted):
            return None

    def _index(self) -> LayoutIndex:
        data = self._disk.read("index.json", most=self._limits.layout_index)
        return LayoutIndex.parse(data, limits=self._limits)

    def _change(self, change: Callable[[LayoutIndex], LayoutIndex]) -> None:
        with self._disk.locked():
            before = self._index()
            after = change(before)
            if after.entries != before.entries:
                self._disk.write("index.json", (after.render(),))

    def _write_unless_there(self, name: str, data: bytes) -> None:
        try:
            os.lstat(self._path / name)
        except FileNotFoundError:
            self._disk.write(name, (data,))

    def _unlink(self, digest: Digest) -> None:
        folder = self._path / "blobs" / digest.algorithm
        try:
            for each in (folder.parent, folder):
                if not stat.S_ISDIR(os.lstat(each).st_mode):
                    raise Refuted(f"{each}: expected a folder", check="oci.layout-irregular")
            (folder / digest.hex).unlink(missing_ok=True)
        except OSError as error:
            raise _unavailable(folder, error) from error


def _unavailable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"{path.name}: {error.strerror or error}", check="oci.layout-unreadable")
