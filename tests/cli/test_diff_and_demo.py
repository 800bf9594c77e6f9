"""`modseal diff` and `modseal demo`, as a shell sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import modseal


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "same.cue").write_text("x: 1\n")
    return tmp_path / "a", tmp_path / "b"


def test_equal_is_0(pair: tuple[Path, Path]) -> None:
    ran = modseal("diff", *map(str, pair))
    assert (ran.code, ran.out) == (0, "1 equal, 0 different\n")


def test_every_kind_of_difference_is_named(pair: tuple[Path, Path]) -> None:
    a, b = pair
    (a / "gone").write_text("")
    (b / "new").write_text("")
    (a / "changed").write_text("1")
    (b / "changed").write_text("2")
    (a / "Case").write_text("")
    (b / "case").write_text("")
    (a / "run").write_text("")
    (b / "run").write_text("")
    (b / "run").chmod(0o755)
    (b / "link").symlink_to("same.cue")
    ran = modseal("diff", str(a), str(b))
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "missing  gone",
        "extra    new",
        "changed  changed",
        "case     Case -> case",
        "mode     run  +x",
        "odd      link  none -> symlink same.cue",
        "1 equal, 6 different",
    ]
    data = modseal("diff", "--json", str(a), str(b)).data()
    assert (data["different"], data["extra"], data["missing"]) == (6, ["new"], ["gone"])


def test_a_link_alone_is_a_difference_though_the_hash_is_blind_to_it(pair: tuple[Path, Path]) -> None:
    (pair[1] / "link").symlink_to("same.cue")
    assert modseal("diff", *map(str, pair)).code == 1


def test_lines_on_request_cannot_drive_the_terminal(pair: tuple[Path, Path]) -> None:
    a, b = pair
    (a / "t.cue").write_text("x: 1\ny: 2\n")
    (b / "t.cue").write_text("x: 1\ny: \x1b[31m3\n")
    ran = modseal("diff", "-u", str(a), str(b))
    assert "-y: 2" in ran.out
    assert "+y: \\x1b[31m3" in ran.out
    assert "\x1b" not in ran.out


def test_a_folder_against_its_list(pair: tuple[Path, Path]) -> None:
    made = pair[0].parent / "a.list"
    made.write_text(modseal("hash", "--list", str(pair[0])).out)
    assert modseal("diff", f"list:{made}", str(pair[1])).code == 0
    (pair[1] / "same.cue").write_text("x: 2\n")
    assert modseal("diff", f"list:{made}", str(pair[1])).out == "changed  same.cue\n0 equal, 1 different\n"


def test_a_plain_file_is_no_tree(pair: tuple[Path, Path]) -> None:
    ran = modseal("diff", str(pair[0] / "same.cue"), str(pair[1]))
    assert (ran.code, "hint: list:" in ran.err) == (2, True)


def test_the_demo_ends_as_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = Path.cwd()
    ran = modseal("demo")
    assert ran.code == 0
    assert "the same, bit for bit" in ran.out
    assert "FAIL tree.changed-file  ./vendored" in ran.out
    assert "exit code 1" in ran.out
    assert list(tmp_path.iterdir()) == []
    assert Path.cwd() == before


def test_the_demo_notices_when_the_story_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.workflows.demo.Path.write_bytes", lambda *_: 0)
    assert modseal("demo").code != 0
