"""The zip that is published: packed from a source, or one that was packed already; and what it is a module of.

1. A folder or a git revision is packed as `modseal pack` packs it, with `cue/1` for a CUE module and `generic/1`
   for all else. A zip is taken as it is, once our reader has found one reading of it and proved its contents.
2. The type is the one that was asked for. Else it is CUE where `cue.mod/module.cue` is there, OpenTofu where a
   configuration of its lies at the root, and generic otherwise.
3. A zip that is to be a CUE module holds exactly what `cue/1` would keep.
4. A CUE module of source kind git says which commit it comes from, as cue says it, but with the time in UTC: the
   same commit gives the same manifest in every time zone.
"""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from verify.archive.reader import Archive, read_archive
from verify.archive.source import Source as Bytes
from verify.archive.writer import ArchiveProfile, Encoding, write_archive
from verify.digest import Digest, TreeHash, measure
from verify.ecosystems.cue.artifact import CueSource
from verify.ecosystems.cue.modfile import ModuleFile, check_replacements_place, parse_published
from verify.ecosystems.cue.packing import MODULE_FILE, select_git
from verify.errors import Malformed, Misused, Refuted
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.oci.blob import Content
from verify.oci.descriptor import Descriptor
from verify.tree import gitchecks
from verify.tree.commit import GitTree
from verify.tree.git import Repository
from verify.tree.hashing import hash_tree
from verify.workflows.artifact_checks import NOT_A_MODULE
from verify.workflows.cue_source import source_kind
from verify.workflows.packing import encoder_for
from verify.workflows.selection import select
from verify.workflows.sources import Source, open_source
from verify.workflows.targets import PathKind, PathTarget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from verify.tree.port import Tree

_TOFU = (".tf", ".tofu", ".tf.json", ".tofu.json")


