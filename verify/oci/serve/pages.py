"""One page of a sorted list: `n` entries after `last`, and whether more follow.

>>> page_of(["a", "b", "c"], {"n": "2"})
(['a', 'b'], True)
>>> page_of(["a", "b", "c"], {"n": "2", "last": "b"})
(['c'], False)
>>> page_of(["a"], {"n": "0"})
([], False)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from verify.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"[0-9]{1,9}")


def page_of(names: Sequence[str], query: Mapping[str, str]) -> tuple[list[str], bool]:
    """From a sorted list without repetitions. Raises Malformed."""
    start = bisect_right(names, query["last"]) if "last" in query else 0
    most = page_size(query)
    if most is None:
        return list(names[start:]), False
    # a page of none has no last entry to go on from
    return list(names[start : start + most]), 0 < most < len(names) - start


def page_size(query: Mapping[str, str]) -> int | None:
    """`n`, where it stands. Raises Malformed."""
    asked = query.get("n")
    if asked is None:
        return None
    if not _NUMBER.fullmatch(asked):
        raise Malformed("n: expected a number")
    return int(asked)
