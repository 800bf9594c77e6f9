"""Which page is next."""

from __future__ import annotations

import pytest

from verify.oci.paging import next_link


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ('</a?n=1>; rel="next"', "/a?n=1"),
        ("</a>; rel=next", "/a"),
        ('</a>;rel="next"', "/a"),
        ("</a>;rel=NEXT", "/a"),
        ('</a>; title="x; rel=prev"; rel="next"', "/a"),
        ('</p>; rel="prev", </n>; rel="next"', "/n"),
        ('</a,b>; rel="next"', "/a,b"),
        ('</a>; rel="prev next"', "/a"),
        ('<>; rel="next"', ""),
        ('</a>; rel="nextish"', None),
        ('</a>; rel="prev"', None),
        ("</a>", None),
        ('/a; rel="next"', None),
        ("", None),
    ],
)
def test_link(header: str, target: str | None) -> None:
    assert next_link([header]) == target
