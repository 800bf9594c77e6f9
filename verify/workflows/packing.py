"""`modseal pack`: a source tree into its one canonical zip.

1. The source is a folder or a git revision; the rule set says which of its files belong to the module.
2. The output file itself, where it lies inside the source, is not part of it.
3. The archive is streamed to a file aside and takes its name when it is whole.

Nothing of the environment enters: no time (SOURCE_DATE_EPOCH is irrelevant by design), no user, no locale,
no umask, no zlib build.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.archive.writer import ArchiveProfile, Encoding, Written, write_archive
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.workflows.selection import select
from verify.workflows.sources import open_source

if TYPE_CHECKING:
    from typing import BinaryIO

    from verify.digest import Digest, TreeHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to pack and how."""

    source: str = "."
    out: str | None = None  # '-' is stdout
    encoding: str = Encoding.STORE.value
    rules: str = "generic/1"
    prefix: str = ""
    keep_executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What was made."""

    path: str
    digest: Digest
    tree_hash: TreeHash
    size: int
    files: int
    encoding: str
    rules: str
    commit: str | None
    omitted: tuple[tuple[str, str], ...]

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.pack/1",
            "path": self.path,
            "sha256": self.digest.hex,
            "h1": str(self.tree_hash),
            "dirHash": self.tree_hash.hex,
            "bytes": self.size,
            "files": self.files,
            "encoding": self.encoding,
            "rules": self.rules,
            "commit": self.commit,
            "omitted": [{"name": name, "reason": reason} for name, reason in self.omitted],
        }


def pack(order: Order, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Packed:
    """Raises what opening, selecting, reading and writing raise; leaves no half archive."""
    encoder = _encoder(order, events)
    with open_source(order.source, limits=limits, events=events) as source:
        out = order.out or f"{_name(source)}.zip"
        itself = _inside(source, out)
        tree, omitted = select(source, order.rules, leave_out=itself, limits=limits, events=events)
        for name, reason in omitted:
            events.note(Level.INFO, f"left out: {name}: {reason}")
        profile = ArchiveProfile(prefix=order.prefix, keep_executable=order.keep_executable)
        encoding = Encoding(order.encoding)

        def write(file: BinaryIO) -> Written:
            return write_archive(
                tree, file, encoding=encoding, profile=profile, encoder=encoder, events=events, limits=limits
            )

        written = _to_stdout(write) if out == "-" else _to_file(Path(out), write)
        commit = source.commit
    return Packed(
        path=out,
        digest=written.digest,
        tree_hash=written.tree_hash,
        size=written.size,
        files=written.entries,
        encoding=order.encoding,
        rules=order.rules,
        commit=commit,
        omitted=omitted,
    )
