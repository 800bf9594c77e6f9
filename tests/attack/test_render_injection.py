"""Untrusted text in every field of a report, and every format read back by a parser: no structure is ours to lose.

The attacks are classes: terminal control, hidden and reordered text, markup, workflow commands, line breaks,
characters that XML forbids, bytes that are not UTF-8, size.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from tests.support.report_strategies import hostile, reports
from verify.render import FORMATS, text
from verify.render.escape import encodable, terminal
from verify.report import Basis, Check, Detail, Finding, Outcome, Place, Report, Subject

ATTACKS = {
    "clear-screen": "a\x1b[2J\x1b[1;1Hok",
    "c1-csi": "a\x9b2Jb",
    "osc-8-link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "backspaces": "FAIL\x08\x08\x08\x08PASS",
    "bidi-override": "a\u202egnp.exe\u2066b\u2069",
    "zero-width": "net\u200b.cue\u2060\ufeff",
    "tag-characters": "a\U000e0041\U000e0042",
    "variation-selectors": "a\ufe0f\U000e0100",
    "hangul-filler": "a\u3164b\u115f",
    "odd-spaces": "a\u00a0b\u2003c\u3000",
    "leading-mark": "\u0338x",
    "piled-marks": "a" + "\u0301" * 40,
    "newline": "a\nPASS tree.hash  example.com/net@v1.4.0",
    "carriage-return": "a\rPASS",
    "line-separator": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "rich-markup": "[bold red]x[/bold red] [link=https://evil.example]y[/link]",
    "markdown-link": "[x](https://evil.example) ![y](https://evil.example/z.png)",
    "markdown-autolink": "<https://evil.example> https://evil.example",
    "markdown-table": "| a | b |\n|---|---|\n| c | d |",
    "markdown-heading": "# h\n\n---\n\n* item\n\n> quote",
    "backticks": "a`b``c```d",
    "only-backticks": "```",
    "backtick-edges": "`a`",
    "code-fence": "```\n<img src=x>\n```",
    "spaces-only": "   ",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "html-attribute": "\" onmouseover=\"alert(1)' x='",
    "html-closing": "</pre></details></body><!-- --><style>*{}</style>",
    "html-entity": "&lt;b&gt; &#60;script&#62;",
    "xml-cdata": "]]><failure/><![CDATA[",
    "xml-entity": "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
    "workflow-command": "::error file=a::pwned",
    "workflow-command-line": "a\n::set-output name=x::y\n::add-mask::z",
    "workflow-property": "a,line=1,title=x::y",
    "workflow-percent": "%0A::error::x%25%3A",
    "legacy-command": "x ##[set-env name=PATH;]/evil ##vso[task.setvariable variable=x]y ###[error]",
    "percent": "%2e%2e/%00/100%",
    "traversal": "../../etc/passwd",
    "scheme": "javascript:alert(1)",
    "double-slash": "//evil.example/x",
    "backslash": "..\\x\\",
    "sarif-link": "[x](1) [y](https://evil.example) {0}",
    "xml-illegal": "a\x00b\x01c\ufffed\uffffe",
    "noncharacter": "a\ufdd0b",
    "lone-surrogate": "a\udcffb\ud800c",
    "surrogate-pair": "\ud83d\ude00",
    "json": '","verdict":"passed","x":"',
    "quotes": "'\"\\",
    "empty": "",
    "long": "a/" * 20_000,
    "long-backticks": "`" * 5_000,
}
# none of these may stand raw in any output; a newline is looked at by each parser
RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
LOG_COMMAND = re.compile(r"##([A-Za-z]+)?\[")
CHECK = Check(id="tree.extra-file", title="a title", meaning="a meaning")


def hostile_report(value: str) -> Report:
    """The value in every field that can carry what somebody else wrote."""

    def finding(outcome: Outcome, exception: str | None = None, subject: str | None = value) -> Finding:
        return Finding(
            check=CHECK,
            outcome=outcome,
            subject=subject,
            message=value,
            file=value,
            place=Place(path=value, line=3),
            details=(Detail(label="found", text=value), Detail(label="locked", text=value)),
            hints=(value,),
            exception=exception,
        )

    bare = Finding(check=CHECK, outcome=Outcome.FAILED, subject=value, message=value)
    return Report(
        command="verify tree",
        subjects=(Subject(name=value, requires=(CHECK.id,)), Subject(name=value + "2", requires=("a.b",))),
        findings=(
            *(finding(outcome) for outcome in Outcome),
            finding(Outcome.FAILED, exception=f"because {value}"),
            finding(Outcome.FAILED, subject=None),
            bare,
        ),
        basis=Basis(detail=value),
        not_locked=(value,),
        weakened=(value,),
        facts=(Detail(label="scope", text=value),),
    )


BENIGN = "x"
attacks = pytest.mark.parametrize("attack", ATTACKS)


def render(fmt: str, value: str) -> str:
    return FORMATS[fmt](hostile_report(value))


# what every format owes


@pytest.mark.parametrize("fmt", FORMATS)
@attacks
def test_nothing_harmful_stands_raw(fmt: str, attack: str) -> None:
    out = render(fmt, ATTACKS[attack])
    assert not RAW.search(out)
    assert not LOG_COMMAND.search(out)
    assert not re.search("[\u0300-\u036f]{4}|[^A-Za-z\u0300-\u036f][\u0300-\u036f]", out) or fmt in {
        "json",
        "sarif",
    }
    out.encode("utf-8")
    assert out.endswith("\n")


@pytest.mark.parametrize("fmt", FORMATS)
@given(report=reports(hostile))
@settings(max_examples=40, deadline=None)
def test_nothing_harmful_stands_raw_whatever_the_text(fmt: str, report: Report) -> None:
    out = FORMATS[fmt](report)
    assert not RAW.search(out)
    assert not LOG_COMMAND.search(out)


# text


@attacks
def test_text_has_our_lines_only(attack: str) -> None:
    value = ATTACKS[attack]
    out = text.render(hostile_report(value), verbose=True)
    starts = r"FAIL |UNKNOWN |EXCEPTED |note |PASS |  (found|locked|file|why|at|except) {2,}|  hint: |weakened: |scope: |basis: |\d+ subjects = "
    lines = out.removesuffix("\n").split("\n")
    assert all(re.match(starts, line) for line in lines)
    # the same shape as with a harmless value: nothing added, nothing swallowed
    if value:
        assert len(lines) == len(
            text.render(hostile_report(BENIGN), verbose=True).removesuffix("\n").split("\n")
        )
    assert lines[-1] == str(hostile_report(value).account)


@attacks
def test_text_never_opens_a_line_with_a_workflow_command(attack: str) -> None:
    for fmt in ("text", "markdown"):
        assert not [
            line for line in render(fmt, ATTACKS[attack]).split("\n") if line.lstrip().startswith("::")
        ]


# json and sarif


def shape(value: Any) -> Any:
    """A JSON value without its strings."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else type(value)


