"""Challenges as RFC 9110 and real servers write them."""

from __future__ import annotations

import pytest

from verify.transport.challenge import parse_challenges

CASES: dict[str, tuple[list[str], list[tuple[str, dict[str, str]]]]] = {
    "one": (
        ['Bearer realm="https://a.example/t",service="r",scope="repository:a/b:pull"'],
        [("bearer", {"realm": "https://a.example/t", "service": "r", "scope": "repository:a/b:pull"})],
    ),
    "two scopes in one parameter": (
        ['Bearer scope="repository:a:pull,push repository:b:pull"'],
        [("bearer", {"scope": "repository:a:pull,push repository:b:pull"})],
    ),
    "several in one header": (
        ['Negotiate, Basic realm="x", Bearer realm=y'],
        [("negotiate", {}), ("basic", {"realm": "x"}), ("bearer", {"realm": "y"})],
    ),
    "several headers": (
        ["Basic realm=x", "Bearer realm=y"],
        [("basic", {"realm": "x"}), ("bearer", {"realm": "y"})],
    ),
    "names in any case": (['BEARER Realm="x"'], [("bearer", {"realm": "x"})]),
    "token68": (["Negotiate abc123==, Basic realm=x"], [("negotiate", {}), ("basic", {"realm": "x"})]),
    "escapes": ([r'Basic realm="a\"b\\c"'], [("basic", {"realm": 'a"b\\c'})]),
    "comma and scheme inside quotes": (
        ['Basic realm="x, Bearer realm=y"'],
        [("basic", {"realm": "x, Bearer realm=y"})],
    ),
    "spaces around equals": (
        ["Basic realm = x , charset=UTF-8"],
        [("basic", {"realm": "x", "charset": "UTF-8"})],
    ),
    "empty list members": ([", ,Basic realm=x,,"], [("basic", {"realm": "x"})]),
    "parameter twice": (['Bearer realm="x",realm="y", Basic realm=z'], [("basic", {"realm": "z"})]),
    "quote that never ends": (
        ['Basic realm="x', "Bearer realm=y"],
        [("basic", {}), ("bearer", {"realm": "y"})],
    ),
    "nothing": ([""], []),
    "parameters without a scheme": (["realm=x"], []),
}


@pytest.mark.parametrize("name", CASES)
def test_challenges(name: str) -> None:
    values, expected = CASES[name]
    assert [(each.scheme, dict(each.parameters)) for each in parse_challenges(values)] == expected


def test_repr_shows_no_values() -> None:
    assert "secret" not in repr(parse_challenges(["Bearer realm=secret"]))
