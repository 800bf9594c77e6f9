"""`modseal unpack`: a checked zip into a new or empty folder, or nothing.

What is compared with an expected digest is the same open file that is unpacked. An expected `h1:` is known
only when everything was read, so the contents are proved first and then written from the same descriptor.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.archive.reader import read_archive
from verify.archive.unpack import unpack_archive as write_out
from verify.digest import measure
from verify.errors import Refuted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.tree.hashing import hash_tree
from verify.workflows.expectation import Expected
from verify.workflows.sources import open_file

if TYPE_CHECKING:
    from typing import BinaryIO

    from verify.archive.reader import Archive
    from verify.digest import Digest, TreeHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was unpacked."""

    folder: str
    files: int
    size: int
    tree_hash: TreeHash
    digest: Digest

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.unpack/1",
            "folder": self.folder,
            "files": self.files,
            "bytes": self.size,
            "h1": str(self.tree_hash),
            "sha256": self.digest.hex,
        }


def unpack_archive(
    path: str, folder: str, *, expected: str | None = None, keep_executable: bool = False,
    limits: Limits = DEFAULT, events: Events = SILENT,
) -> Done:  # fmt: skip
    """Raises Refuted (`archive.hash`) before a file is written, and what reading and writing raise."""
    wanted = Expected.parse(expected) if expected else None
    with open_file(Path(path.removeprefix("zip:"))) as file:
        digest = measure(file, most=1 << 50).digest
        if wanted is not None and wanted.digest is not None and wanted.digest != digest:
            raise _refuted(path, wanted, digest)
        archive = _opened(path, file, limits)
        if wanted is not None and wanted.tree_hash is not None:
            found = hash_tree(archive)
            if found != wanted.tree_hash:
                raise _refuted(path, wanted, found)
        done = write_out(archive, Path(folder), keep_executable=keep_executable, events=events, limits=limits)
    return Done(folder=folder, files=done.entries, size=done.size, tree_hash=done.tree_hash, digest=digest)


def _opened(path: str, file: BinaryIO, limits: Limits) -> Archive:
    archive = read_archive(file, limits=limits)
    if not archive.entries():
        raise Refuted(f"{path}: holds no files", check="archive.empty")
    return archive


def _refuted(path: str, wanted: Expected, got: Digest | TreeHash) -> Refuted:
    return Refuted(
        f"{path}: expected {wanted}, got {got}", check="archive.hash", hint=f"modseal verify archive {path}"
    )
