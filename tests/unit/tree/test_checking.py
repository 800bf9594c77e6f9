import pytest

from verify.digest import TreeHash
from verify.errors import Misused
from verify.report import Finding, Outcome, Report, Standing, Subject
from verify.tree.checking import check_tree, check_tree_names
from verify.tree.comparison import compare
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.tree.memory import MemoryTree
from verify.tree.names import PORTABLE
from verify.tree.port import Irregular, Oddity

BASE = {"a.cue": b"a: 1\n", "d/b.cue": b"b: 2\n", "d/e/c.cue": b"c: 3\n"}
LIST = TreeList.of(MemoryTree(BASE))
HASH = hash_tree(MemoryTree(BASE))


def outcomes(findings: tuple[Finding, ...]) -> list[tuple[str, str, str | None]]:
    return [(found.check.id, found.outcome.value, found.file) for found in findings]


@pytest.mark.parametrize("expected", [LIST, HASH, MemoryTree(BASE)], ids=["list", "hash", "tree"])
def test_an_equal_tree_passes(expected: TreeList | TreeHash | MemoryTree) -> None:
    assert outcomes(check_tree(MemoryTree(BASE), expected, "m")) == [("tree.hash", "passed", None)]


DEFECTS = {
    "extra": ({**BASE, "hook.cue": b""}, [("tree.extra-file", "hook.cue")]),
    "missing": ({name: BASE[name] for name in ("a.cue", "d/b.cue")}, [("tree.missing-file", "d/e/c.cue")]),
    "changed": ({**BASE, "a.cue": b"a: 2\n"}, [("tree.changed-file", "a.cue")]),
    "case of a file": (
        {"A.cue": BASE["a.cue"], "d/b.cue": BASE["d/b.cue"], "d/e/c.cue": BASE["d/e/c.cue"]},
        [("tree.case-changed", "A.cue")],
    ),
    "case of a folder": (
        {"a.cue": BASE["a.cue"], "D/b.cue": BASE["d/b.cue"], "d/E/c.cue": BASE["d/e/c.cue"]},
        [("tree.case-changed", "D/b.cue"), ("tree.case-changed", "d/E/c.cue")],
    ),
    "case and content": (
        {"A.cue": b"", "d/b.cue": BASE["d/b.cue"], "d/e/c.cue": BASE["d/e/c.cue"]},
        [("tree.case-changed", "A.cue"), ("tree.changed-file", "A.cue")],
    ),
    "renamed": (
        {"x.cue": BASE["a.cue"], "d/b.cue": BASE["d/b.cue"], "d/e/c.cue": BASE["d/e/c.cue"]},
        [("tree.extra-file", "x.cue"), ("tree.missing-file", "a.cue")],
    ),
}


@pytest.mark.parametrize("prefix", ["", "example.com/m@v1.0.0"])
@pytest.mark.parametrize("case", list(DEFECTS))
def test_a_list_names_what_differs(case: str, prefix: str) -> None:
    files, expected = DEFECTS[case]
    findings = check_tree(MemoryTree(files), TreeList.of(MemoryTree(BASE), prefix), "m", prefix=prefix)
    assert outcomes(findings) == [(check, "failed", name) for check, name in expected]


@pytest.mark.parametrize("case", list(DEFECTS))
def test_a_hash_says_only_that_it_differs(case: str) -> None:
    (found,) = check_tree(MemoryTree(DEFECTS[case][0]), HASH, "m")
    assert (found.check.id, found.outcome) == ("tree.hash", Outcome.FAILED)
    assert str(HASH) in found.message


@pytest.mark.parametrize("expected", [LIST, HASH], ids=["list", "hash"])
@pytest.mark.parametrize("oddity", list(Oddity))
def test_what_a_hash_cannot_see(oddity: Oddity, expected: TreeList | TreeHash) -> None:
    tree = MemoryTree(BASE, irregulars=[Irregular("d/odd", oddity, "detail")])
    noted = oddity in {Oddity.HARDLINK, Oddity.EMPTY_FOLDER}
    outcome = "noted" if noted else "unknown" if oddity is Oddity.UNREADABLE else "failed"
    first, *rest = outcomes(check_tree(tree, expected, "m"))
    assert first == (f"tree.{oddity.value}", outcome, "d/odd")
    assert rest == ([("tree.hash", "passed", None)] if noted else [])


def test_no_files_prove_nothing() -> None:
    empty = MemoryTree({})
    assert outcomes(check_tree(empty, hash_tree(empty), "m")) == [("tree.empty", "unknown", None)]
    assert outcomes(check_tree(empty, TreeList.of(empty), "m")) == [("tree.empty", "unknown", None)]
    assert [check for check, *_ in outcomes(check_tree(empty, HASH, "m"))] == ["tree.empty", "tree.hash"]


def test_a_part_passes_under_its_own_name_and_hides_nothing_in_it() -> None:
    sparse = MemoryTree({**{name: BASE[name] for name in ("d/b.cue", "d/e/c.cue")}, "other": b""})
    assert outcomes(check_tree(sparse, LIST, "m", "d")) == [("tree.part", "passed", None)]
    changed = MemoryTree({"d/b.cue": b"", "d/e/c.cue": BASE["d/e/c.cue"], "d/x": b""})
    assert outcomes(check_tree(changed, LIST, "m", "d")) == [
        ("tree.extra-file", "failed", "d/x"),
        ("tree.changed-file", "failed", "d/b.cue"),
    ]
    assert outcomes(check_tree(MemoryTree(BASE), LIST, "m", "nowhere")) == [("tree.empty", "unknown", None)]


@pytest.mark.parametrize(
    ("name", "counts"), [("d", True), ("d/e", True), ("d/link", True), ("dd", False), ("z", False)]
)
def test_a_link_counts_in_a_part_and_on_the_way_to_it(name: str, counts: bool) -> None:
    tree = MemoryTree(BASE, irregulars=[Irregular(name, Oddity.SYMLINK)])
    found = outcomes(check_tree(tree, LIST, "m", "d/e" if name in {"d", "d/e"} else "d"))
    assert (found[0][0] == "tree.symlink") is counts


def test_a_part_does_not_stand_for_the_whole() -> None:
    subject = Subject(name="m", requires=("tree.hash",))
    report = Report(command="c", subjects=(subject,), findings=check_tree(MemoryTree(BASE), LIST, "m", "d"))
    assert report.standings == ((subject, Standing.UNKNOWN),)


def test_a_part_needs_a_list() -> None:
    with pytest.raises(Misused):
        check_tree(MemoryTree(BASE), HASH, "m", "d")


def test_modes_are_compared_where_both_sides_know_them() -> None:
    plain, executable = MemoryTree(BASE, executables=[]), MemoryTree(BASE, executables=["a.cue"])
    assert outcomes(check_tree(executable, plain, "m")) == [("tree.mode-changed", "failed", "a.cue")]
    assert compare(plain, MemoryTree(BASE)).differences == 0
    assert compare(LIST, executable).differences == 0
    assert compare(plain, executable).equal == 2


def test_a_collision_on_one_side_is_paired_once() -> None:
    found = compare(MemoryTree({"k": b"1", "x": b""}), MemoryTree({"K": b"1", "\u212a": b"1", "x": b""}))
    assert [(each.expected, each.actual) for each in found.case_changed] == [("k", "K")]
    assert found.extra == ("\u212a",)


def test_names_are_found_by_profile() -> None:
    findings = check_tree_names(MemoryTree({"aux.tf": b"", "ok": b""}), PORTABLE, "m", Outcome.NOTED)
    assert outcomes(findings) == [("name.reserved", "noted", "aux.tf")]
