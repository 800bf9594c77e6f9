r"""CUE's strings and numbers: from their spelling to their value.

Strings are `"text"` or `'bytes'`, either raw behind any number of `#`, either over several lines:

1. Behind n hashes the closing quote needs n hashes too, and an escape is a backslash and n hashes.
2. Escapes are \a \b \f \n \r \t \v \\ \/ \uXXXX \UXXXXXXXX and the quote itself, in bytes also \xXX and \ooo.
   Surrogates count only in pairs. `\(` would be an interpolation, which is not data.
3. Three quotes and a newline open a string over several lines; three quotes first on their line close it. The
   white space before them is taken from every line, and every line that is not empty must have it. The last
   newline does not belong to the string.

>>> read_string('#"a\\#n"# ', 0)
('a\n', 8)
>>> read_string("'\\xff'", 0)
(b'\xff', 6)
>>> read_number("1.5Ki", 64)
(Decimal('1536'), True)
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import NamedTuple

_DIGITS = r"[0-9](?:_?[0-9])*"
NUMBER = re.compile(
    rf"""0[xX](?P<hex>[0-9a-fA-F](?:_?[0-9a-fA-F])*)
    | 0b(?P<bin>[01](?:_?[01])*)
    | 0o(?P<oct>[0-7](?:_?[0-7])*)
    | (?P<mantissa>(?:0(?![0-9_])|[1-9](?:_?[0-9])*)(?P<fraction>\.(?:{_DIGITS})?)?|\.{_DIGITS})
      (?:(?P<multiplier>[KMGTP]i?)|(?P<exponent>[eE][+-]?{_DIGITS}))?""",
    re.VERBOSE,
)
_POWERS = {letter: power for power, letter in enumerate("KMGTP", start=1)}
_BASES = {"hex": 16, "bin": 2, "oct": 8}
_EXPONENT_DIGITS = 4  # 1e9999 is as far as anyone goes by mistake
_MULTIPLIED_DIGITS = 34  # CUE multiplies with this precision, and rounds beyond it

_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "/": "/"}
_HEX = re.compile(r"[0-9a-fA-F]+")
_OCTAL = re.compile(r"[0-3][0-7]{2}")
_INDENT = re.compile(r"[ \t]*")
_STOPS = {'"': re.compile(r'["\\\n\r]'), "'": re.compile(r"['\\\n\r]")}


class BadLiteral(Exception):  # never leaves this package: the scanner gives it a position
    """What is wrong, and at which offset."""

    def __init__(self, offset: int, message: str, *, interpolation: bool = False) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.interpolation = interpolation


class _Quote(NamedTuple):
    char: str
    hashes: str

    @property
    def lead(self) -> str:
        return "\\" + self.hashes


def read_string(text: str, at: int) -> tuple[str | bytes, int]:
    """The value of the string that begins at `at`, and the offset behind it. Raises BadLiteral."""
    start = at
    while text.startswith("#", at):
        at += 1
    quote = _Quote(text[at], text[start:at])
    if text.startswith(quote.char * 3, at):
        inner = at + 3
        if quote.hashes and text.startswith(quote.hashes, inner):
            return _joined(quote, [quote.char]), inner + len(quote.hashes)  # #"""# is one quote
        for newline in ("\n", "\r\n"):
            if text.startswith(newline, inner):
                return _read_lines(text, start, inner + len(newline), quote)
        raise BadLiteral(start, f"expected a newline after {quote.char * 3}")
    end = _end_of_line_string(text, start, at + 1, quote)
    return _joined(quote, _decoded(text, at + 1, end, quote)), end + 1 + len(quote.hashes)


def _end_of_line_string(text: str, start: int, at: int, quote: _Quote) -> int:
    closing = quote.char + quote.hashes
    stops = _STOPS[quote.char]
    while stop := stops.search(text, at):
        found = stop.start()
        if stop[0] == quote.char:
            if text.startswith(closing, found):
                return found
            at = found + 1
        elif stop[0] == "\\":
            at = found + len(quote.lead) + 1 if text.startswith(quote.lead, found) else found + 1
            if text[at - 1 : at] == "\n":
                break
        else:
            break
    raise BadLiteral(start, "string is not closed on its line")


