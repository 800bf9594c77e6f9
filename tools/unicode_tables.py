"""Writes verify/tree/unicode_tables.py from one pinned Unicode version.

The source is the package unicodedata2 at that version, so the Python that runs this does not matter; under any
other version this program refuses to run. The database has no simple case folding. It follows from what is
there: where full folding or lower-casing gives one character, that character is the simple folding (statuses C
and S of CaseFolding.txt); Go's unicode.SimpleFold agrees. Those two are the running Python's own: foldings of
assigned characters never change, and characters that the pinned version does not assign are left out.

    python tools/unicode_tables.py            write the file
    python tools/unicode_tables.py --check    exit 1 where the file differs

Exit 3 says that another Unicode version is installed.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import unicodedata2 as unicodedata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PINNED = "15.0.0"
TARGET = Path(__file__).resolve().parent.parent / "verify" / "tree" / "unicode_tables.py"
HANGUL = range(0xAC00, 0xAC00 + 11172)
POINTS = [point for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
ASSIGNED = [point for point in POINTS if unicodedata.category(chr(point)) != "Cn"]

HEADER = '''"""Character data of Unicode {version}, written by tools/unicode_tables.py. Do not edit.

Numbers are hexadecimal. A range is `first-last`, or one number. `unicode.py` reads these texts at first use.
"""

from typing import Final

VERSION: Final = "{version}"
'''


def ranges(holds: Callable[[int], bool]) -> str:
    """The code points for which `holds`, as ranges."""
    spans: list[list[int]] = []
    for point in filter(holds, POINTS):
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return " ".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in spans)


def classes() -> str:
    """Canonical combining classes other than 0: `range=class`."""
    spans: list[list[int]] = []
    for point in POINTS:
        number = unicodedata.combining(chr(point))
        if not number:
            continue
        if spans and spans[-1][1:] == [point - 1, number]:
            spans[-1][1] = point
        else:
            spans.append([point, point, number])
    return " ".join(f"{a:x}={c:x}" if a == b else f"{a:x}-{b:x}={c:x}" for a, b, c in spans)


def decompositions() -> str:
    """One-step canonical decompositions: `point=part` or `point=part,part`, `!` where never composed again."""
    words = []
    for point in POINTS:
        parts = unicodedata.decomposition(chr(point))
        if not parts or parts.startswith("<") or point in HANGUL:
            continue
        mark = "" if unicodedata.normalize("NFC", chr(point)) == chr(point) else "!"
        words.append(f"{point:x}{mark}=" + ",".join(f"{int(part, 16):x}" for part in parts.split()))
    return " ".join(words)


def simple_foldings() -> str:
    """`point=folded` for statuses C and S."""
    words = []
    for point in ASSIGNED:
        char = chr(point)
        folded = char.casefold()
        if len(folded) != 1:
            folded = char.lower()
        if len(folded) == 1 and folded != char:
            words.append(f"{point:x}={ord(folded):x}")
    return " ".join(words)


def full_foldings() -> str:
    """`point=folded,folded` for status F."""
    return " ".join(
        f"{point:x}=" + ",".join(f"{ord(each):x}" for each in chr(point).casefold())
        for point in ASSIGNED
        if len(chr(point).casefold()) > 1
    )


def assignment(name: str, doc: str, text: str) -> Iterable[str]:
    """One constant, wrapped."""
    yield f"\n# {doc}\n"
    yield f'{name}: Final = """\n'
    yield from (line + "\n" for line in textwrap.wrap(text, 180, break_long_words=False))
    yield '"""\n'


def render() -> str:
    """The whole file."""
    assigned = ranges(lambda point: unicodedata.category(chr(point)) not in {"Cn", "Co"})
    letters = ranges(lambda point: unicodedata.category(chr(point)).startswith("L"))
    return "".join(
        (
            HEADER.format(version=PINNED),
            *assignment("ASSIGNED", "assigned characters, private use left out", assigned),
            *assignment("LETTERS", "general category L", letters),
            *assignment("CLASSES", "canonical combining class: range=class", classes()),
            *assignment(
                "DECOMPOSITIONS", "canonical, Hangul left out; `!` is never composed", decompositions()
            ),
            *assignment("SIMPLE", "simple case folding (C and S)", simple_foldings()),
            *assignment("FULL", "full case folding where it is longer than one (F)", full_foldings()),
        )
    )


def main(arguments: list[str]) -> int:
    """Write or compare."""
    if unicodedata.unidata_version != PINNED:
        print(f"expected Unicode {PINNED} (unicodedata2), got {unicodedata.unidata_version}", file=sys.stderr)
        return 3
    text = render()
    if arguments == ["--check"]:
        same = TARGET.read_text(encoding="utf-8") == text
        print(f"{TARGET.name}: {'as generated' if same else 'differs from what is generated'}")
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
