import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.tree import unicode, unicode_tables
from verify.tree.names import CUE, PORTABLE, check_names

# characters that both this Python and the pinned version know; about them the two must agree
KNOWN = st.characters(codec="utf-8").filter(
    lambda char: unicode.is_assigned(char) and unicodedata.category(char) != "Cn"
)
# the kinds that make normalisation hard come up often
HARD = st.sampled_from(
    [chr(point) for point in (*range(0x300, 0x345), *range(0x1100, 0x1200), *range(0xAC00, 0xAC40))]
)
TEXT = st.text(
    st.one_of(KNOWN, HARD, st.sampled_from("aAeEkKsS\u212a\u212b\xdf\u1e9e\u0345\u03b1\u1fb3")), max_size=8
)


@given(TEXT)
def test_normal_forms_agree_with_the_interpreter(text: str) -> None:
    assert unicode.nfc(text) == unicodedata.normalize("NFC", text)
    assert unicode.nfd(text) == unicodedata.normalize("NFD", text)


@given(TEXT)
def test_normal_forms_are_stable(text: str) -> None:
    assert unicode.nfc(unicode.nfc(text)) == unicode.nfc(text) == unicode.nfc(unicode.nfd(text))


@given(TEXT)
def test_folding_is_blind_to_case_and_form(text: str) -> None:
    folded = unicode.fold_canonical(text)
    assert folded == unicode.fold_canonical(unicode.nfd(text)) == unicode.fold_canonical(unicode.nfc(text))
    # in normal form first: the fold of U+0345, a mark, is a letter, and marks no longer move past it
    assert folded == unicode.fold_canonical(unicode.fold_simple(unicode.nfd(text)))
    assert unicode.fold_full(text) == text.casefold()


@given(st.lists(TEXT.filter(bool), max_size=4, unique=True))
def test_what_portable_lets_pass_cue_finds_no_collision_in(names: list[str]) -> None:
    ours = {fault.check.id for fault in check_names(names, PORTABLE)}
    theirs = {fault.check.id for fault in check_names(names, CUE)}
    assert "name.case-collision" not in theirs or ours & {"name.case-collision", "name.unicode-collision"}


@given(st.lists(st.text("aA/.\xe9\u0301 e:\\", max_size=5), max_size=5), st.randoms())
def test_the_order_of_names_changes_no_fault(names: list[str], random: object) -> None:
    shuffled = list(names)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert check_names(names, PORTABLE) == check_names(shuffled, PORTABLE)


@given(st.from_regex(r"[a-z0-9_.-]{1,8}(/[a-zA-Z0-9_.-]{1,8}){0,2}", fullmatch=True))
def test_the_short_way_for_plain_names_hides_nothing(name: str) -> None:
    # a space in another element sends the name the long way; the faults must be the same
    alone = {fault.check.id for fault in check_names([name], PORTABLE)}
    beside = {fault.check.id for fault in check_names([f"{name}/b c"], PORTABLE)}
    assert alone == beside


@pytest.mark.skipif(
    unicodedata.unidata_version != unicode_tables.VERSION, reason="this Python has another Unicode version"
)
def test_tables_are_those_of_the_pinned_version() -> None:
    for point in range(0x110000):
        char = chr(point)
        category = unicodedata.category(char)
        assert unicode.is_letter(char) == category.startswith("L")
        assert unicode.is_assigned(char) == (category not in {"Cn", "Co", "Cs"})


def test_a_mark_that_some_interpreters_do_not_know_is_ordered_all_the_same() -> None:
    # U+10EFD came with 15.0: class 220, so it stands before U+0301 (class 230) in a normal form
    assert unicode.nfc("x\u0301\U00010efd") == "x\U00010efd\u0301"
    assert [fault.check.id for fault in check_names(["x\u0301\U00010efd"], PORTABLE)] == ["name.not-nfc"]


def test_a_mark_blocks_another_of_its_class() -> None:
    # both marks have class 230; only the second composes with the letter, and the first stands between them
    assert unicode.nfc("a\u0305\u0301") == "a\u0305\u0301"
    assert unicode.nfc("a\u0316\u0301") == "\xe1\u0316"
