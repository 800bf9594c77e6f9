"""`modseal publish` and the module's own lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.cue_workspaces import LOG, NET, Stage, module_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "no-cache"))
    Stage(tmp_path).build()
    app = tmp_path / "app"
    (app / "cue.mod").mkdir(parents=True)
    (app / "cue.mod" / "module.cue").write_bytes(module_text("example.com/app@v1", [NET, LOG]))
    (app / "app.cue").write_text("package app\n")
    for words in (["lock"], ["vendor"]):
        assert modseal(*words, "./app", "--from", "./deps").code == 0
    return app


def _publish() -> tuple[int, str]:
    ran = modseal("publish", "./app", "--to", "ocidir://./out:v1.0.0")
    return ran.code, ran.err


def test_a_module_with_a_good_lock_is_published(work: Path) -> None:
    assert _publish() == (0, "")
    assert work.is_dir()


def test_a_requirement_that_is_not_locked_stops_it(work: Path, tmp_path: Path) -> None:
    sums = work / "cue.mod" / "sum.cue"
    kept = [line for line in sums.read_text().splitlines(keepends=True) if "example.com/log@" not in line]
    sums.write_text("".join(kept))
    code, said = _publish()
    assert (code, "[publish.lock-stale]" in said) == (1, True)
    assert not (tmp_path / "out").exists()


def test_a_lock_that_cannot_be_read_stops_it(work: Path, tmp_path: Path) -> None:
    (work / "cue.mod" / "sum.cue").write_text("nothing: {")
    code, said = _publish()
    assert (code, "[publish.lock-stale]" in said) == (1, True)
    assert not (tmp_path / "out").exists()


def test_no_lock_at_all_is_said(work: Path) -> None:
    (work / "cue.mod" / "sum.cue").unlink()
    code, said = _publish()
    assert (code, "no cue.mod/sum.cue" in said) == (0, True)