class Kind(StrEnum):
    """What a zip is published as."""

    CUE = "cue"
    OPENTOFU = "opentofu"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A zip ready to be published, open for as long as it takes."""

    kind: Kind
    file: BinaryIO = field(repr=False)
    digest: Digest
    size: int
    tree_hash: TreeHash
    files: int
    module_file: bytes = b""  # of a CUE module
    declared: ModuleFile | None = None  # what it says
    commit: CueSource | None = None  # where it records one

    def content(self) -> Content:
        """To be read as often as it takes."""
        descriptor = Descriptor(media_type="application/zip", digest=self.digest, size=self.size)
        return content_of(self.file, descriptor)


class _Stream:
    """A position of its own in a file that others read too."""

    def __init__(self, source: Bytes) -> None:
        self._source, self._at = source, 0

    def read(self, size: int = -1, /) -> bytes:
        block = self._source.read_at(self._at, self._source.size - self._at if size < 0 else size)
        self._at += len(block)
        return block


def content_of(file: BinaryIO, descriptor: Descriptor) -> Content:
    """An open file to be put into a store: each attempt reads it from its beginning."""
    source = Bytes(file)
    return Content(descriptor=descriptor, open=lambda: _Stream(source))


@contextlib.contextmanager
def open_payload(
    text: str,
    *,
    kind: Kind | None = None,
    encoding: Encoding = Encoding.STORE,
    keep_executable: bool = False,
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Iterator[Payload]:
    """Open it for the time of the block. Raises what opening, selecting, packing and reading raise."""
    with open_source(text, limits=limits, events=events) as source:
        wanted = kind or _kind(source.hashed())
        if source.archive is not None and source.file is not None:
            yield _given(source.archive, source.file, wanted, limits)
        elif source.kind in {None, PathKind.DIRECTORY}:
            with tempfile.TemporaryFile() as spool:
                yield _packed(
                    source,
                    spool,
                    wanted,
                    encoding,
                    keep_executable=keep_executable,
                    limits=limits,
                    events=events,
                )
        else:
            raise Misused(f"{text}: expected a folder, a git revision or a zip to publish")


def _kind(tree: Tree) -> Kind:
    names = [entry.name for entry in tree.entries()]
    if MODULE_FILE in names:
        return Kind.CUE
    return Kind.OPENTOFU if any("/" not in each and each.endswith(_TOFU) for each in names) else Kind.GENERIC


def _given(archive: Archive, file: BinaryIO, kind: Kind, limits: Limits) -> Payload:
    if not archive.entries():
        raise Malformed("archive: expected at least one file", check="archive.empty")
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - a large zip is read twice, at once

    file.seek(0)
    with ThreadPoolExecutor(max_workers=1) as beside:
        measuring = beside.submit(measure, file, most=limits.archive_bytes)
        tree_hash = hash_tree(archive)  # and with it every file is proved
        measured = measuring.result()
    module_file, declared = _declared(archive, kind, limits)
    if kind is Kind.CUE:
        _require_module(archive)
    return Payload(
        kind=kind,
        file=file,
        digest=measured.digest,
        size=measured.size,
        tree_hash=tree_hash,
        files=len(archive.entries()),
        module_file=module_file,
        declared=declared,
    )


def _packed(
    source: Source,
    spool: BinaryIO,
    kind: Kind,
    encoding: Encoding,
    *,
    keep_executable: bool,
    limits: Limits,
    events: Events,
) -> Payload:
    tracked = kind is Kind.CUE and source_kind(source.hashed(), limits) == "git"
    commit = _commit(source, limits) if tracked else None
    tree = _selected(source, kind, limits, events)
    if kind is Kind.OPENTOFU and not keep_executable:
        _warn_of_modes(tree, events)
    written = write_archive(
        tree,
        spool,
        encoding=encoding,
        profile=ArchiveProfile(keep_executable=keep_executable),
        encoder=encoder_for(encoding.value, events),
        events=events,
        limits=limits,
    )
    if tracked and _commit(source, limits) != commit:
        raise Refuted("the commit changed while its files were packed", check=gitchecks.UNCLEAN.id)
    # the module file as it was packed, not as it lies there by now
    module_file, declared = _declared(read_archive(spool, limits=limits), kind, limits)
    return Payload(
        kind=kind,
        file=spool,
        digest=written.digest,
        size=written.size,
        tree_hash=written.tree_hash,
        files=written.entries,
        module_file=module_file,
        declared=declared,
        commit=commit,
    )


def _selected(source: Source, kind: Kind, limits: Limits, events: Events) -> Tree:
    rules = "cue/1" if kind is Kind.CUE else "generic/1"
    tree, omitted = select(source, rules, leave_out=None, limits=limits)
    for name, reason in omitted:
        events.note(Level.INFO, f"left out: {name}: {reason}")
    return tree


def _warn_of_modes(tree: Tree, events: Events) -> None:
    """OpenTofu installs a package with the modes in its zip, and modules run scripts."""
    lost = next((entry.name for entry in tree.entries() if entry.executable), None)
    if lost is not None:
        problem = "will not be executable where it is installed (keep that with --keep-exec)"
        events.note(Level.WARNING, f"{lost}: {problem}")


def _declared(archive: Archive, kind: Kind, limits: Limits) -> tuple[bytes, ModuleFile | None]:
    if kind is not Kind.CUE:
        return b"", None
    if all(entry.name != MODULE_FILE for entry in archive.entries()):
        raise Malformed(
            f"module: expected {MODULE_FILE}, got none", check="cue.no-module-file", hint="cue mod init"
        )
    with archive.open(MODULE_FILE) as file:
        data = file.read(limits.document_bytes + 1)
    if len(data) > limits.document_bytes:
        raise Malformed(f"{MODULE_FILE}: expected at most {limits.document_bytes} bytes", check="limit.size")
    try:
        declared = parse_published(data, limits=limits)
        check_replacements_place(declared)
    except Malformed as error:
        raise error.within(MODULE_FILE) from None
    return data, declared


def _require_module(archive: Archive) -> None:
    """Whatever lies in a zip is in the module; cue refuses to read some of it, and would never have packed it."""
    found = select_git(archive)
    found.require()
    for name, reason in found.selection.omitted:
        raise Malformed(
            f"{name}: in no CUE module: {reason}",
            check=NOT_A_MODULE.id,
            hint="publish the folder, or pack it with modseal pack --rules cue/1",
        )


def _commit(source: Source, limits: Limits) -> CueSource:
    """The commit of a source whose kind is git."""
    if isinstance(source.tree, GitTree):
        found = source.tree.commit
    elif isinstance(source.target, PathTarget):
        found = Repository(source.target.path, limits).resolve("HEAD")
    else:
        raise Misused(f"{source.target.text}: expected a folder or a git revision")
    when = datetime.fromtimestamp(found.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return CueSource(system="git", commit=found.oid, commit_time=when)
