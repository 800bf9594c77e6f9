"""`modseal pull`: an artifact out of a store, every byte checked, into a new or empty folder or a file.

1. The reference is resolved once; from there on everything is read by digest.
2. The manifest says what it is of, and which layer is its zip. An artifact without one (a chart, a tar) can only
   be kept as it is, where exactly one layer is its content.
3. The layer is read to its end against digest and size before anything of it is looked at.
4. The zip has one reading and its contents are what it declares. A CUE module's manifest names the very module
   file that the zip holds, and that file declares the module which was asked for by name.
5. It is unpacked whole or not at all; the kept file takes its name when everything else is done.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.archive.reader import Archive, read_archive
from verify.archive.unpack import check_target, unpack_archive
from verify.digest import Digest, TreeHash
from verify.ecosystems.recognition import recognise
from verify.ecosystems.shape import Packing, Part, Shape
from verify.errors import Absent, Malformed, Misused, Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.oci.blob import short
from verify.oci.manifest import Manifest
from verify.tree.hashing import hash_tree
from verify.workflows.artifact_checks import AN_INDEX, IDENTITY, NO_ARCHIVE
from verify.workflows.artifact_checks import MODULE_FILE as TWO_FILES
from verify.workflows.behind import WriteBehind
from verify.workflows.outputs import is_stream, written_aside
from verify.workflows.stores import Place, fetch, locate, open_store, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from verify.oci.descriptor import Descriptor
    from verify.oci.store import Fetched, ReadStore
    from verify.workflows.connection import Connection

TASK = "pull"
_ZIPS = {"application/zip", "archive/zip", "application/x-zip-compressed"}
_CONTENT = {"archive", "content", "layer", "module"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What was fetched and checked. Without a tree hash, it was no zip and was only kept."""

    place: Place
    digest: Digest
    shape: Shape
    archive: Descriptor
    folder: str | None
    kept: str | None
    tree_hash: TreeHash | None
    files: int

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.pull/1",
            "reference": f"{self.place.reference.name}@{self.digest}",
            "manifest": self.digest.text,
            "ecosystem": self.shape.ecosystem,
            "kind": self.shape.kind,
            "archive": self.archive.digest.text,
            "bytes": self.archive.size,
            "folder": self.folder,
            "kept": self.kept,
            "h1": str(self.tree_hash) if self.tree_hash else None,
            "files": self.files,
        }


