import tempfile
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.tree_on_disk import write_tree
from verify.report import Outcome
from verify.tree.checking import check_tree
from verify.tree.comparison import compare
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.tree.memory import MemoryTree

ELEMENT = st.text("aAb.-0\xe9\uffee\U0001f600", min_size=1, max_size=3).filter(
    lambda each: each not in {".", ".."}
)
NAME = st.lists(ELEMENT, min_size=1, max_size=3).map("/".join)
FILES = st.dictionaries(NAME, st.binary(max_size=6), min_size=1, max_size=6)
LISTED = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=6),
    st.binary(min_size=32, max_size=32),
    max_size=6,
)


def passed(tree: MemoryTree, expected: TreeList) -> bool:
    return any(each.outcome is Outcome.PASSED for each in check_tree(tree, expected, "m"))


@given(LISTED)
def test_a_list_is_what_it_renders(files: dict[str, bytes]) -> None:
    made = TreeList.from_items(sorted(files.items(), key=lambda item: item[0].encode()))
    again = TreeList.parse(made.render())
    assert again == made
    assert again.render() == made.render()
    assert again.tree_hash == made.tree_hash
    assert dict(again.items()) == files
    assert all(again.get(name) == digest for name, digest in files.items())


@given(FILES, st.randoms())
def test_the_order_of_files_changes_nothing(files: dict[str, bytes], random: object) -> None:
    items = list(files.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert hash_tree(MemoryTree(dict(items))) == hash_tree(MemoryTree(files))


@given(FILES, st.data())
def test_any_changed_byte_changes_the_hash_and_is_named(files: dict[str, bytes], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(files)))
    assume(files[name])
    at = data.draw(st.integers(0, len(files[name]) - 1))
    other = bytearray(files[name])
    other[at] ^= data.draw(st.integers(1, 255))
    tree, expected = MemoryTree({**files, name: bytes(other)}), TreeList.of(MemoryTree(files))
    assert hash_tree(tree) != expected.tree_hash
    assert [each.name for each in compare(expected, tree).changed] == [name]
    assert not passed(tree, expected)


@given(FILES, FILES)
def test_a_comparison_accounts_for_every_file_both_ways(one: dict[str, bytes], two: dict[str, bytes]) -> None:
    there, back = compare(MemoryTree(one), MemoryTree(two)), compare(MemoryTree(two), MemoryTree(one))
    assert there.missing == back.extra
    assert there.extra == back.missing
    assert there.differences == back.differences
    assert there.equal + len(there.changed) + len(there.missing) + len(there.case_changed) == len(one)
    assert there.equal + len(there.changed) + len(there.extra) + len(there.case_changed) == len(two)
    assert (there.differences == 0) == (one == two)
    assert passed(MemoryTree(one), TreeList.of(MemoryTree(two))) == (one == two)


@settings(max_examples=40)
@given(FILES)
def test_disk_and_memory_agree(files: dict[str, bytes]) -> None:
    folders = {name[:at] for name in files for at, char in enumerate(name) if char == "/"}
    assume(not folders & files.keys())
    with tempfile.TemporaryDirectory() as folder:
        tree = DirectoryTree(write_tree(Path(folder), files))
        assume(len(tree.entries()) == len(files))  # a file system that folds names has fewer
        assert TreeList.of(tree) == TreeList.of(MemoryTree(files))