def _read_lines(text: str, start: int, at: int, quote: _Quote) -> tuple[str | bytes, int]:
    closing = quote.char * 3 + quote.hashes
    lines: list[tuple[int, int]] = []
    while True:
        indent = _INDENT.match(text, at)
        edge = indent.end() if indent else at
        if text.startswith(closing, edge):
            break
        end = text.find("\n", at)
        if end < 0:
            raise BadLiteral(start, f"string is not closed: expected {closing} first on a line")
        lines.append((at, end))
        at = end + 1
    space = text[at:edge]
    pieces: list[str | bytes] = []
    for number, (begin, end) in enumerate(lines):
        if number:
            pieces.append("\n")
        stop = end - 1 if text.startswith("\r", end - 1) and end > begin else end
        if (inside := text.find("\r", begin, stop)) >= 0:
            raise BadLiteral(inside, "carriage return inside a string")
        if text.startswith(space, begin) and stop >= begin + len(space):
            pieces.extend(_decoded(text, begin + len(space), stop, quote))
        elif end > begin:  # an empty line needs no white space; one that holds only a CR is not empty
            raise BadLiteral(begin, "line does not begin with the white space before the closing quotes")
    return _joined(quote, pieces), edge + len(closing)


def _decoded(text: str, at: int, end: int, quote: _Quote) -> list[str | bytes]:
    pieces: list[str | bytes] = []
    lead = quote.lead
    while (found := text.find(lead, at, end)) >= 0:
        pieces.append(text[at:found])
        piece, at = _escape(text, found + len(lead), end, quote)
        pieces.append(piece)
    pieces.append(text[at:end])
    return pieces


def _escape(text: str, at: int, end: int, quote: _Quote) -> tuple[str | bytes, int]:
    char = text[at] if at < end else ""
    if char == quote.char or (char and char in _SIMPLE):
        return _SIMPLE.get(char, char), at + 1
    if char in {"u", "U"}:
        point, after = _point(text, at, end)
        if 0xD800 <= point < 0xDC00 and text.startswith(quote.lead, after):
            low, after = _low_surrogate(text, after + len(quote.lead), end)
            return chr(0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00)), after
        if 0xD800 <= point < 0xE000:
            raise BadLiteral(at, "surrogate without its other half")
        return chr(point), after
    if char == "(":
        raise BadLiteral(at, "interpolation", interpolation=True)
    if quote.char == "'" and char == "x":
        return bytes([_hexadecimal(text, at + 1, 2, end)]), at + 3
    if quote.char == "'" and (octal := _OCTAL.match(text, at, end)):
        return bytes([int(octal[0], 8)]), at + 3
    raise BadLiteral(at, f"unknown escape \\{char}")


def _point(text: str, at: int, end: int) -> tuple[int, int]:
    width = 4 if text[at] == "u" else 8
    point = _hexadecimal(text, at + 1, width, end)
    if point > 0x10FFFF:
        raise BadLiteral(at, "escape beyond the last Unicode character")
    return point, at + 1 + width


def _low_surrogate(text: str, at: int, end: int) -> tuple[int, int]:
    if at < end and text[at] in "uU":
        low, after = _point(text, at, end)
        if 0xDC00 <= low < 0xE000:
            return low, after
    raise BadLiteral(at, "surrogate without its other half")


def _hexadecimal(text: str, at: int, width: int, end: int) -> int:
    digits = text[at : min(at + width, end)]
    if len(digits) != width or not _HEX.fullmatch(digits):
        raise BadLiteral(at, f"expected {width} hex digits in an escape")
    return int(digits, 16)


def _joined(quote: _Quote, pieces: list[str | bytes]) -> str | bytes:
    if quote.char == "'":
        return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    return "".join(piece for piece in pieces if isinstance(piece, str))


def read_number(text: str, longest: int) -> tuple[Decimal, bool] | None:
    """The value of a spelling, and whether it is an integer; None where it has none or is longer than `longest`."""
    match = NUMBER.fullmatch(text)
    if match is None or len(text) > longest:
        return None
    for name, base in _BASES.items():
        if match[name]:
            return Decimal(int(match[name], base)), True
    mantissa = Decimal(match["mantissa"].replace("_", ""))
    if match["multiplier"]:
        return _multiplied(mantissa, match["multiplier"])
    if exponent := match["exponent"]:
        if len(exponent.strip("eE+-").replace("_", "").lstrip("0")) > _EXPONENT_DIGITS:
            return None
        return Decimal((match["mantissa"] + exponent).replace("_", "")), False
    return mantissa, match["fraction"] is None and not match["mantissa"].startswith(".")


def _multiplied(mantissa: Decimal, multiplier: str) -> tuple[Decimal, bool] | None:
    step = 1024 if multiplier.endswith("i") else 1000
    exactly = Context(prec=_MULTIPLIED_DIGITS, traps=[Inexact, InvalidOperation])
    try:
        product = exactly.multiply(mantissa, Decimal(step ** _POWERS[multiplier[0]]))
        return exactly.to_integral_exact(product), True
    except (Inexact, InvalidOperation):
        return None
