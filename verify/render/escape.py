r"""Untrusted text made harmless for each place it is put, and the one table of what counts as harmful.

Control characters, bidirectional and invisible format characters, spaces that look like others, line
separators, lone surrogates, piled-up combining marks and the prefixes by which a CI log is made to obey
(`##[`, `##vso[`) are shown as escapes, so that a file name cannot move the cursor, hide itself, start a
line of ours or set a variable.

>>> print(terminal("a\x1b[2Jb\u202ec\nd"))
a\x1b[2Jb\u202ec\nd
>>> print(terminal("##[error]"), terminal("\u0301x"))
#\x23[error] \u0301x
>>> print(code("a`b"), html("<b>"), workflow_property("a:b,c%"))
``a`b`` &lt;b&gt; a%3Ab%2Cc%25

The table is written out, never asked of `unicodedata`: a newer Python must not change a report's bytes.
"""

from __future__ import annotations

import functools
import re

# DEL, C1; no-break and soft hyphen; joiners and fillers; Arabic letter mark; Khmer inherent vowels; Mongolian
# selectors; every space but U+0020, zero-width and bidi marks, separators, invisible operators; braille blank;
# Hangul fillers; surrogates; variation selectors; BOM; annotations and noncharacters; musical format; tags
_INVISIBLE = (
    "\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800"
    "\u3000\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\ufe20-\ufe2f]"
# a mark needs a letter of its own: one that opens a text, or follows a sign, would paint over ours; and a
# fourth on one letter paints over its neighbours
_PILED = rf"(?:\A|(?<=[\x00-\x2f:-@\[-`{{-\x7f{_INVISIBLE}])){_MARKS}+|(?<={_MARKS}{{3}}){_MARKS}"
_COMMAND = r"#(?=\[|[A-Za-z]+\[)"  # the second # of a CI log command, which is found anywhere in a line
_HARMFUL = rf"[\x00-\x1f{_INVISIBLE}]|{_PILED}|(?<=#){_COMMAND}"
_HIDDEN = f"[{_INVISIBLE}]"
_LOGGED = rf"(?<=#){_COMMAND}"
_LONE = "[\ud800-\udfff]"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TICKS = "`+"
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;"})


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)  # at first use: most text that is shown is plain


def _shown(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    point = ord(char)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _escaped(match: re.Match[str]) -> str:
    return "".join(map(_shown, match[0]))


def terminal(text: str) -> str:
    """One line of text that cannot drive a terminal."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text  # nothing of the table is in it
    return _pattern(_HARMFUL).sub(_escaped, text)


def html(text: str) -> str:
    """Text for HTML and XML, in an element or in a quoted attribute; nothing XML 1.0 forbids is left."""
    return terminal(text).translate(_HTML)


def code(text: str) -> str:
    """A Markdown code span on one line: its fence is longer than any run of backticks inside.

    A `|` would still divide a table's cell, and no escape of it is read alike by all: keep it out of tables.
    """
    shown = terminal(text) or " "
    longest = max(map(len, _pattern(_TICKS).findall(shown)), default=0)
    fence = "`" * (longest + 1)
    # a reader takes one space off each end, but not from a span of nothing but spaces
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def workflow_data(text: str) -> str:
    """The message of a workflow command. Newlines given here are ours: escape untrusted text first."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str) -> str:
    """A property of a workflow command, made harmless and then escaped."""
    return workflow_data(terminal(text)).replace(":", "%3A").replace(",", "%2C")


def _pair(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def json_text(rendered: str) -> str:
    r"""JSON already rendered without ASCII escapes: the invisible is written as `\uXXXX`, the rest stays.

    Controls below U+0020 are escaped already inside strings; what is left of them is layout.
    """
    return _pattern(_LOGGED).sub(_pair, _pattern(_HIDDEN).sub(_pair, rendered))


def encodable(text: str) -> str:
    r"""The same text, with a lone surrogate (a byte that was not UTF-8) spelt out as `\udcXX`."""
    return _pattern(_LONE).sub(_escaped, text)
