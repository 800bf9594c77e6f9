import hashlib

import pytest

from verify.errors import Exhausted, Malformed
from verify.limits import Limits
from verify.tree.listing import TreeList
from verify.tree.memory import MemoryTree

HEX = hashlib.sha256(b"1").hexdigest().encode()
LINE = HEX + b"  a\n"

MALFORMED = {
    "no newline at the end": LINE[:-1],
    "CR LF": HEX + b"  a\r\n",
    "blank line": LINE + b"\n",
    "comment": b"# list\n" + LINE,
    "upper-case hex": HEX.upper() + b"  a\n",
    "short hex": HEX[1:] + b"  a\n",
    "one space": HEX + b" a\n",
    "tab": HEX + b"\t\ta\n",
    "no name": HEX + b"  \n",
    "NUL in a name": HEX + b"  a\0b\n",
    "name twice": LINE + LINE,
    "wrong order": HEX + b"  b\n" + LINE,
    "order of folders instead of bytes": HEX + b"  a/b\n" + HEX + b"  a-b\n",
    "name not UTF-8": HEX + b"  \xff\n",
    "surrogate in UTF-8": HEX + b"  \xed\xb3\xbf\n",
    "byte order mark": b"\xef\xbb\xbf" + LINE,
}


@pytest.mark.parametrize("case", list(MALFORMED))
def test_malformed_lists_are_refused(case: str) -> None:
    with pytest.raises(Malformed) as caught:
        TreeList.parse(MALFORMED[case])
    assert caught.value.check == "list.malformed"
    assert "line" in caught.value.message


def test_a_third_space_belongs_to_the_name() -> None:
    assert TreeList.parse(HEX + b"   a\n").names == (" a",)


def test_converted_line_ends_are_named() -> None:
    with pytest.raises(Malformed, match="got CR LF"):
        TreeList.parse(MALFORMED["CR LF"])


def test_a_list_over_the_limit_is_not_read() -> None:
    with pytest.raises(Exhausted) as caught:
        TreeList.parse(LINE, Limits(list_bytes=len(LINE) - 1))
    assert caught.value.check == "limit.list-bytes"
    assert len(TreeList.parse(LINE, Limits(list_bytes=len(LINE)))) == 1


def test_the_hash_of_the_file_is_the_tree_hash() -> None:
    found = TreeList.of(MemoryTree({"b": b"2", "a": b"1", "é": b""}))
    assert found.tree_hash.hex == hashlib.sha256(found.render()).hexdigest()


def test_a_name_no_line_can_hold_has_no_list() -> None:
    with pytest.raises(Malformed) as caught:
        TreeList.of(MemoryTree({"a\r": b""}))
    assert caught.value.check == "list.malformed"


def test_below_is_by_whole_folders() -> None:
    found = TreeList.of(MemoryTree({"a/b": b"", "ab": b"", "a/c/d": b"", "a": b""}))
    assert found.below("a").names == ("a/b", "a/c/d")
    assert found.below("").names == found.names
    assert found.below("z").names == ()
