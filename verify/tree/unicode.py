r"""Letters, normal forms and case folding of one pinned Unicode version, whatever Python runs.

Python's own tables follow the Python: a name that is in normal form C, or that folds onto another, under one
version might not be under the next, and a verdict would change with the interpreter. So the few facts that
rules about names need are generated from Unicode 15.0.0 (`unicode_tables.py`), and normalisation is done here,
by the algorithm of the standard: decompose, order marks by class, compose. Names made of ASCII never come here.

>>> nfc("e\u0301") == "\xe9", nfc("\u1100\u1161") == "\uac00"
(True, True)
>>> fold_simple("\u212a\xdf"), fold_full("\u212a\xdf")
('kß', 'kss')
>>> is_letter("\xe9"), is_letter("1"), is_assigned("\ufdd0")
(True, False, False)
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

from verify.tree import unicode_tables as tables

# Hangul syllables compose by arithmetic (the standard, section 3.12)
_S, _L, _V, _T = 0xAC00, 0x1100, 0x1161, 0x11A7
_L_COUNT, _V_COUNT, _T_COUNT = 19, 21, 28
_S_COUNT = _L_COUNT * _V_COUNT * _T_COUNT


@dataclass(frozen=True, slots=True)
class _Ranges:
    """A set of code points: the firsts and the lasts of its ranges, both ascending."""

    firsts: tuple[int, ...]
    lasts: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> _Ranges:
        pairs = [word.partition("-") for word in text.split()]
        return cls(
            tuple(int(first, 16) for first, _, _ in pairs),
            tuple(int(last or first, 16) for first, _, last in pairs),
        )

    def __contains__(self, point: int) -> bool:
        at = bisect_right(self.firsts, point) - 1
        return at >= 0 and point <= self.lasts[at]


@cache
def _letters() -> _Ranges:
    return _Ranges.parse(tables.LETTERS)


@cache
def _assigned() -> _Ranges:
    return _Ranges.parse(tables.ASSIGNED)


@cache
def _classes() -> dict[int, int]:
    found: dict[int, int] = {}
    for word in tables.CLASSES.split():
        span, _, number = word.partition("=")
        first, _, last = span.partition("-")
        found.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), int(number, 16)))
    return found


def _mapping(text: str) -> dict[int, str]:
    pairs = (word.partition("=") for word in text.split())
    return {int(key, 16): "".join(chr(int(part, 16)) for part in parts.split(",")) for key, _, parts in pairs}


@cache
def _simple() -> dict[int, str]:
    return _mapping(tables.SIMPLE)


@cache
def _full() -> dict[int, str]:
    return _simple() | _mapping(tables.FULL)


@cache
def _decompositions() -> dict[int, str]:
    """One step each; whoever uses them goes on until nothing decomposes."""
    return _mapping(tables.DECOMPOSITIONS.replace("!", ""))


@cache
def _compositions() -> dict[tuple[str, str], str]:
    kept = " ".join(word for word in tables.DECOMPOSITIONS.split() if "!" not in word)
    return {(pair[0], pair[1]): chr(point) for point, pair in _mapping(kept).items()}


def is_letter(char: str) -> bool:
    """General category L."""
    return ord(char) in _letters()


def is_assigned(char: str) -> bool:
    """A character of the pinned version; private use and surrogates are none."""
    return ord(char) in _assigned()


def fold_simple(text: str) -> str:
    """Simple case folding, one character for one: two texts are equal under it exactly as in Go and CUE."""
    return text.lower() if text.isascii() else text.translate(_simple())


def fold_full(text: str) -> str:
    """Full case folding: one character may become several."""
    return text.lower() if text.isascii() else text.translate(_full())


def fold_canonical(text: str) -> str:
    """Equal for texts that differ only in case or normalisation (canonical caseless matching, D145)."""
    return text.lower() if text.isascii() else nfd(fold_full(nfd(text)))


def _decompose(char: str) -> str:
    index = ord(char) - _S
    if 0 <= index < _S_COUNT:
        syllable, final = divmod(index, _T_COUNT)
        initial, vowel = divmod(syllable, _V_COUNT)
        return chr(_L + initial) + chr(_V + vowel) + (chr(_T + final) if final else "")
    parts = _decompositions().get(ord(char))
    return char if parts is None else "".join(map(_decompose, parts))


def nfd(text: str) -> str:
    """Normal form D."""
    if text.isascii():
        return text
    classes = _classes()
    out: list[str] = []
    marks: list[str] = []  # a run of marks, to be put in the order of their classes
    for char in "".join(map(_decompose, text)):
        if ord(char) in classes:
            marks.append(char)
            continue
        out += sorted(marks, key=lambda mark: classes[ord(mark)])
        marks.clear()
        out.append(char)
    out += sorted(marks, key=lambda mark: classes[ord(mark)])
    return "".join(out)


def _compose(first: str, second: str) -> str | None:
    initial, vowel = ord(first) - _L, ord(second) - _V
    if 0 <= initial < _L_COUNT and 0 <= vowel < _V_COUNT:
        return chr(_S + (initial * _V_COUNT + vowel) * _T_COUNT)
    syllable, final = ord(first) - _S, ord(second) - _T
    if 0 <= syllable < _S_COUNT and syllable % _T_COUNT == 0 and 0 < final < _T_COUNT:
        return chr(ord(first) + final)
    return _compositions().get((first, second))


def nfc(text: str) -> str:
    """Normal form C."""
    if text.isascii():
        return text
    classes = _classes()
    out: list[str] = []
    starter = -1  # where the last starter stands in `out`
    last = 0  # the class of the last character kept after it; 0 when none
    for char in nfd(text):
        own = classes.get(ord(char), 0)
        adjacent = starter == len(out) - 1
        if starter >= 0 and (adjacent or last < own):  # nothing between them blocks
            composed = _compose(out[starter], char)
            if composed is not None:
                out[starter] = composed
                continue
        if own == 0:
            starter = len(out)
        last = own
        out.append(char)
    return "".join(out)
