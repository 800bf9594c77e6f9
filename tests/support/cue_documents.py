"""Random CUE documents: data in every spelling there is, and documents that are nearly data.

A document is made from a seeded generator, so that a failure can be made again from its number.
"""

from __future__ import annotations

import random

KEYWORDS = ("true", "false", "null", "if", "for", "let", "in", "func", "else", "otherwise", "fallback", "try")
NAMES = ("a", "b", "c", "d1", "$x", "a_b", "_h", "é", "package", "import")
SPACES = ("", " ", "\t", "  ", " \n", "\n\n", " // text\n", "\r\n")
NUMBERS = (
    "0", "1", "42", "1_000", "0x1F", "0Xab", "0b101", "0o17", "1.5", ".25", "3.", "1e3", "1E-2", "2.5e+1", "1K",
    "2Ki", "1.5M", "0.5Ki", "7G", "1T", "1Pi", "12345678901234567890123", "0K", "0e0", "0.0", "00", "01", "1__0",
    "1_", "0x", "0b2", "1.0001K", "1e", "1a", "1.5.2", "0_1", "01.5", "123456789012345678901234567890123456.5Ki",
)  # fmt: skip
ESCAPES = (
    r"\n", r"\t", r"\\", r"\/", r"\"", r"\'", r"\u00e9", r"\U0001F600", r"\ud83d\ude00", r"\ud83d", r"\x41", r"\101",
    r"\400", r"\(1)", r"\q", r"\u12", r"\U00110000", r"\a", r"\b", r"\f", r"\r", r"\v", r"\u0000", "\\\n", r"\xff",
)  # fmt: skip
CHARACTERS = (
    "a",
    "b c",
    "é",
    "日",
    "😀",
    "#",
    "'",
    '"',
    "\\",
    "\t",
    "{",
    "//",
    "\u202e",
    "\u2028",
    "\x7f",
    "\ufffd",
)
NEAR = (
    "x", "(1)", "1 | 2", "*1", "_|_", "_", "[...]", "1 & 1", "!true", "a.b", "len(1)", "-x", "--1", ">1", "@x()",
    "{...}", "{5}", "[for x in [] {x}]", "{if true {a: 1}}", '-"x"', "+5", "- 5", "-\n5", "1 1", ",", ";", "`",
)  # fmt: skip
ATTRIBUTES = (
    "@x()", '@x(a,b="c)")', "@x([{(1)}])", "@x(@y(1))", "@x(//c\n)", "@x", "@x(", "@x(])", "@()", "@go(A, type=[]b)",
    "@x('a')", "@x(1a)", '@x("\\(1)")',
)  # fmt: skip
DECLARATIONS = (
    "#D: 1", "_#D: 1", "let y = 1", "...", "[string]: 1", '"\\(x)": 1', "X=a: 1", "for x in [] {a: 1}", "if true {a: 1}",
    'import "strings"', "package p", "a: 1 b: 2", "a?: 1", "a!: 1", "a!: 1, a: 1", "a?: 2, a: 1", "a ?: 1", "5: 1",
    "{a: 1}", "{}", '"x"', "'a': 1", '#"a"#: 1', "a.b: 1", "a~X: 1", "__a: 1", "_: 1", "a = 1", "a",
)  # fmt: skip


class Documents:
    """Makes documents; `near` is how often something is put in that is not data or not CUE."""

    def __init__(self, seed: int, near: float = 0.0) -> None:
        self._random = random.Random(seed)  # test data
        self._near = near

    def document(self) -> bytes:
        body = self._fields(self._random.randint(0, 5), 0)
        head = self._random.choice(("", "", "", "\ufeff", "// text\n", "@x()\n", "\n\n"))
        return (head + body).encode()

    def _odd(self) -> bool:
        return self._random.random() < self._near

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _space(self) -> str:
        return self._pick(*SPACES) if self._random.random() < 0.2 else " "

    def _fields(self, count: int, depth: int) -> str:
        out = ""
        for _ in range(count):
            if self._odd():
                out += self._pick(*DECLARATIONS)
            elif self._random.random() < 0.05:
                out += "{" + self._fields(2, depth + 1) + "}"
            else:
                out += self._field(depth)
            out += self._pick("\n", "\n", "\n", ",", ", ", ",\n", "\n,\n", " // text\n")
        return out if self._random.random() < 0.8 else out.rstrip("\n, ")

    def _field(self, depth: int) -> str:
        labels = "".join(
            self._label()
            + self._pick(":", ":", ":", ":", ":", "?:", ":" if self._random.random() < 0.9 else "!:")
            + self._space()
            for _ in range(self._random.choice((1, 1, 1, 2, 3)))
        )
        attributes = ""
        while self._random.random() < 0.08:
            attributes += " " + (self._pick(*ATTRIBUTES) if self._near else ATTRIBUTES[0])
        return labels + self._value(depth) + attributes

    def _label(self) -> str:
        what = self._random.random()
        if what < 0.6:
            return self._pick(*NAMES[:-2])
        if what < 0.75:
            return self._pick(*KEYWORDS, *NAMES)
        return (
            '"'
            + self._pick(
                "x", "a b", "a-b", "_q", "#q", "", "é", "\\u0061", "\\\\/", "\\/", "\\n", "\\ud83d\\ude00"
            )
            + '"'
        )

    def _value(self, depth: int) -> str:
        if self._odd():
            return self._pick(*NEAR)
        what = self._random.random()
        if depth < 4 and what < 0.15:
            return "{" + self._space() + self._fields(self._random.randint(0, 3), depth + 1) + "}"
        if depth < 4 and what < 0.3:
            return self._list(depth)
        if what < 0.5:
            sign = self._pick("", "", "-", "+")
            return sign + (self._pick(*NUMBERS) if self._near else self._pick(*NUMBERS[:24]))
        if what < 0.6:
            return self._pick("true", "false", "null")
        return self._string()

    def _list(self, depth: int) -> str:
        out = "[" + self._space()
        for _ in range(self._random.randint(0, 3)):
            out += self._value(depth + 1) + self._pick(",", ", ", "\n", ",\n")
        return (out.rstrip(",\n ") if self._random.random() < 0.5 else out) + "]"

    def _string(self) -> str:
        hashes = "#" * self._random.choice((0, 0, 0, 1, 2))
        quote = self._pick('"', '"', "'")
        if self._random.random() < 0.3:
            return self._lines(hashes, quote)
        return hashes + quote + self._content(hashes, quote) + quote + hashes

    def _lines(self, hashes: str, quote: str) -> str:
        indent = self._pick("", "\t", "  ")
        newline = "\r\n" if self._random.random() < 0.05 else "\n"
        out = hashes + quote * 3 + newline
        for _ in range(self._random.randint(0, 3)):
            inner = "" if self._odd() else indent
            line = self._content(hashes, quote)
            out += (inner + line if line or self._odd() else self._pick("", indent)) + newline
        return out + indent + quote * 3 + hashes

    def _content(self, hashes: str, quote: str) -> str:
        out = ""
        for _ in range(self._random.randint(0, 4)):
            if self._random.random() < 0.3:
                escape = self._pick(*ESCAPES) if self._near else self._pick(*ESCAPES[:4])
                out += escape.replace("\\", "\\" + hashes, 1)
            else:
                char = self._pick(*CHARACTERS)
                safe = self._near or (char not in {quote, "\\"})
                out += char if safe else "a"
        return out