def pull(
    text: str,
    connection: Connection,
    *,
    folder: str | None = None,
    keep: str | None = None,
    keep_executable: bool = False,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Pulled:
    """Raises what reading, checking and unpacking raise; leaves nothing half done."""
    place = locate(text)
    if folder is not None:
        check_target(Path(folder))  # before anything is fetched
    opened = open_store(place, connection, limits=limits, events=events)
    with opened as store, _landing(folder, keep) as spool:
        fetched = fetch(store, place)
        shape = recognise(_manifest(fetched, place, limits))
        part = _content(shape, text)
        if part.packing is not Packing.ZIP and (folder is not None or keep is None):
            raise _no_archive(text, shape)
        _download(store, part.layer, spool, events, limits)
        archive = _checked(spool, shape, place, limits) if part.packing is Packing.ZIP else None
        tree_hash = None
        if archive is not None and folder is not None:
            into, mode = Path(folder), keep_executable
            done = unpack_archive(archive, into, keep_executable=mode, events=events, limits=limits)
            tree_hash = done.tree_hash
        elif archive is not None:
            tree_hash = hash_tree(archive)
    return Pulled(
        place=place,
        digest=fetched.digest,
        shape=shape,
        archive=part.layer,
        folder=folder,
        kept=keep,
        tree_hash=tree_hash,
        files=0 if archive is None else len(archive.entries()),
    )


def _manifest(fetched: Fetched, place: Place, limits: Limits) -> Manifest:
    document = read(fetched, place, limits)
    if not isinstance(document, Manifest):
        raise Refuted(
            f"{place}: expected an artifact, got an index",
            check=AN_INDEX.id,
            hint=f"modseal inspect {place.reference.name}@{fetched.digest}",
        )
    return document


def _content(shape: Shape, text: str) -> Part:
    """The part that the artifact is there for: its archive, else the only content that it has."""
    parts = [part for part in shape.parts if part.role in _CONTENT]
    if shape.ecosystem == "unknown":
        parts = [
            Part(role="archive", layer=part.layer, packing=Packing.ZIP)
            if part.layer.media_type in _ZIPS
            else part
            for part in parts
        ]
    if len(parts) != 1:
        raise Refuted(
            f"{text}: {shape.ecosystem} {shape.kind}: expected one layer with its content, got {len(parts)}",
            check=NO_ARCHIVE.id,
            hint=f"modseal inspect {text}",
        )
    return parts[0]


def _no_archive(text: str, shape: Shape) -> Misused:
    return Misused(
        f"{text}: {shape.ecosystem} {shape.kind}: not a zip, so it can only be kept as it is",
        check=NO_ARCHIVE.id,
        hint=f"modseal pull {text} --keep-archive FILE",
    )


def _download(store: ReadStore, layer: Descriptor, spool: BinaryIO, events: Events, limits: Limits) -> None:
    events.begin(TASK, layer.size)
    try:
        with store.open_blob(layer.digest, size=layer.size) as reader, WriteBehind(spool) as out:
            while block := reader.read(limits.chunk):
                out.write(block)
                events.advance(TASK, len(block))
        if not reader.verified:  # the reader has raised by now; nothing goes on without its word
            raise Refuted(f"blob {short(layer.digest)}: not read to its end", check="oci.size-mismatch")
        spool.flush()
    finally:
        events.end(TASK)


def _checked(spool: BinaryIO, shape: Shape, place: Place, limits: Limits) -> Archive:
    archive = read_archive(spool, limits=limits)
    if not archive.entries():
        raise Refuted(f"{place}: the archive holds no files", check="archive.empty")
    if shape.ecosystem == "cue":
        _check_module(archive, shape, place, limits)
    return archive


def _check_module(archive: Archive, shape: Shape, place: Place, limits: Limits) -> None:
    from verify.ecosystems.cue.modfile import parse_published  # noqa: PLC0415 - only CUE modules need it
    from verify.ecosystems.cue.names import MODULE_FILE  # noqa: PLC0415

    try:
        with archive.open(MODULE_FILE) as file:
            data = file.read(limits.document_bytes + 1)
    except Absent as error:
        raise Malformed(
            f"{place}: expected {MODULE_FILE} in the archive, got none", check="cue.no-module-file"
        ) from error
    if len(data) > limits.document_bytes:
        raise Malformed(f"{MODULE_FILE}: expected at most {limits.document_bytes} bytes", check="limit.size")
    layer = shape.part("module-file").layer
    # equal digests are equal bytes: the second copy need not be fetched
    if layer.size != len(data) or not layer.digest.matches(data):
        raise Refuted(
            f"{place}: {MODULE_FILE}: expected {short(layer.digest)} as the manifest says, got {short(Digest.of(data))}",
            check=TWO_FILES.id,
        )
    declared = parse_published(data, limits=limits)
    module = place.module
    if module is not None and (
        declared.path.base != module.path or not _fits(declared.path.major, module.version)
    ):
        raise Refuted(
            f"{place}: expected {module}, got a module that says it is {declared.path}", check=IDENTITY.id
        )


def _fits(major: str, version: str) -> bool:
    return version.startswith(f"{major}.")


@contextlib.contextmanager
def _landing(folder: str | None, keep: str | None) -> Iterator[BinaryIO]:
    """Where the archive is written and read back: what is kept is what was checked, and appears when all is well."""
    if keep is not None and not is_stream(Path(keep)):
        with written_aside(Path(keep)) as file:
            yield file
        return
    near = Path(folder or ".").absolute().parent
    with tempfile.TemporaryFile(dir=near if near.is_dir() else None) as spool:
        yield spool
        if keep is not None:
            with written_aside(Path(keep)) as out:
                spool.seek(0)
                shutil.copyfileobj(spool, out)
