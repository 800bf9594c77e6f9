"""`modseal pack`: a source tree into its one canonical zip.

1. The source is a folder or a git revision; the rule set says which of its files belong to the module.
2. The output file itself, where it lies inside the source, is not part of it.
3. The archive is streamed to a file aside and takes its name when it is whole.

Nothing of the environment enters: no time (SOURCE_DATE_EPOCH is irrelevant by design), no user, no locale,
no umask, no zlib build.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.archive.writer import ArchiveProfile, Encoding, Written, write_archive
from verify.errors import Misused
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.workflows.outputs import written_aside
from verify.workflows.selection import select
from verify.workflows.sources import Source, open_source
from verify.workflows.targets import GitTarget, PathKind, PathTarget

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from verify.archive.deflate import Encoder
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
    encoder = encoder_for(order.encoding, events)
    with open_source(order.source, limits=limits, events=events) as source:
        out = order.out or f"{_name(source)}.zip"
        itself = _inside(source, out)
        tree, omitted = select(source, order.rules, leave_out=itself, limits=limits)
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


def encoder_for(encoding: str, events: Events) -> Encoder | None:
    """The encoder that an encoding needs, if it needs one; says so where it is the slow one."""
    if encoding != Encoding.DEFLATE.value:
        return None
    from verify.archive.deflate import reference_encoder  # noqa: PLC0415 - stored archives need no gate

    encoder = reference_encoder()
    if encoder.slow:
        events.note(
            Level.WARNING, "this Python's zlib is not the reference encoder: using our own, which is slow"
        )
    return encoder


def _name(source: Source) -> str:
    """The last part of what was packed: a folder's own name, or the revision's folder."""
    if isinstance(source.target, GitTarget):
        return Path(source.target.subdir).name or Path.cwd().name or "module"
    if isinstance(source.target, PathTarget) and source.kind is PathKind.DIRECTORY:
        return source.target.path.resolve().name or "module"
    raise Misused(f"{source.target.text}: expected a folder or a git revision to pack")


def _inside(source: Source, out: str) -> str | None:
    """The output's name in the source, where it lies in it."""
    _name(source)  # whatever is neither a folder nor a revision is refused here
    if out == "-" or not isinstance(source.target, PathTarget):
        return None
    root, target = source.target.path.resolve(), Path(out).resolve()
    return target.relative_to(root).as_posix() if target.is_relative_to(root) and target != root else None


def _to_file(path: Path, write: Callable[[BinaryIO], Written]) -> Written:
    with written_aside(path) as file:
        return write(file)


def _to_stdout(write: Callable[[BinaryIO], Written]) -> Written:
    """Whole or nothing, as for a file: what is refused halfway must not reach the pipe."""
    if os.isatty(sys.stdout.fileno()):
        raise Misused("an archive on a terminal helps nobody", hint="modseal pack -o FILE")
    with tempfile.TemporaryFile() as spool:
        written = write(spool)
        spool.seek(0)
        shutil.copyfileobj(spool, sys.stdout.buffer)
    return written
