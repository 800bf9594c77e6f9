"""`modseal inspect ZIP`: what a zip holds and what is unusual about it. Explains; decides nothing.

A refused zip is explained as far as it could be read. Names in the answer are as found: whoever prints them
escapes them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.archive.canonical import encoding_of
from verify.archive.fault import Docket
from verify.archive.inspection import check_archive
from verify.archive.reader import Archive, Container, read_structure
from verify.digest import Digest, TreeHash, measure
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Outcome
from verify.workflows.sources import open_file

if TYPE_CHECKING:
    from typing import BinaryIO

    from verify.archive.member import Member

_METHODS = {0: "stored", 8: "deflated"}
_SYSTEMS = {0: "FAT", 3: "Unix", 10: "NTFS", 19: "macOS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddness:
    """Something unusual; `refused` where it keeps the zip from being used."""

    check: str
    text: str
    entry: str | None
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One entry as a person wants to see it."""

    name: str
    folder: bool
    method: str
    size: int
    packed: int
    crc: str
    mode: str
    made_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Everything `inspect` tells of a zip."""

    path: str
    digest: Digest
    size: int
    tree_hash: TreeHash | None
    canonical: str  # store/1, deflate/1, or empty where the container is not ours
    members: tuple[Row, ...]
    oddnesses: tuple[Oddness, ...]

    @property
    def accepted(self) -> bool:
        """No reader could take it another way."""
        return not any(each.refused for each in self.oddnesses)

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.inspect/1",
            "path": self.path,
            "sha256": self.digest.hex,
            "bytes": self.size,
            "h1": str(self.tree_hash) if self.tree_hash else None,
            "canonical": self.canonical or None,
            "accepted": self.accepted,
            "entries": [asdict(each) for each in self.members],
            "unusual": [asdict(each) for each in self.oddnesses],
        }


def inspect_archive(path: str, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Explained:
    """Raises Absent, Unavailable."""
    with open_file(Path(path.removeprefix("zip:"))) as file:
        measured = measure(file, most=1 << 50)
        structure = read_structure(file, limits=limits)
        inspection = check_archive(file, subject=path, events=events, limits=limits)
        faults = [
            Oddness(
                check=each.check.id,
                text=each.message,
                entry=each.file,
                refused=each.outcome is not Outcome.NOTED,
            )
            for each in inspection.findings
            if each.outcome is not Outcome.PASSED
        ]
        canonical = _canonical(file, limits) if inspection.tree_hash else ""
    return Explained(
        path=path,
        digest=measured.digest,
        size=measured.size,
        tree_hash=inspection.tree_hash,
        canonical=canonical,
        members=tuple(_member(each) for each in structure.members),
        oddnesses=tuple(faults),
    )


def _canonical(file: BinaryIO, limits: Limits) -> str:
    """The encoding whose container this is; only `verify archive --canonical` proves the deflated bytes."""
    structure = read_structure(file, container=Container.CANONICAL, limits=limits)
    docket = Docket()
    docket.faults.extend(structure.faults)
    return encoding_of(Archive(structure, limits)).value if docket.sound else ""


def _member(member: Member) -> Row:
    central = member.record.central
    system = central.made_by >> 8
    mode = central.external >> 16
    return Row(
        name=member.name,
        folder=member.folder,
        method=_METHODS.get(central.method, f"method {central.method}"),
        size=member.size,
        packed=member.csize,
        crc=f"{central.crc:08x}",
        mode=f"{mode:06o}" if mode else "-",
        made_on=_SYSTEMS.get(system, f"system {system}"),
    )
