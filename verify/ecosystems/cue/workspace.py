"""A CUE workspace: the folder of a main module, and the lock data in it.

    cue.mod/module.cue          which versions it asks for
    cue.mod/local-module.cue    what stands in for them on this machine, if anything
    cue.mod/sum.cue             what bytes they must have

>>> modfile_hash(b'module: "example.com/net@v1"')
TreeHash('h1:aDDtQjRgvSvWDSC3s0Cys8286gTtzZSwYOA1IKrzBqQ=')
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.digest import TreeHash
from verify.ecosystems.cue.modfile import parse_main
from verify.ecosystems.cue.names import MODULE_FILE
from verify.ecosystems.cue.sums import SUM_PATH
from verify.errors import Absent, ModsealError
from verify.limits import DEFAULT, Limits
from verify.tree.below import read_below

if TYPE_CHECKING:
    from verify.ecosystems.cue.modfile import ModuleFile

LOCAL_FILE: Final = "cue.mod/local-module.cue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A main module as it lies on disk. `sum_data` is None where there is no sum file."""

    root: str
    main: ModuleFile
    sum_data: bytes | None


def load_workspace(root: str, *, limits: Limits = DEFAULT) -> Workspace:
    """Raises Absent where no module lies there, Malformed, Refuted (a link in the way), Unavailable."""
    most = limits.document_bytes
    try:
        data = read_below(root, MODULE_FILE, most)
    except Absent as error:
        raise Absent(
            f"{root}: no {MODULE_FILE}, expected the folder of a CUE module",
            check="cue.no-module-file",
            hint="cue mod init",
        ) from error
    local = _optional(root, LOCAL_FILE, most)
    try:
        main = parse_main(data, local=local, limits=limits)
    except ModsealError as error:
        raise error.within(MODULE_FILE) from None
    return Workspace(root=root, main=main, sum_data=_optional(root, SUM_PATH, most))


def modfile_hash(data: bytes) -> TreeHash:
    """The hash of a module's own declaration: of a tree that holds nothing else."""
    return modfile_hash_of(hashlib.sha256(data).digest())


def modfile_hash_of(sha256: bytes) -> TreeHash:
    """The same where the file was hashed already."""
    return TreeHash.from_lines(((MODULE_FILE.encode(), sha256),))


def _optional(root: str, path: str, most: int) -> bytes | None:
    try:
        return read_below(root, path, most)
    except Absent:
        return None
