"""The list of vendored modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sum_files import digest
from verify.ecosystems.cue.checks import VENDOR_LIST
from verify.ecosystems.cue.vendor_list import (
    Vendored,
    VendorList,
    parse_vendor_list,
    render_vendor_list,
    vendored_folder,
    vendored_tree_list,
)
from verify.errors import Malformed
from verify.module import Module

X = Module.parse("a.example/x@v1.0.0-RC.1")
Y = Module.parse("b.example/y@v0.2.0")
LIST = VendorList.of((Vendored(Y, digest(1), digest(2)), Vendored(X, digest(3), digest(4))))
GOOD = render_vendor_list(LIST).decode()
LINE = GOOD.splitlines(keepends=True)[3]

BAD = {
    "empty": "",
    "newer format": GOOD.replace("vendor/1", "vendor/2"),
    "no modules": GOOD.partition("modules")[0],
    "unknown field": GOOD + "x: 1\n",
    "module twice": GOOD.replace(LINE, LINE + LINE),
    "no module": GOOD.replace(str(Y), "b.example/y"),
    "unknown field of a module": GOOD.replace("{archive", "{x: 1, archive", 1),
    "archive missing": GOOD.replace(f'archive: "{digest(3)}", ', ""),
    "no digest": GOOD.replace(digest(3).text, "sha256:0"),
    "a number": GOOD.replace(f'"{digest(3)}"', "1"),
    "modules a list": GOOD.partition("modules")[0] + "modules: []\n",
    "optional": GOOD.replace("modules:", "modules?:"),
}


def test_parse_is_the_inverse_of_render() -> None:
    assert parse_vendor_list(GOOD.encode()) == LIST
    assert [each.line for each in parse_vendor_list(GOOD.encode()).modules] == [4, 5]
    assert [each.module for each in LIST.modules] == [X, Y]
    assert parse_vendor_list(render_vendor_list(VendorList())) == VendorList()


@pytest.mark.parametrize("name", BAD)
def test_every_defect_is_refused(name: str) -> None:
    assert BAD[name] != GOOD
    with pytest.raises(Malformed) as caught:
        parse_vendor_list(BAD[name].encode())
    assert caught.value.check == VENDOR_LIST.id


def test_the_example_on_the_format_page_is_canonical() -> None:
    text = (Path(__file__).parents[4] / "docs" / "formats" / "vendor.md").read_text(encoding="utf-8")
    example = text.partition("```cue\n")[2].partition("```")[0].encode()
    assert render_vendor_list(parse_vendor_list(example)) == example


def test_folders() -> None:
    assert vendored_folder(X) == "cue.mod/vendor/a.example/x@v1.0.0-!r!c.1"
    assert vendored_tree_list(Y) == "cue.mod/vendor/b.example/y@v0.2.0.h1list"
