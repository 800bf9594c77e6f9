"""Selection of versions: two levels as cue has them, and where a full closure differs."""

from __future__ import annotations

import pytest

from tests.support.cue_graphs import Graph
from verify.ecosystems.cue.selection import full_closure, select
from verify.errors import Absent, Exhausted, Malformed, Refuted
from verify.limits import Limits
from verify.module import Module

# name: (main's requirements, every other module's, the build list, what a full closure would say)
GRAPHS = {
    "nothing": ("", {}, "", []),
    "one": ("a1", {"a1": ""}, "a1", []),
    "the highest wins": ("a1 b1", {"a1": "b3", "b1": "", "b3": ""}, "a1 b1 b3", []),
    "lower requirements change nothing": ("a1 b3", {"a1": "b1", "b3": "", "b1": ""}, "a1 b3", []),
    "the second level is selected and not read": ("a1", {"a1": "b1", "b1": ""}, "a1 b1", []),
    "the third level is not followed": (
        "a1", {"a1": "b1", "b1": "c1", "c1": ""}, "a1 b1", ["c1: required by b1 (a1 > b1), not selected by cue"]
    ),
    "the third level would raise": (
        "a1 c1", {"a1": "b1", "b1": "c2", "c1": "", "c2": ""}, "a1 b1 c1", ["c2: required by b1 (a1 > b1), cue selects c1"]
    ),
    "requirements of a version not selected count": ("a1 b1", {"a1": "b2", "b1": "c5", "b2": "", "c5": ""}, "a1 b1 b2 c5", []),
    "majors are modules of their own": ("a1 a10", {"a1": "", "a10": ""}, "a1 a10", []),
    "the main module stands for itself": ("a1", {"a1": "m9 b1", "b1": "", "m9": ""}, "a1 b1", []),
    "a cycle ends": ("a1", {"a1": "b1", "b1": "a2", "a2": "b1"}, "a1 b1", ["a2: required by b1 (a1 > b1), cue selects a1"]),
    "two versions of a root": ("a1 a2", {"a1": "b2", "a2": "b1", "b1": "", "b2": ""}, "a2 b2", []),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_build_lists(name: str) -> None:
    main, files, expected, differences = GRAPHS[name]
    graph = Graph(main, files)
    assert graph.short(select(graph.main, graph).modules) == expected
    closure = full_closure(graph.main, graph)
    assert [graph.shorten(str(difference)) for difference in closure.differences] == differences
    assert not closure.unread


def test_a_root_selected_higher_is_overlooked_and_both_are_built_from() -> None:
    graph = Graph("a1 b1", {"a1": "b3", "b1": "", "b3": ""})
    build = select(graph.main, graph)
    assert graph.short(each.module for each in build.selected) == "a1 b3"
    assert graph.short(each.module for each in build.overlooked) == "b1"


def test_only_the_roots_files_are_read() -> None:
    graph = Graph("a1", {"a1": "b1", "b1": ""})
    select(graph.main, graph)
    assert graph.short(graph.asked) == "a1"


def test_the_closure_asks_for_each_file_once() -> None:
    graph = Graph("a1", {"a1": "b1", "b1": "c1", "c1": ""})
    full_closure(graph.main, graph)
    assert graph.short(graph.asked) == "a1 b1 c1"


def test_who_requires_a_selected_version_is_told() -> None:
    graph = Graph("a1 b1", {"a1": "b2", "b1": "", "b2": ""})
    found = {graph.shorten(str(each.module)): each for each in select(graph.main, graph).selected}
    assert found["a1"].root
    assert not found["b2"].root
    assert [graph.shorten(str(asker)) for asker in found["b2"].required_by] == ["a1"]


def test_a_root_that_is_not_there_is_absent() -> None:
    graph = Graph("a1", {})
    with pytest.raises(Absent, match=r"a\.example@v0\.0\.1"):
        select(graph.main, graph)


def test_what_cue_needs_not_may_be_missing_and_is_told() -> None:
    graph = Graph("a1", {"a1": "b1"})
    closure = full_closure(graph.main, graph)
    assert graph.short(closure.build.modules) == "a1 b1"
    assert [(graph.shorten(str(module)), type(error)) for module, error in closure.unread] == [("b1", Absent)]


def test_another_modules_file_is_refuted() -> None:
    graph = Graph("a1", {"a1": ""})
    graph.files[Module.parse("a.example@v0.0.1")] = graph.files[Module.parse("a.example@v0.0.1")].replace(
        b"a.ex", b"b.ex"
    )
    with pytest.raises(Refuted) as caught:
        select(graph.main, graph)
    assert caught.value.check == "modfile.mismatch"


def test_a_malformed_file_names_its_module_and_line() -> None:
    graph = Graph("a1", {"a1": ""})
    graph.files[Module.parse("a.example@v0.0.1")] += b"x: y\n"
    with pytest.raises(Malformed, match=r"^a.example@v0.0.1: 5:4: "):
        select(graph.main, graph)


def test_a_graph_without_end_is_given_up() -> None:
    files = {f"a{n}": f"a{n + 1}" for n in range(1, 9)}
    graph = Graph("a1", files | {"a9": ""})
    assert len(full_closure(graph.main, graph, limits=Limits(modules=9)).modules) == 1
    with pytest.raises(Exhausted):
        full_closure(graph.main, graph, limits=Limits(modules=5))
