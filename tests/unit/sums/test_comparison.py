"""Two sum files beside each other, and merged."""

from __future__ import annotations

import pytest

from tests.support.sum_files import cue_file
from verify.sums.comparison import diff, merge
from verify.sums.sumfile import SumFile

A, B, C = "a.example@v0.1.0", "b.example@v0.1.0", "c.example@v0.1.0"


def test_diff_tells_added_removed_and_changed() -> None:
    found = diff(cue_file({A: 0, B: 0}), cue_file({B: 1, C: 0}))
    assert [each.key for each in found.added] == [C]
    assert [each.key for each in found.removed] == [A]
    assert [(each.before.key, each.fields) for each in found.changed] == [
        (B, ("tree", "modfile", "archive", "manifest"))
    ]


# name: (base, ours, theirs, merged keys, conflicts)
MERGES = {
    "nothing": ({}, {}, {}, [], []),
    "both add": ({}, {A: 0}, {B: 0}, [A, B], []),
    "both add the same": ({}, {A: 0}, {A: 0}, [A], []),
    "both add differently": ({}, {A: 0}, {A: 1}, [], [A]),
    "ours removes": ({A: 0, B: 0}, {B: 0}, {A: 0, B: 0}, [B], []),
    "theirs removes": ({A: 0, B: 0}, {A: 0, B: 0}, {B: 0}, [B], []),
    "both remove": ({A: 0}, {}, {}, [], []),
    "one changes": ({A: 0}, {A: 0}, {A: 1}, [], [A]),
    "both change alike": ({A: 0}, {A: 1}, {A: 1}, [A], []),
    "one removes, one changes": ({A: 0}, {}, {A: 1}, [], [A]),
    "upgrade beside an addition": ({A: 0}, {B: 0}, {A: 0, C: 0}, [B, C], []),
}  # type: dict[str, tuple[dict[str, object], dict[str, object], dict[str, object], list[str], list[str]]]


@pytest.mark.parametrize("name", MERGES)
def test_merge(name: str) -> None:
    base, ours, theirs, keys, conflicts = MERGES[name]
    merged = merge(cue_file(base), cue_file(ours), cue_file(theirs))
    assert [each.key for each in merged.file.entries] == keys
    assert [each.before.key for each in merged.conflicts] == conflicts
    other = merge(cue_file(base), cue_file(theirs), cue_file(ours))
    assert other.file == merged.file


def test_files_of_two_ecosystems_do_not_merge() -> None:
    with pytest.raises(ValueError, match="different ecosystems"):
        merge(cue_file([]), cue_file([]), SumFile(ecosystem="other"))