@attacks
def test_json_gives_every_value_back(attack: str) -> None:
    value = ATTACKS[attack]
    document = json.loads(render("json", value))
    assert document["weakened"] == [encodable(value)]
    assert {each["name"] for each in document["subjects"]} == {encodable(value), encodable(value + "2")}
    assert {each["message"] for each in document["findings"]} == {encodable(value)}
    assert document["verdict"] == "failed"
    assert shape(document) == shape(json.loads(render("json", BENIGN)))


@attacks
def test_sarif_uris_are_relative_and_clean(attack: str) -> None:
    value = ATTACKS[attack]
    (run,) = json.loads(render("sarif", value))["runs"]
    assert run["results"]
    for result in run["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        parts = urlsplit(uri)
        assert re.fullmatch(r"(?:[A-Za-z0-9/._~-]|%[0-9A-F]{2}|^file:)+", uri)
        assert parts.scheme in {"", "file"}
        assert parts.netloc == parts.query == parts.fragment == ""
        assert "](" not in result["message"]["text"]
    if value and not value.startswith("/"):
        placed = [r for r in run["results"] if "region" in r["locations"][0]["physicalLocation"]]
        assert unquote(placed[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == encodable(
            value
        )


# junit


@attacks
def test_junit_has_our_elements_only(attack: str) -> None:
    def elements(value: str) -> list[tuple[str, tuple[str, ...]]]:
        root = ET.fromstring(render("junit", value).encode())  # noqa: S314 - the point is that it is safe to
        return [(each.tag, tuple(sorted(each.attrib))) for each in root.iter()]

    value = ATTACKS[attack]
    allowed = {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"}
    assert {tag for tag, _ in elements(value)} <= allowed
    if value:
        assert sorted(elements(value)) == sorted(elements(BENIGN))


@attacks
def test_junit_shows_what_it_had_to_escape(attack: str) -> None:
    root = ET.fromstring(render("junit", ATTACKS[attack]).encode())  # noqa: S314 - the point is that it is safe to
    names = {case.get("classname") for case in root.iter("testcase")}
    assert (terminal(ATTACKS[attack]) or "the run") in names


# github: the runner's grammar, `::name key=value,key=value::data`, one per line

COMMAND = re.compile(r"::([a-z]+) ((?:[a-z]+=[^,:\r\n]*)(?:,[a-z]+=[^,:\r\n]*)*)::([^\r\n]*)")


def commands(out: str) -> list[tuple[str, dict[str, str], str]]:
    found = []
    for line in out.removesuffix("\n").split("\n"):
        match = COMMAND.fullmatch(line)
        assert match, line
        pairs = [each.partition("=") for each in match[2].split(",")]
        properties = {key: unquote(value) for key, _, value in pairs}
        assert len(properties) == len(pairs)
        found.append((match[1], properties, unquote(match[3])))
    return found


@attacks
def test_github_has_our_commands_only(attack: str) -> None:
    value = ATTACKS[attack]
    found = commands(render("github", value))
    assert {name for name, _, _ in found} <= {"error", "warning", "notice"}
    assert all(set(properties) <= {"file", "line", "title"} for _, properties, _ in found)
    assert all(properties.get("line", "3") == "3" for _, properties, _ in found)
    if value:
        plain = commands(render("github", BENIGN))
        assert [(name, set(p), d.count("\n")) for name, p, d in found] == [
            (name, set(p), d.count("\n")) for name, p, d in plain
        ] or len(value) > 4000
        assert found[0][1]["file"] == terminal(value)
    assert found[-1][1]["title"] == "modseal failed"


# markdown


MARKDOWN = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])


def markdown_tokens(out: str) -> list[tuple[str, int]]:
    found = []
    for token in MARKDOWN.parse(out):
        found.append((token.type, token.level))
        found += [(child.type, child.level) for child in token.children or () if child.type != "text"]
    return found


@attacks
def test_markdown_has_our_structure_only(attack: str) -> None:
    value = ATTACKS[attack]
    tokens = markdown_tokens(render("markdown", value))
    blocks = {"heading", "paragraph", "bullet_list", "list_item"}
    allowed = {"inline", "code_inline", "softbreak", "strong_open", "strong_close"}
    allowed |= {f"{each}_{edge}" for each in blocks for edge in ("open", "close")}
    assert {kind for kind, _ in tokens} <= allowed
    if value:
        assert sorted(tokens) == sorted(markdown_tokens(render("markdown", BENIGN)))


@attacks
def test_markdown_text_outside_code_is_ours(attack: str) -> None:
    def outside(value: str) -> list[str]:
        tokens = MARKDOWN.parse(render("markdown", value))
        return sorted(
            child.content for each in tokens for child in each.children or () if child.type == "text"
        )

    if ATTACKS[attack]:
        assert outside(ATTACKS[attack]) == outside(BENIGN)


def test_markdown_code_spans_give_the_text_back() -> None:
    for value in ("a`b", "`", "```", "`a", "a`", " a ", "a b", "a|b", "<b>", "\\`"):
        spans = [
            child.content
            for token in MARKDOWN.parse(render("markdown", value))
            for child in token.children or ()
            if child.type == "code_inline"
        ]
        assert value in spans


# html


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.where: list[str] = []
        self.report = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        self.where.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.where and self.where.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "pre" in self.where:
            self.report += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    unknown_decl = handle_pi = handle_comment


def page(value: str) -> Page:
    parsed = Page()
    parsed.feed(render("html", value))
    parsed.close()
    return parsed


@attacks
def test_html_has_our_elements_only(attack: str) -> None:
    value = ATTACKS[attack]
    parsed = page(value)
    assert {tag for tag, _ in parsed.tags}.isdisjoint(
        {"script", "img", "a", "iframe", "link", "object", "form", "svg"}
    )
    names = {name for _, attributes in parsed.tags for name, _ in attributes}
    assert names <= {"charset", "http-equiv", "content", "name", "lang", "class", "id"}
    if value:
        assert sorted(parsed.tags) == sorted(page(BENIGN).tags)


@attacks
def test_html_embeds_the_same_json(attack: str) -> None:
    value = ATTACKS[attack]
    assert json.loads(page(value).report) == json.loads(render("json", value))


def test_html_policy_allows_the_style_and_nothing_else() -> None:
    import base64
    import hashlib

    out = render("html", BENIGN)
    style = out.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(
        dict(a)["content"] for tag, a in page(BENIGN).tags if tag == "meta" and ("http-equiv" in dict(a))
    )
    assert policy is not None
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "unsafe" not in policy


# the escapes themselves


@pytest.mark.parametrize("char", ["é", "ß", "日", "가", "א", "ع", "न", "🙂", "[", "#", "\\", "e\u0301"])
def test_honest_text_is_left_alone(char: str) -> None:
    assert terminal(f"a{char}b") == f"a{char}b"


@given(hostile)
@settings(deadline=None)
def test_escaping_twice_changes_nothing(value: str) -> None:
    assert terminal(terminal(value)) == terminal(value)


def test_a_long_path_stays_whole_for_machines() -> None:
    value = ATTACKS["long"]
    assert PurePosixPath(json.loads(render("json", value))["findings"][0]["file"]) == PurePosixPath(value)
