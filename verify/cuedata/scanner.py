r"""Tokens of a CUE document, with CUE's rule for commas that nobody wrote.

A newline, a comment or the end of the document counts as a comma when the token before it could end a field
or an element, except where the next token is itself a comma or a colon.

>>> [token.kind for token in Scanner('a: 1\nb: "x" // text').rest()]
['name', ':', 'number', 'comma', 'name', ':', 'string', 'comma', 'end']

One pass, no backtracking: every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from verify.cuedata.literal import NUMBER, BadLiteral, read_number, read_string
from verify.cuedata.position import Fault, Position
from verify.cuedata.syntax import Bytes, Number, Scalar, Text
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = re.compile(r"[ \t\r]*")
_BLANK_LINES = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"(?:_\|_)|_?#?[\w$]*")
_PLAIN = re.compile(r'"[^"\\\n\r]*"')
_NUMBER_LIKE = re.compile(r"[\w.]+(?:(?<=[eE])[+-][\w]+)?")
_PUNCTUATION = re.compile(r"\.\.\.|<-|<=|>=|==|=~|!=|!~|&&|\|\||[-+*/.,:;?!~=<>&|(){}\[\]]")
_ATTRIBUTE = re.compile(r"@[\w$]*\(")
_QUOTES = re.compile(r"#*[\"']")
# a quoted label is read by other rules than a string: these spellings are no label
_LABEL = re.compile(r'"(?:[^\\]|\\[^/uU]|\\u(?![dD][89a-fA-F])|\\U(?!0000[dD][89a-fA-F]))*"')
_ENDING = frozenset((")", "]", "}", "?", ";", "...", "name", "string", "number", "attribute"))
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """One token. `label` tells whether a string could also be a label."""

    kind: str
    text: str
    position: Position
    value: Scalar | None = None
    label: bool = False


class Scanner:
    """Hands out the tokens of a text one by one."""

    def __init__(self, text: str, limits: Limits = DEFAULT) -> None:
        self._text = text
        self._limits = limits
        self._at = 0
        self._line = 1
        self._line_start = 0
        self._comma_due = False

    def rest(self) -> Iterator[Token]:
        """All that is left, the end included."""
        while True:
            token = self.next()
            yield token
            if token.kind == "end":
                return

    def next(self) -> Token:
        """The next token. Raises Fault."""
        comma = self._skip_blank()
        if comma is not None:
            return comma
        text, at = self._text, self._at
        if at == len(text):
            return Token("end", "", self._position(at))
        token = self._word(at) or self._string(at) or self._punctuation(at)
        self._comma_due = token.kind in _ENDING
        return token

    def _skip_blank(self) -> Token | None:
        """Past white space and comments; the comma that stands there unwritten, if one does."""
        text = self._text
        while True:
            at = _blank_end(text, self._at)
            self._at = at
            newline = text.startswith("\n", at)
            comment = text.startswith("//", at)
            if self._comma_due and (newline or comment or at == len(text)):
                self._comma_due = False
                comma = Token("comma", "\n", self._position(at))
                if not newline:
                    return comma
                self._skip_lines()
                if text[self._at : self._at + 1] not in {",", ":"}:
                    return comma
            elif newline:
                self._skip_lines()
            elif comment:
                end = text.find("\n", at)
                self._at = len(text) if end < 0 else end
            else:
                return None

    def _skip_lines(self) -> None:
        match = _BLANK_LINES.match(self._text, self._at)
        self._move(match.end() if match else self._at)

    def _move(self, end: int) -> None:
        """To `end`, counting the lines on the way."""
        lines = self._text.count("\n", self._at, end)
        if lines:
            self._line += lines
            self._line_start = self._text.rindex("\n", self._at, end) + 1
        self._at = end

    def _position(self, at: int) -> Position:
        return Position(self._line, at - self._line_start + 1)

    def fault(self, offset: int, message: str, check: str = "cue.syntax", hint: str | None = None) -> Fault:
        """An error at an offset."""
        line = self._text.count("\n", 0, offset) + 1
        column = offset - (self._text.rfind("\n", 0, offset) + 1) + 1
        return Fault(Position(line, column), message, check=check, hint=hint)

    def _word(self, at: int) -> Token | None:
        char = self._text[at]
        if "0" <= char <= "9" or (char == "." and self._text[at + 1 : at + 2].isdecimal()):
            return self._number(at)
        match = _NAME.match(self._text, at)
        name = match[0] if match else ""
        if not name or name == "#":
            return None
        if not name.isascii():
            self._check_letters(at, name)
        if self._text.startswith("#", at + len(name)):
            raise self.fault(at, f"{name}# is not a name")
        token = Token("name", name, self._position(at))
        self._at = at + len(name)
        return token

    def _check_letters(self, at: int, name: str) -> None:
        # letters as Unicode 3.2 knew them, so that every Python reads the same; newer ones can be quoted
        for offset, char in enumerate(name):
            category = unicodedata.ucd_3_2_0.category(char)
            if not (char.isascii() or category[0] == "L" or category == "Nd"):
                raise self.fault(at + offset, f"character {char!r} cannot stand in a name", hint="quote it")

    def _number(self, at: int) -> Token:
        match = _NUMBER_LIKE.match(self._text, at)
        spelling = match[0] if match else ""
        value = read_number(spelling, self._limits.document_number)
        if value is None:
            why = "too long or not exact" if NUMBER.fullmatch(spelling) else "misspelt"
            raise self.fault(at, f"number {spelling[:40]} is {why}", "cue.number")
        position = self._position(at)
        self._at = at + len(spelling)
        return Token("number", spelling, position, Number(value[0], value[1], spelling, position))

    def _string(self, at: int) -> Token | None:
        position = self._position(at)
        plain = _PLAIN.match(self._text, at)
        if plain is not None and not self._text.startswith('"""', at):
            self._at = plain.end()
            return Token("string", plain[0], position, Text(plain[0][1:-1], position), label=True)
        if not _QUOTES.match(self._text, at):
            return None
        try:
            value, end = read_string(self._text, at)
        except BadLiteral as bad:
            if bad.interpolation:
                raise self.fault(bad.offset, "interpolation is not data", "cue.not-data") from None
            raise self.fault(bad.offset, bad.message) from None
        spelling = self._text[at:end]
        label = _LABEL.fullmatch(spelling) is not None and not spelling.startswith('"""')
        self._move(end)
        made = Text(value, position) if isinstance(value, str) else Bytes(value, position)
        return Token("string", spelling, position, made, label)

    def _punctuation(self, at: int) -> Token:
        if self._text[at] == "@":
            return self._attribute(at)
        match = _PUNCTUATION.match(self._text, at)
        if match is None or (match[0] != "..." and self._text.startswith("..", at)):
            raise self.fault(at, f"character {self._text[at]!r} has no meaning here")
        self._at = match.end()
        kind = "comma" if match[0] == "," else match[0]
        return Token(kind, match[0], self._position(at))

    def _attribute(self, at: int) -> Token:
        """`@name(…)`: whatever is balanced. Attributes inside count as brackets, so nothing recurses."""
        opening = self._attribute_opening(at)
        position = self._position(at)
        self._at = opening
        due = [")"]
        while due:
            if len(due) > self._limits.document_depth:
                raise self.fault(self._at, "attribute is nested too deeply", "cue.depth")
            self._skip_blank_in_attribute()
            inner = self._at
            if self._text.startswith("@", inner):
                self._at = self._attribute_opening(inner)
                due.append(")")
                continue
            token = self.next()
            if token.kind == "end":
                raise self.fault(at, f"attribute is not closed: expected {due[-1]}")
            if token.kind in _CLOSERS:
                due.append(_CLOSERS[token.kind])
            elif token.kind in _CLOSERS.values() and due.pop() != token.kind:
                raise self.fault(inner, f"unexpected {token.kind} in an attribute")
        return Token("attribute", self._text[at : self._at], position)

    def _skip_blank_in_attribute(self) -> None:
        self._comma_due = False
        self._skip_blank()

    def _attribute_opening(self, at: int) -> int:
        match = _ATTRIBUTE.match(self._text, at)
        if match is None:
            raise self.fault(at, "attribute: expected @name(…)")
        return match.end()


def _blank_end(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
