"""Module files: every row of the table that the real tool is asked about too, with the check that refuses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cue_module_files import FILES, HEAD, LOCAL, LOCAL_BASE, NEW, dep
from verify.ecosystems.cue.checks import CHECKS
from verify.ecosystems.cue.modfile import check_replacements_place, parse_main, parse_published
from verify.errors import Malformed, ModsealError, Undecidable

if TYPE_CHECKING:
    from collections.abc import Callable


def refusal(read: Callable[[], object]) -> str:
    try:
        read()
    except ModsealError as error:
        return error.check or "no check"
    return ""


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_accepted_or_refused_by_its_check(name: str) -> None:
    document, published, main = FILES[name]
    assert refusal(lambda: parse_published(document.encode())) == published
    assert refusal(lambda: parse_main(document.encode())) == main


@pytest.mark.parametrize("name", LOCAL)
def test_every_local_file_is_accepted_or_refused_by_its_check(name: str) -> None:
    document, check = LOCAL[name]
    assert refusal(lambda: parse_main(LOCAL_BASE.encode(), local=document.encode())) == check


def test_every_check_used_is_documented() -> None:
    known = {check.id for check in CHECKS}
    used = {check for _, *checks in FILES.values() for check in checks} | {
        check for _, check in LOCAL.values()
    }
    assert {check for check in used if check and not check.startswith("cue.")} <= known


def test_errors_name_the_line() -> None:
    with pytest.raises(
        Malformed,
        match=r"4:2: dependency 'a.example/x@v0': version 'v1' of module 'a.example/x@v0': expected v1.0.0",
    ):
        parse_main((HEAD + 'deps: {\n\t"a.example/x@v0": v: "v1"\n}\n').encode())


def test_a_newer_language_is_undecided_not_refuted() -> None:
    with pytest.raises(Undecidable, match="newer than"):
        parse_published(HEAD.replace("v0.15.0", "v0.99.0").encode())
    assert (
        parse_published(HEAD.replace("v0.15.0", "v0.99.0").encode(), newest="v0.99.0").language == "v0.99.0"
    )


def test_dependencies_are_sorted_and_majors_come_from_versions() -> None:
    file = parse_main(
        dep('"b.example/y": v: "v2.0.0", "a.example/x": v: "v1.10.0", "a.example/x@v1": v: "v1.9.0"').encode()
    )
    assert [str(each.path) for each in file.deps] == ["a.example/x@v1", "a.example/x@v1", "b.example/y@v2"]
    assert [module.version for module in file.requirements] == ["v1.9.0", "v1.10.0", "v2.0.0"]


def test_a_local_file_replaces_dependencies_and_inherits() -> None:
    local = 'deps: {"a.example/x@v0": {}, "c.example/z@v0": replaceWith: "../z"}\n'
    file = parse_main(LOCAL_BASE.encode(), local=local.encode())
    assert [str(module) for module in file.requirements] == ["a.example/x@v0.1.0"]
    assert [(str(each.path), each.replaced_by_folder) for each in file.replacements] == [
        ("c.example/z@v0", True)
    ]


def test_a_replacement_in_module_cue_is_refused_when_it_is_loaded() -> None:
    file = parse_main(dep('"a.example/x@v0": {v: "v0.1.0", replaceWith: "./x"}', NEW).encode())
    with pytest.raises(Malformed) as caught:
        check_replacements_place(file)
    assert caught.value.check == "modfile.replace"
