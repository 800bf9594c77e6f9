r"""Untrusted text made harmless for a terminal, and the one table of what counts as harmful there.

Control characters, bidirectional and invisible format characters, line separators and lone surrogates are
shown as escapes, so that a file name cannot move the cursor, hide itself or start a new line of ours.

>>> print(terminal("a\x1b[2Jb\u202ec\nd"))
a\x1b[2Jb\u202ec\nd
"""

from __future__ import annotations

import re

# C0, DEL, C1; soft hyphen; Arabic letter mark; zero-width and bidi marks; separators; invisible operators;
# surrogates; BOM; interlinear annotation; tags
_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    point = ord(char)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def terminal(text: str) -> str:
    """One line of text that cannot drive a terminal."""
    return _HARMFUL.sub(_escaped, text)
