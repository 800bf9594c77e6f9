"""`modseal demo`: the whole story on an example module, in a folder that is gone afterwards.

1. A module is packed, twice, from two folders that differ in everything that must not matter.
2. The archive is checked against the hash of the tree.
3. One byte of the unpacked module is changed, and the check says which file.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.events import SILENT, Events
from verify.workflows.check_archive import check_archive_file
from verify.workflows.check_list import check_against_list
from verify.workflows.hashing import hash_target, list_target
from verify.workflows.packing import Order, pack
from verify.workflows.unpacking import unpack_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.report import Report

_FILES = {
    "cue.mod/module.cue": 'module: "example.com/net@v1"\nlanguage: version: "v0.9.0"\nsource: kind: "self"\n',
    "net.cue": 'package net\n\nport: *443 | int\nhosts: [...string]\ntls: minVersion: "1.3"\n',
    "templates/ingress.cue": 'package templates\n\ningress: rules: [{host: "example.com"}]\n',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One scene: what is said, the command a person would type, what came of it."""

    says: str
    types: str
    shows: tuple[str, ...] = ()
    report: Report | None = None


def tell(*, events: Events = SILENT, folder: Callable[[], str] = tempfile.mkdtemp) -> Iterator[Step]:
    """The scenes in order; the caller shows them. Works in a new folder and removes it."""
    import shutil  # noqa: PLC0415 - only to clean up

    stage = Path(folder())
    before = Path.cwd()
    try:
        os.chdir(stage)  # so that what is typed and what is shown are the same words
        yield from _scenes(events)
    finally:
        os.chdir(before)
        shutil.rmtree(stage, ignore_errors=True)


def _scenes(events: Events) -> Iterator[Step]:
    _write(Path("net"), reverse=False)
    first = pack(Order(source="./net", out="net.zip"), events=events)
    values = hash_target("./net").values
    yield Step(
        says="A module, packed:", types="modseal pack ./net -o net.zip", shows=(str(first.digest), *values)
    )

    _write(Path("elsewhere/net"), reverse=True)
    second = pack(Order(source="./elsewhere/net", out="again.zip"), events=events)
    same = "the same, bit for bit" if _bytes("net.zip") == _bytes("again.zip") else "DIFFERENT"
    yield Step(
        says="Somebody else packs it: other times, modes and order on disk.",
        types="modseal pack ./elsewhere/net -o again.zip",
        shows=(str(second.digest), same),
    )

    pin = str(first.tree_hash)
    yield Step(
        says="An auditor gets the zip and, from elsewhere, its hash.",
        types=f"modseal verify archive net.zip --hash {pin}",
        report=check_archive_file("net.zip", expected=pin, canonical=True, events=events),
    )

    Path("net.list").write_text(list_target("zip:net.zip"), encoding="utf-8")
    unpack_archive("net.zip", "vendored", events=events)
    victim = Path("vendored/net.cue")
    victim.write_bytes(victim.read_bytes().replace(b"1.3", b"1.0"))
    yield Step(
        says="The module is vendored, and somebody changes one byte of it.",
        types=f"modseal hash --check net.list --hash {pin} ./vendored",
        report=check_against_list("./vendored", "net.list", pin=pin, events=events),
    )


def _write(root: Path, *, reverse: bool) -> None:
    for index, (name, text) in enumerate(sorted(_FILES.items(), reverse=reverse)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        if reverse:
            path.chmod(0o600)
            os.utime(path, (1_000_000_000 + index, 1_000_000_000 + index))


def _bytes(name: str) -> bytes:
    return Path(name).read_bytes()
