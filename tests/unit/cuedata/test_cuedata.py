"""Data-only CUE: what is accepted and what it means, what is refused and by which check."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.support.cue_peer import exported
from verify.cuedata.checks import CHECKS
from verify.cuedata.merging import merge
from verify.cuedata.parser import parse
from verify.cuedata.position import Fault
from verify.cuedata.renderer import render
from verify.cuedata.scanner import Scanner
from verify.cuedata.syntax import Bytes, ListValue, Number, Struct, Text
from verify.limits import DEFAULT

VALUES = {
    '"x"': "x", "'x'": b"x", '#"a"b"#': 'a"b', '##"a"#b"##': 'a"#b', '#"\\n\\#n"#': "\\n\n", '#"""#': '"', '""': "",
    '"\\a\\b\\f\\n\\r\\t\\v\\\\\\/\\""': '\a\b\f\n\r\t\v\\/"', "'\\''": b"'", '"\\u00e9\\U0001F600"': "é😀",
    '"\\ud83d\\ude00"': "😀", "'\\ud83d\\ude00'": "😀".encode(), "'\\x00\\xff\\377'": b"\x00\xff\xff", "'é'": "é".encode(),
    '"""\n\tx\n\t"""': "x", '"""\n\t"""': "", '"""\n\n\t"""': "", '"""\n\tx\n\n\t\ty\n\t"""': "x\n\n\ty",
    '#"""\n  "" """ \\n\\#t\n  """#': '"" """ \\n\t', "'''\n  \\xff\n  '''": b"\xff", '"""\r\n\tx\r\n\t"""': "x",
    '"""\na"""\n"""': 'a"""', '"//"': "//",
    "0": 0, "-0": 0, "42": 42, "1_000": 1000, "0x1F": 31, "0Xff": 255, "0b101": 5, "0o17": 15, "1K": 1000, "1Ki": 1024,
    "1.5M": 1500000, "0.5Ki": 512, "2P": 2 * 10**15, "1Pi": 2**50, "-5": -5, "+5": 5, "- 5": -5,
    "123456789012345678901234567890": 123456789012345678901234567890,
    "1.5": Decimal("1.5"), ".5": Decimal("0.5"), "3.": Decimal(3), "1e3": Decimal(1000), "2.5E-1": Decimal("0.25"),
    "true": True, "false": False, "null": None, "[]": [], "[1, 2]": [1, 2], "[1, 2,]": [1, 2], "[1\n2\n]": [1, 2],
    "[\n1,\n[2],\n]": [1, [2]], "{}": {}, "{a: 1, b: 2}": {"a": 1, "b": 2}, "{a: 1\nb: 2\n}": {"a": 1, "b": 2},
    "{\n{a: 1}\nb: 2}": {"a": 1, "b": 2}, "{a: b: c: 1}": {"a": {"b": {"c": 1}}},
    "{if: 1, for: 2, true: 3, null: 4, let: 5}": {"if": 1, "for": 2, "true": 3, "null": 4, "let": 5},
    '{"a b": 1, "#x": 2, "_y": 3, "": 4}': {"a b": 1, "#x": 2, "_y": 3, "": 4}, "{$a: 1, a$: 2}": {"$a": 1, "a$": 2},
    "{a: 1, a: 1}": {"a": 1}, "{a: b: 1, a: c: 2}": {"a": {"b": 1, "c": 2}}, "{a: [{b: 1}], a: [{c: 2}]}": {"a": [{"b": 1, "c": 2}]},
    "{a?: 1}": {}, "{a?: 1, a: 1}": {"a": 1}, "{a!: 1, a: 1}": {"a": 1}, "{_a: 1}": {}, "{a?: b: 1, a: c: 1}": {"a": {"b": 1, "c": 1}},
    "1 @x()": 1, '1 @x(y="a)", [{(1)}])@z()': 1, "{@x()\na: 1}": {"a": 1}, "1 // text": 1, "{ // text\na: 1}": {"a": 1},
    "{é: 1}": {"é": 1}, "{a\n: 1}": {"a": 1}, "{a: 1\n,b: 2}": {"a": 1, "b": 2},
}  # fmt: skip

