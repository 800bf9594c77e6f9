"""Laws of verifying a CUE workspace: taking away what a requirement names never makes it pass."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.cue_workspaces import LOG, NET, Stage
from verify.report import Verdict
from verify.workflows.check_workspace import TreeOrder, check_workspace
from verify.workflows.locking import LockOrder, lock
from verify.workflows.vendoring import VendorOrder, vendor

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELD = re.compile(rb'(?:, )?(?:tree|modfile|archive|manifest): "[^"]*"')


@pytest.fixture(scope="module")
def original() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder)).build()
        where = {"CUE_CACHE_DIR": str(Path(folder, "none"))}
        sources = (str(stage.mirror),)
        lock(LockOrder(root=str(stage.work), sources=sources, environment=where))
        vendor(VendorOrder(root=str(stage.work), sources=sources, environment=where))
        yield stage.work


def _verdict(work: Path) -> Verdict:
    return check_workspace(TreeOrder(root=str(work), cache="none")).verdict


def _removals(work: Path) -> list[tuple[str, int]]:
    files = [
        str(path.relative_to(work)) for path in sorted((work / "cue.mod/vendor").rglob("*")) if path.is_file()
    ]
    data = (work / "cue.mod/sum.cue").read_bytes()
    entries = [("entry", number) for number in range(data.count(b"@v"))]
    fields = [("field", number) for number in range(len(_FIELD.findall(data)))]
    return [(name, 0) for name in files] + entries + fields + [("cue.mod/sum.cue", 0)]


def _remove(work: Path, what: tuple[str, int]) -> None:
    name, number = what
    sums = work / "cue.mod/sum.cue"
    if name in {"entry", "field"}:
        if not sums.exists():
            return
        data = sums.read_bytes()
        if name == "entry":
            lines = [line for line in data.splitlines(keepends=True) if b"@v" in line]
            found = lines[number : number + 1]
        else:
            found = _FIELD.findall(data)[number : number + 1]
        for each in found:
            sums.write_bytes(data.replace(each, b"", 1))
        return
    (work / name).unlink(missing_ok=True)


TAMPERED = {
    "not at all": lambda work: None,
    "a byte": lambda work: (work / "cue.mod/vendor" / NET / "README.md").write_bytes(b"x"),
    "a module swapped": lambda work: (
        shutil.rmtree(work / "cue.mod/vendor" / NET),
        shutil.copytree(work / "cue.mod/vendor" / LOG, work / "cue.mod/vendor" / NET),
    ),
    "an entry forged": lambda work: (
        path := work / "cue.mod/sum.cue",
        path.write_bytes(
            path.read_bytes().replace(b'tree: "h1:', b'tree: "h1:' + b"A" * 42 + b'A=", x: "', 1)
        ),
    ),
}


@pytest.mark.parametrize("tampered", TAMPERED)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_taking_away_never_makes_it_pass(original: Path, tampered: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        shutil.copytree(original, work)
        TAMPERED[tampered](work)
        removals = data.draw(
            st.lists(st.sampled_from(_removals(original)), min_size=1, max_size=4, unique=True)
        )
        for each in removals:
            _remove(work, each)
        assert _verdict(work) is not Verdict.PASSED


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_of_a_vendored_tree_fails(original: Path, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        shutil.copytree(original, work)
        files = [path for path in sorted((work / "cue.mod/vendor").rglob("*@v*/**/*")) if path.is_file()]
        path = data.draw(st.sampled_from(files))
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(content)
        assert _verdict(work) is Verdict.FAILED


def test_the_original_passes(original: Path) -> None:
    assert _verdict(original) is Verdict.PASSED
    assert (original / "cue.mod/vendor").is_dir()  # so that removals had something to remove
