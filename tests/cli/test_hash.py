"""`modseal hash`, as a shell sees it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal

if TYPE_CHECKING:
    from pathlib import Path

# made with Go's own dirhash: a-b, a.b, a/b, a0 in the order of bytes
GO_ORDER = "h1:Auv5ykbTdbW2eUYKJH2XNaQ6lvVGbk6t5TYS37SznrI="


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "net"
    (root / "a").mkdir(parents=True)
    for name, text in {"a/b": "1", "a-b": "2", "a.b": "3", "a0": "4"}.items():
        (root / name).write_text(text)
    return root


def test_a_folder_and_its_zip_have_one_h1(tree: Path) -> None:
    packed = tree.parent / "net.zip"
    assert modseal("pack", str(tree), "-o", str(packed)).code == 0
    ran = modseal("hash", str(tree), str(packed))
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == f"{GO_ORDER}  {tree}"
    assert lines[1] == f"{GO_ORDER}  {packed}"
    assert lines[2].startswith("sha256:")
    assert len(lines) == 3


def test_prefix_changes_the_hash_as_in_go(tree: Path) -> None:
    with_slash = modseal("hash", "--prefix", "example.com/m@v1.0.0/", str(tree)).out
    without = modseal("hash", "--prefix", "example.com/m@v1.0.0", str(tree)).out
    assert with_slash == without != modseal("hash", str(tree)).out


def test_json_names_everything(tree: Path) -> None:
    [found] = modseal("hash", "--json", str(tree)).data()["targets"]
    assert found["h1"] == GO_ORDER
    assert found["files"] == 4
    assert found["bytes"] == 4
    assert found["kind"] == "dir"
    assert len(found["dirHash"]) == 64


def test_a_plain_file_has_a_sha256_only(tree: Path) -> None:
    ran = modseal("hash", f"file:{tree / 'a0'}")
    assert ran.out.startswith("sha256:4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a  ")


def test_a_list_checks_the_tree_it_was_made_from(tree: Path) -> None:
    made = tree.parent / "net.list"
    made.write_text(modseal("hash", "--list", str(tree)).out)
    ran = modseal("hash", "--check", str(made), "--hash", GO_ORDER, str(tree))
    assert ran.code == 0
    assert "basis: pinned" in ran.out
    assert ran.out.splitlines()[-1].startswith("1 tree = 1 verified + 0 failed")
    assert modseal("hash", f"list:{made}").out.startswith(GO_ORDER)


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (lambda root: (root / "a0").write_text("5"), "tree.changed-file"),
        (lambda root: (root / "a0").unlink(), "tree.missing-file"),
        (lambda root: (root / "new").write_text(""), "tree.extra-file"),
        (lambda root: (root / "a0").rename(root / "A0"), "tree.case-changed"),
        (lambda root: (root / "link").symlink_to("a0"), "tree.symlink"),
        (lambda root: (root / ".modsealignore").write_text("new\n"), "tree.extra-file"),
    ],
    ids=["changed", "missing", "extra", "case", "link", "planted-ignore-file"],
)
def test_a_spoilt_tree_is_refuted_by_name(tree: Path, spoil: object, check: str) -> None:
    made = tree.parent / "net.list"
    made.write_text(modseal("hash", "--list", str(tree)).out)
    assert callable(spoil)
    spoil(tree)
    ran = modseal("hash", "--check", str(made), "--output", "json", str(tree))
    assert ran.code == 1
    failed = {each["check"] for each in ran.data()["findings"] if each["outcome"] == "failed"}
    assert failed == {check}


def test_a_list_other_than_the_pinned_one_is_refuted(tree: Path) -> None:
    made = tree.parent / "net.list"
    (tree / "a0").write_text("changed")
    made.write_text(modseal("hash", "--list", str(tree)).out)
    ran = modseal("hash", "--check", str(made), "--hash", GO_ORDER, str(tree))
    assert ran.code == 1
    assert "FAIL list.hash" in ran.out


def test_a_part_is_checked_and_the_report_says_so(tree: Path) -> None:
    made = tree.parent / "net.list"
    made.write_text(modseal("hash", "--list", str(tree)).out)
    (tree / "a0").write_text("not looked at")
    ran = modseal("hash", "--check", str(made), "--part", "a", str(tree))
    assert ran.code == 0
    assert "narrowed: only what lies below a" in ran.out
    (tree / "a" / "b").write_text("2")
    assert modseal("hash", "--check", str(made), "--part", "a", str(tree)).code == 1


def test_a_part_without_files_proves_nothing(tree: Path) -> None:
    made = tree.parent / "net.list"
    made.write_text(modseal("hash", "--list", str(tree)).out)
    assert modseal("hash", "--check", str(made), "--part", "nowhere", str(tree)).code == 3


def test_a_link_in_a_folder_is_refused_not_hashed_around(tree: Path) -> None:
    (tree / "link").symlink_to("a0")
    ran = modseal("hash", str(tree))
    assert (ran.code, ran.out) == (1, "")
    assert "[tree.symlink]" in ran.err


def test_names_cannot_drive_the_terminal(tree: Path) -> None:
    hostile = tree.parent / "\x1b[2Jevil"
    tree.rename(hostile)
    ran = modseal("hash", str(hostile))
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\\x1b[2Jevil" in ran.out


def test_hashing_loads_nothing_it_does_not_need(tree: Path) -> None:
    probe = (
        "import sys; from verify.cli.app import run; code = run(['hash', sys.argv[1]]);"
        "heavy = {'sigstore', 'requests', 'urllib3', 'cryptography', 'cbor2', 'rich', 'pathspec', 'jsonschema'};"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}), code, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", probe, str(tree)], capture_output=True, text=True, check=False, timeout=30
    )
    assert ran.stderr.strip() == "[] 0"