REFUSED = {
    "cue.not-data": [
        "a: b", "a: _", "a: _|_", "a: (1)", "a: 1 | 2", "a: 1 & 2", "a: *1", "a: 1 + 2", "a: >1", "a: !true", "a: --1",
        "a: -x", "a: [...]", "a: [...1]", "...", "#a: 1", "_#a: 1", "a: #b", "[string]: 1", "[1]", 'a: "\\(1)"',
        "a: '\\(1)'", "let x = 1", "for x in [] {a: 1}", "if true {a: 1}", 'import "x"', "package p", "a", '"a"', "_: 1",
        "(a): 1", "a: len(1)", "a: b.c", "@experiment(x)\na: 1", "@if(x)\na: 1", "@extern(embed)\na: 1", "a: 1 =~ 2",
        "a: x.y", "a: [for x in [] {x}]", "a: {if true {b: 1}}",
    ],
    "cue.syntax": [
        "}", "a:", "a: 1 b: 2", "a: 1,, b: 2", ",", "a: {,}", "a: [,]", "a: [1 2]", "a: [1", "a: {b: 1", "a: 1]",
        'a: "x', 'a: "x\n"', "a: 'x", 'a: "\\q"', 'a: "\\x41"', 'a: "\\101"', "a: '\\400'", 'a: "\\u12"', 'a: "\\ud83d"',
        'a: "\\ude00"', 'a: "\\U00110000"', 'a: """x"""', 'a: """\n x\n  """', 'a: """\nx', "a: `",
        "a: 5 6", "5: 1", "a: @x()", "a: 1 @x", "a: 1 @x(", "a: 1 @x(])", "a: 1 @x(`)", "'a': 1", '#"a"#: 1', '"a\\/b": 1',
        '"\\ud83d\\ude00": 1', "__a: 1", "try: 1", "a: {5}", "a?", "a?: ", "a ?? : 1", "a: 1;", 'a: "x" "y"', "é^: 1",
        'a: "\r"', 'a: """\n\tx\ry\n\t"""', "²: 1", 'a: "\\\n"', "a#: 1",
    ],
    "cue.number": ["a: 00", "a: 01", "a: 1__0", "a: 1_", "a: 0x", "a: 0b2", "a: 1.0001K", "a: 1e", "a: 1a", "a: 1.5.2", "a: 1e99999", "a: " + "9" * 1001],
    "cue.encoding": ["a: \0", 'a: "\0"', "a: 1 // \ufeff"],
    "cue.conflict": ["a: 1, a: 2", "a: 1, a: 1.0", "a: 1, a: {}", "a: [1], a: [1, 2]", "a: \"x\", a: 'x'", "a?: 1, a: 2", "_a: 1, _a: 2", "a: true, a: 1", "a: [1, {b: 1}], a: [1, {b: 2}]"],
    "cue.required": ["a!: 1", "a: b!: 1"],
    "cue.depth": ["a: " + "[" * 65, "a: " * 65 + "1", "a: " + "{a: " * 65, "{" * 65, "a: 1 @x(" + "(" * 65],
}  # fmt: skip
ROWS = [(check, document) for check, documents in REFUSED.items() for document in documents]


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str) -> None:
    wanted = VALUES[text]
    value = merge(parse(f"a: {text}\n".encode())).fields[0].value
    if isinstance(wanted, bytes):
        assert value == Bytes(wanted)
    else:
        found = exported(value)
        assert (found, isinstance(found, bool)) == (wanted, isinstance(wanted, bool))


@pytest.mark.parametrize(("check", "document"), ROWS)
def test_refusals(check: str, document: str) -> None:
    with pytest.raises(Fault) as caught:
        merge(parse(document.encode()))
    assert caught.value.check == check, str(caught.value)
    assert caught.value.position.line >= 1
    assert caught.value.position.column >= 1


