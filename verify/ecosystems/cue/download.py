"""A CUE module out of a store, and everything cue does not check on the way.

1. The manifest has the digest that was asked for; asked by tag, its digest is computed from its bytes.
2. It has the shape of a CUE module, and both layers have the digests and sizes it states.
3. The module file served beside the zip is the one inside it (`cue.layer-mismatch`).
4. It declares the path and major that were asked for (`modfile.mismatch`).
5. The zip has one reading, and every file is what its header says.

Only then is there an entry, of what was really read.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.archive.reader import Archive, read_archive
from verify.ecosystems.cue.artifact import recognise_cue
from verify.ecosystems.cue.modfile import parse_published
from verify.ecosystems.cue.names import MODULE_FILE, path_of
from verify.ecosystems.cue.workspace import modfile_hash
from verify.errors import Malformed, ModsealError, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.manifest import Manifest
from verify.sums.entry import SumEntry
from verify.tree.hashing import hash_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from verify.digest import Digest
    from verify.module import Module
    from verify.oci.store import Fetched, ReadStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A module whose parts agree. The file is open for the time of the block that made it."""

    module: Module
    entry: SumEntry
    module_file: bytes
    archive: Archive
    file: BinaryIO


def fetch_module_file(
    store: ReadStore, which: Digest | str, module: Module, *, limits: Limits = DEFAULT
) -> tuple[Digest, bytes]:
    """The manifest's digest and the module file beside the zip. Raises as the store does, Malformed."""
    try:
        fetched = store.get_manifest(which)
        return fetched.digest, _module_file(store, _manifest(fetched, limits), limits)
    except ModsealError as error:
        raise error.within(str(module)) from None


@contextmanager
def download(
    store: ReadStore,
    which: Digest | str,
    module: Module,
    *,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Iterator[Download]:
    """All of it, for the time of the block. Raises as the store does, Malformed, Refuted."""
    with tempfile.TemporaryFile() as file:
        try:
            fetched = store.get_manifest(which)
            manifest = _manifest(fetched, limits)
            module_file = _module_file(store, manifest, limits)
            layer = manifest.layers[0]
            with store.open_blob(layer.digest, size=layer.size) as reader:
                while block := reader.read(limits.chunk):
                    file.write(block)
                    events.advance("fetch", len(block))
            found = read_module(
                file, module, module_file, archive=layer.digest, manifest=fetched.digest, limits=limits
            )
        except ModsealError as error:
            raise error.within(str(module)) from None
        yield found


def read_module(
    file: BinaryIO, module: Module, module_file: bytes, *, archive: Digest, manifest: Digest, limits: Limits
) -> Download:
    """A zip and its module file, whose digests are known already. Raises Malformed, Refuted."""
    opened = read_archive(file, limits=limits)
    inside = read_module_file(opened, limits)
    if inside != module_file:
        raise Refuted(f"{MODULE_FILE} in the zip differs from the one beside it", check="cue.layer-mismatch")
    declared = parse_published(module_file, limits=limits).path
    if declared != path_of(module):
        raise Refuted(f"declares itself {declared}, expected {path_of(module)}", check="modfile.mismatch")
    entry = SumEntry(
        key=str(module),
        tree=hash_tree(opened),
        modfile=modfile_hash(module_file),
        archive=archive,
        manifest=manifest,
    )
    return Download(module=module, entry=entry, module_file=module_file, archive=opened, file=file)


def read_module_file(archive: Archive, limits: Limits) -> bytes:
    """The module file inside a zip. Raises Malformed (`cue.no-module-file`)."""
    if all(entry.name != MODULE_FILE for entry in archive.entries()):
        raise Malformed(f"expected {MODULE_FILE} in the zip, got none", check="cue.no-module-file")
    with archive.open(MODULE_FILE) as file:
        data = file.read(limits.document_bytes + 1)
    if len(data) > limits.document_bytes:
        raise Malformed(f"{MODULE_FILE}: expected at most {limits.document_bytes} bytes", check="limit.size")
    return data


def _manifest(fetched: Fetched, limits: Limits) -> Manifest:
    document = fetched.document(limits)
    if not isinstance(document, Manifest) or recognise_cue(document) is None:
        raise Malformed("manifest: expected a CUE module, got something else", check="oci.shape")
    return document


def _module_file(store: ReadStore, manifest: Manifest, limits: Limits) -> bytes:
    layer = manifest.layers[1]
    if layer.size > limits.document_bytes:
        raise Malformed(f"{MODULE_FILE}: expected at most {limits.document_bytes} bytes", check="limit.size")
    with store.open_blob(layer.digest, size=layer.size) as reader:
        return reader.read()
