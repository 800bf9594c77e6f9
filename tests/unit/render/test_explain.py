from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from verify.render.checks import CHECKS
from verify.render.explain import explain, reference
from verify.report import Check

HASH = Check(id="tree.hash", title="a <b> hash", meaning="See `a<b>` and *<module>*.", remedy="Fetch [it].")


def test_explain_tells_all_of_it() -> None:
    out = explain(HASH)
    assert out.splitlines()[0] == "tree.hash: a <b> hash"
    assert "What to do: Fetch [it]." in out
    assert "What to do" not in explain(Check(id="a.b", title="t", meaning="m"))


def test_explain_wraps_without_breaking_words() -> None:
    check = Check(id="a.b", title="t", meaning="word " * 60 + "--a-very-long-flag-name-that-is-not-cut")
    lines = explain(check).splitlines()
    assert max(map(len, lines)) <= 88
    assert any("--a-very-long-flag-name-that-is-not-cut" in line for line in lines)


def test_reference_is_sorted_and_once_each() -> None:
    page = reference((*CHECKS, *reversed(CHECKS), HASH))
    ids = [line[5:-1] for line in page.splitlines() if line.startswith("### ")]
    assert ids == [*sorted(check.id for check in CHECKS), "tree.hash"]


def test_reference_shows_angle_brackets_as_text() -> None:
    rendered = MarkdownIt("commonmark").render(reference((HASH,)))
    assert "a &lt;b&gt; hash" in rendered
    assert "<code>a&lt;b&gt;</code> and *&lt;module&gt;*" in rendered
    assert "Fetch [it]." in rendered


def test_reference_refuses_two_checks_of_one_id() -> None:
    with pytest.raises(ValueError, match=r"tree\.hash"):
        reference((HASH, Check(id="tree.hash", title="other", meaning="other")))