def test_every_check_is_documented_and_met() -> None:
    assert {check.id for check in CHECKS} == {*REFUSED, "cue.size"}


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("a: 1\nb: é, c: d\n", "2:4"), ("a: {\n\tb: [1, x]\n}\n", "2:9"), ('a: "é\\q"', "1:7"),
        ('a: """\n\tx\n\t\\q\n\t"""', "3:3"), ("a: 1\n\n}", "3:1"), ("\ufeffa: b", "1:4"), ("a: 1 @x(\n)\nb: c", "3:4"),
        ('a: """\n\t"""\nb: c', "3:4"), ("a: {", "1:5"), ("a: 1\r\nb: c", "2:4"),
    ],
)  # fmt: skip
def test_errors_name_line_and_column(document: str, place: str) -> None:
    with pytest.raises(Fault, match=rf"^{place}: "):
        parse(document.encode())


def test_other_bytes_than_utf8_are_refused_where_they_stand() -> None:
    with pytest.raises(Fault, match=r"^2:6: ") as caught:
        parse('a: "é"\nb: "é'.encode() + b'\xff"')
    assert caught.value.check == "cue.encoding"


def test_limits_are_the_callers() -> None:
    small = replace(DEFAULT, document_bytes=8, document_depth=1, document_number=3)
    for document, check in (
        ("a: 12345678", "cue.size"),
        ("a:{b:[]}", "cue.depth"),
        ("a: 1000", "cue.number"),
    ):
        with pytest.raises(Fault) as caught:
            parse(document.encode(), limits=small)
        assert caught.value.check == check
    deep = replace(DEFAULT, document_depth=10**9)
    with pytest.raises(Fault, match="nested more than 128 deep"):
        parse(b"a: " + b"[" * 1_000_000, limits=deep)


@pytest.mark.parametrize(
    "document", ["a: " + "[" * 127 + "]" * 127, "a: " * 128 + "1", "{a: " * 127 + "1" + "}" * 127]
)
def test_the_deepest_document_can_be_used(document: str) -> None:
    struct = parse(document.encode(), limits=replace(DEFAULT, document_depth=1000))
    assert parse(render(merge(struct)).encode(), limits=replace(DEFAULT, document_depth=1000)) == struct
    assert repr(struct)


def test_positions_and_repeated_fields_are_kept() -> None:
    struct = parse(b'a: 1\na: b: "x"\n')
    assert [(field.label, field.position) for field in struct.fields] == [("a", (1, 1)), ("a", (2, 1))]
    inner = struct.fields[1].value
    assert isinstance(inner, Struct)
    assert inner.fields[0].position == (2, 4)
    assert inner.fields[0].value == Text("x")


def test_numbers_keep_their_spelling_and_are_equal_by_value() -> None:
    one, other = (parse(text).fields[0].value for text in (b"a: 1K", b"a: 1000"))
    assert one == other
    assert isinstance(one, Number)
    assert (one.text, one.integer) == ("1K", True)
    assert parse(b"a: 1").fields[0].value != parse(b"a: 1.0").fields[0].value


def test_rendering_escapes_what_cannot_be_seen() -> None:
    text = render(parse(b'"\\u202e": "\\u0000\\u200b\\ufeff", if: [], b: \'\\xff\\\'a\''))
    assert text == '"\\u202e": "\\u0000\\u200b\\ufeff"\n"if": []\nb: \'\\xff\\x27a\'\n'


@pytest.mark.parametrize(
    "unit",
    [
        "a: 1\n",
        "a: {b: [1, 2]}\n",
        '"a": """\n\t""\n\t"""\n',
        "a: 1 @x(y, [z])\n",
        "// text\n",
        "\n\n\r\n",
        'a: ##""#"##\n',
    ],
)
def test_work_grows_with_the_size_and_no_faster(unit: str) -> None:
    """Tokens are counted, not seconds: a scanner that went back would hand out more."""
    small, large = (sum(1 for _ in Scanner(unit * count).rest()) for count in (50, 500))
    assert large - 1 == 10 * (small - 1)


def test_a_long_list_is_no_deep_one() -> None:
    value = parse(b"a: [" + b"1," * 50_000 + b"]").fields[0].value
    assert isinstance(value, ListValue)
    assert len(value.items) == 50_000
