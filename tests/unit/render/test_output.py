from __future__ import annotations

import pytest

from verify.errors import Misused
from verify.render.output import Output, parse_output, parse_outputs


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", Output("text")),
        ("json=-", Output("json")),
        ("sarif=out.sarif", Output("sarif", "out.sarif")),
        ("junit=a=b.xml", Output("junit", "a=b.xml")),
    ],
)
def test_parse_output(value: str, expected: Output) -> None:
    assert parse_output(value) == expected


@pytest.mark.parametrize(
    ("values", "check"),
    [
        (["yaml"], "output.unknown-format"),
        (["JSON"], "output.unknown-format"),
        ([""], "output.unknown-format"),
        (["json="], "output.no-path"),
        (["json=a\0b"], "output.no-path"),
        (["json", "text"], "output.taken"),
        (["json", "json=-"], "output.taken"),
        (["json=a", "sarif=./a"], "output.taken"),
        (["json=a/../b", "sarif=b"], "output.taken"),
    ],
)
def test_refused(values: list[str], check: str) -> None:
    with pytest.raises(Misused) as caught:
        parse_outputs(values)
    assert caught.value.check == check


def test_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(
        Misused, match="expected one of github, html, json, junit, markdown, sarif, text, got 'yaml'"
    ):
        parse_output("yaml=x")


def test_text_goes_to_stdout_where_nothing_else_does() -> None:
    assert parse_outputs([]) == (Output("text"),)
    assert parse_outputs(["json=a"]) == (Output("text"), Output("json", "a"))
    assert parse_outputs(["json", "sarif=a"]) == (Output("json"), Output("sarif", "a"))
