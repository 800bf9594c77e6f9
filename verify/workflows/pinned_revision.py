"""The sum file of a workspace as a git revision has it: `--sum git:REV`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verify.ecosystems.cue.sums import SUM_PATH
from verify.errors import Absent, Malformed
from verify.tree.commit import GitTree
from verify.tree.git import Repository

if TYPE_CHECKING:
    from verify.limits import Limits


def read_revision(root: str, pin: str, limits: Limits) -> bytes:
    """From objects, never from the working tree. Raises Absent, and as reading a repository does."""
    revision = pin.removeprefix("git:")
    inside = Repository(Path(root), limits).prefix
    folder = f"{inside}/cue.mod" if inside else "cue.mod"
    with GitTree.of(Path(root), revision, folder, limits=limits) as tree:
        name = SUM_PATH.removeprefix("cue.mod/")
        if all(entry.name != name for entry in tree.entries()):
            raise Absent(f"{pin}: no {SUM_PATH} in that revision", check="lock.absent")
        with tree.open(name) as file:
            data = file.read(limits.document_bytes + 1)
    if len(data) > limits.document_bytes:
        raise Malformed(f"{pin}: expected at most {limits.document_bytes} bytes", check="limit.size")
    return data
