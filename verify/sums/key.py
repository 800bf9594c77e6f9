r"""Keys of sum files: any identity in printable ASCII, in one spelling.

Printable ASCII but space, `"`, `\` and `%` stands for itself; every other byte of the UTF-8 text is `%` and two
upper-case hex digits. Sorting keys as text sorts them as bytes.

>>> encode_key("git::https://host.example/a b?ref=é")
'git::https://host.example/a%20b?ref=%C3%A9'
>>> decode_key("a%20b")
'a b'
"""

from __future__ import annotations

import re
from typing import Final

from verify.errors import Malformed

KEY: Final = r"(?:[!#$&-\[\]-~]|%[0-9A-F]{2})+"
_KEY = re.compile(KEY)
_OTHER = re.compile(rb'[^!-~]|["\\%]')
_ESCAPE = re.compile(rb"%([0-9A-F]{2})")


def encode_key(text: str) -> str:
    """The one key of an identity."""
    return _OTHER.sub(lambda match: b"%%%02X" % match[0][0], text.encode()).decode("ascii")


def decode_key(key: str) -> str:
    """The identity of a key. Raises Malformed (`sum.key`) where this is not its one spelling."""
    if _KEY.fullmatch(key):
        try:
            text = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), key.encode("ascii")).decode()
        except UnicodeDecodeError:
            text = ""
        if text and encode_key(text) == key:
            return text
    raise Malformed(
        f"key {key[:80]!r}: expected printable ASCII, other bytes percent-encoded once", check="sum.key"
    )
