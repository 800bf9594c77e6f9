"""Names of CUE modules."""

from __future__ import annotations

import pytest

from verify.ecosystems.cue.names import (
    ModulePath,
    canonical,
    check_base,
    escaped_folder,
    module,
    parse_module,
    unescaped_folder,
)
from verify.errors import Malformed


@pytest.mark.parametrize("path", ["b.example", "b.example/x", "b-c.example/x_y/x__y/x--y/x.y", "127.0.0.1/x"])
def test_base_paths(path: str) -> None:
    assert check_base(path) == path
    assert str(ModulePath.parse(path)) == f"{path}@v0"


@pytest.mark.parametrize(
    "path",
    [
        "", "x", "x/b.example", "B.example", "b.example/", "/b.example", "b.example//x", "b.example/.x", "b.example/x_",
        "b.example/x..y", "b.example/x___y", "b_c.example", "b.example/aux", "b.example/con.x", "b.example/é",
        "b.example/x\n", "b.example@v1",
    ],
)  # fmt: skip
def test_no_base_paths(path: str) -> None:
    with pytest.raises(Malformed) as caught:
        check_base(path)
    assert caught.value.check == "cue.module-path"


@pytest.mark.parametrize(("short", "full"), [("v1", "v1.0.0"), ("v1.2", "v1.2.0"), ("v1.2.3+b", "v1.2.3")])
def test_short_versions_have_one_canonical_form(short: str, full: str) -> None:
    assert canonical(short) == full
    with pytest.raises(Malformed) as caught:
        module("b.example/x", short)
    assert caught.value.check == "cue.version"


def test_a_module_is_identified_by_base_path_and_version() -> None:
    assert str(module("b.example/x@v1", "v1.4.0")) == "b.example/x@v1.4.0"
    with pytest.raises(Malformed, match="expected one of"):
        module("b.example/x@v1", "v2.4.0")
    with pytest.raises(Malformed):
        parse_module("b.example/x")


def test_folders_escape_capitals_and_come_back() -> None:
    found = parse_module("b.example/x@v1.0.0-RC.Beta")
    assert escaped_folder(found) == "b.example/x@v1.0.0-!r!c.!beta"
    assert unescaped_folder(escaped_folder(found)) == found


@pytest.mark.parametrize(
    "folder", ["b.example/x@v1.0.0-RC", "b.example/x", "b.example/x@v1", "b.example/x@v1.0.0-!1"]
)
def test_other_folders_are_no_modules(folder: str) -> None:
    with pytest.raises(Malformed):
        unescaped_folder(folder)
