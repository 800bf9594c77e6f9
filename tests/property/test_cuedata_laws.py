"""Laws of data-only CUE: parse after render is the identity, and parsing ends in a value or a Fault."""

from __future__ import annotations

import contextlib
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tests.support.cue_documents import Documents
from verify.cuedata.merging import merge
from verify.cuedata.parser import parse
from verify.cuedata.position import Fault
from verify.cuedata.renderer import render
from verify.cuedata.syntax import Bool, Bytes, Field, ListValue, Null, Number, Struct, Text

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
NUMBERS = st.integers().map(lambda number: Number(Decimal(number), integer=True)) | st.decimals(
    allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9
).map(lambda number: Number(number, integer=False))
SCALARS = st.one_of(
    TEXT.map(Text), st.binary(max_size=8).map(Bytes), NUMBERS, st.booleans().map(Bool), st.just(Null())
)


def structs(values: st.SearchStrategy[object]) -> st.SearchStrategy[Struct]:
    fields = st.builds(Field, TEXT, values, st.sampled_from(["", "", "?", "!"]))
    hidden = st.builds(Field, st.sampled_from(["_a", "_b1"]), values, st.just(""), st.just(True))
    return st.lists(fields | hidden, max_size=4).map(lambda found: Struct(tuple(found)))


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(lambda items: ListValue(tuple(items))) | structs(inner),
    max_leaves=12,
)


@given(structs(VALUES))
def test_parse_is_the_inverse_of_render(struct: Struct) -> None:
    text = render(struct)
    again = parse(text.encode())
    assert again == struct
    assert render(again) == text


@given(st.integers(0, 1 << 30), st.sampled_from([0.0, 0.05, 0.3]))
def test_documents_end_in_a_value_or_a_fault(seed: int, near: float) -> None:
    document = Documents(seed, near).document()
    try:
        struct = parse(document)
        merged = merge(struct)
    except Fault:  # nothing else may rise
        return
    assert parse(render(struct).encode()) == struct
    assert merge(merged) == merged


@given(st.binary(max_size=40) | st.text("a:{}[]\"'#\\\n,@()_1.?!/ ", max_size=40).map(str.encode))
def test_any_bytes_end_in_a_value_or_a_fault(document: bytes) -> None:
    with contextlib.suppress(Fault):  # nothing else may rise
        parse(document)
