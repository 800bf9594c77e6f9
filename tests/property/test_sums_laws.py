"""Laws of sum files: the fast reader and the general one agree; parse and render are inverse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sum_files import OTHER_RULES, digest, tree_hash
from verify.errors import Malformed
from verify.sums.comparison import diff, merge
from verify.sums.entry import Source, SumEntry
from verify.sums.key import decode_key, encode_key
from verify.sums.sumfile import SumFile, defect, parse_canonical, parse_general, render

TEXTS = st.text(min_size=1, max_size=12).filter(lambda text: not text.startswith("bad"))
TEXTS = TEXTS.filter(lambda text: text.encode("utf-8", "replace").decode() == text)
KEYS = TEXTS.map(encode_key)
SEEDS = st.integers(0, 3)
ENTRIES = st.builds(
    SumEntry,
    KEYS,
    SEEDS.map(tree_hash),
    st.none() | SEEDS.map(tree_hash),
    st.none() | SEEDS.map(digest),
    st.none() | SEEDS.map(digest),
    st.none() | SEEDS.map(digest),
    st.none() | st.builds(Source, KEYS, st.just("") | KEYS),
)
FILES = st.lists(ENTRIES, max_size=6, unique_by=lambda entry: entry.key).map(
    lambda entries: SumFile.of("other", tuple(entries))
)


@given(FILES)
def test_parse_is_the_inverse_of_render(file: SumFile) -> None:
    data = render(file)
    assert parse_canonical(data, OTHER_RULES) == file
    assert parse_general(data, OTHER_RULES) == file
    assert [e.line for e in parse_general(data, OTHER_RULES).entries] == [
        e.line for e in (parse_canonical(data, OTHER_RULES) or file).entries
    ]
    assert not defect(data, file)


@given(FILES, st.data())
def test_what_the_fast_reader_takes_the_general_one_takes_alike(file: SumFile, data: st.DataObject) -> None:
    raw = bytearray(render(file))
    at = data.draw(st.integers(0, len(raw) - 1))
    change = data.draw(
        st.sampled_from([b"", b'"', b"{", b"}", b"\n", b"\t", b",", b"\\", b"%", b"A", b" ", b"=", b"\r"])
    )
    raw[at : at + data.draw(st.integers(0, 2))] = change
    fast = parse_canonical(bytes(raw), OTHER_RULES)
    if fast is None:
        return
    assert parse_general(bytes(raw), OTHER_RULES) == fast
    assert render(fast) == bytes(raw)


@given(FILES, st.data())
def test_a_byte_changed_in_a_canonical_file_is_noticed(file: SumFile, data: st.DataObject) -> None:
    raw = bytearray(render(file))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    try:
        changed = parse_general(bytes(raw), OTHER_RULES)
    except Malformed:
        return
    assert changed != file or defect(bytes(raw), changed)


@given(TEXTS)
def test_keys_come_back(text: str) -> None:
    assert decode_key(encode_key(text)) == text
    assert encode_key(text).isascii()


@given(FILES, FILES, FILES)
def test_a_merge_invents_nothing_and_is_symmetric(base: SumFile, ours: SumFile, theirs: SumFile) -> None:
    merged = merge(base, ours, theirs)
    assert set(map(repr, merged.file.entries)) <= set(map(repr, (*ours.entries, *theirs.entries)))
    assert merge(base, theirs, ours).file == merged.file
    assert merge(base, ours, base).file == ours or diff(base, ours).changed
    assert not diff(ours, ours).changed


def test_keys_with_lone_surrogates_are_not_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode_key("\ud800")
