"""Sum files: every way one can be wrong, by its check; and the bytes of a right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sum_files import OTHER_RULES, RULES, cue_file, entry, tree_hash
from verify.errors import Malformed, ModsealError
from verify.sums.checks import CHECKS
from verify.sums.entry import Source, SumEntry
from verify.sums.key import decode_key, encode_key
from verify.sums.sumfile import SumFile, defect, parse, parse_canonical, parse_general, render

A, B = "a.example/x@v1.0.0", "b.example/y@v0.2.0"
GOOD = render(cue_file([A, B])).decode()
LINE_A = entry(A).render()
H1, SHA = tree_hash("t0").text, "sha256:"

# by name: a document and the check
BAD = {
    "empty": ("", "sum.format"),
    "not CUE": (GOOD + "}", "cue.syntax"),
    "not data": (GOOD + "x: format\n", "cue.not-data"),
    "no format": (GOOD.replace("format:    ", "//"), "sum.format"),
    "newer format": (GOOD.replace("modseal.sum/1", "modseal.sum/2"), "sum.format"),
    "format a number": (GOOD.replace('"modseal.sum/1"', "1"), "sum.format"),
    "no ecosystem": (GOOD.replace("ecosystem:", "//"), "sum.format"),
    "another ecosystem": (GOOD.replace('"cue"', '"opentofu"'), "sum.format"),
    "format twice": (GOOD + 'format: "modseal.sum/1"\n', "sum.duplicate-key"),
    "no modules": (GOOD.partition("modules")[0], "sum.missing-field"),
    "modules a list": (GOOD.partition("modules")[0] + "modules: []\n", "sum.value"),
    "modules twice": (GOOD + "modules: {}\n", "sum.duplicate-key"),
    "unknown field": (GOOD + "signer: 1\n", "sum.unknown-field"),
    "optional modules": (GOOD.replace("modules:", "modules?:"), "sum.unknown-field"),
    "hidden field": (GOOD + "_x: 1\n", "sum.unknown-field"),
    "key twice": (GOOD.replace(LINE_A, LINE_A + LINE_A), "sum.duplicate-key"),
    "key twice, spelt otherwise": (
        GOOD.replace(LINE_A, LINE_A + LINE_A.replace("a.example", "\\u0061.example")), "sum.duplicate-key"
    ),
    "key twice, in an embedded struct": (GOOD.replace(LINE_A, LINE_A + "{\n" + LINE_A + "}\n"), "sum.duplicate-key"),
    "key without version": (GOOD.replace(A, "a.example/x"), "sum.key"),
    "key with a short version": (GOOD.replace(A, "a.example/x@v1"), "sum.key"),
    "key with capitals": (GOOD.replace(A, "A.example/x@v1.0.0"), "sum.key"),
    "key percent-encoded without need": (GOOD.replace(A, "%61.example/x@v1.0.0"), "sum.key"),
    "entry a string": (GOOD.replace(LINE_A, f'\t"{A}": "h1"\n'), "sum.value"),
    "field twice": (GOOD.replace("{tree:", f'{{tree: "{H1}", tree:', 1), "sum.duplicate-key"),
    "unknown field of an entry": (GOOD.replace("{tree:", "{time: 1, tree:", 1), "sum.unknown-field"),
    "reserved field": (GOOD.replace("{tree:", '{signer: "x", tree:', 1), "sum.unknown-field"),
    "field of another ecosystem": (GOOD.replace("{tree:", '{exec: "x", tree:', 1), "sum.unknown-field"),
    "tree missing": (GOOD.replace(f'tree: "{H1}", ', "", 1), "sum.missing-field"),
    "modfile missing": (GOOD.replace("modfile:", "tree2:", 1), "sum.unknown-field"),
    "tree a sha256": (GOOD.replace(H1, SHA + "0" * 64, 1), "sum.value"),
    "tree too short": (GOOD.replace(H1, H1[:-1], 1), "sum.value"),
    "tree with loose bits": (GOOD.replace(H1, H1[:-2] + "B=", 1), "sum.value"),
    "digest in capitals": (GOOD.replace(entry(A).fields()["archive"], SHA + "A" * 64, 1), "sum.value"),
    "digest sha512": (GOOD.replace(entry(A).fields()["archive"], "sha512:" + "0" * 128, 1), "sum.value"),
    "digest null": (GOOD.replace('"' + entry(A).fields()["manifest"] + '"', "null", 1), "sum.value"),
}  # fmt: skip

# name: (the same content spelt otherwise, what is said about it)
LOOSE = {
    "CRLF": (GOOD.replace("\n", "\r\n"), "CRLF"),
    "byte order mark": ("\ufeff" + GOOD, "byte order mark"),
    "comment": (GOOD.replace("modules", "// text\nmodules"), "line 4"),
    "no comment": (GOOD.partition("\n")[2], "line 1"),
    "order": (render(cue_file([A])).decode()[:-2] + entry(B).render() + "}\n", ""),
    "reordered": (
        GOOD.replace(LINE_A, "").replace("\n}\n", "\n" + LINE_A + "}\n"),
        "not in the order of keys",
    ),
    "spaces": (GOOD.replace("ecosystem: ", "ecosystem:  "), "line 3"),
    "no last newline": (GOOD[:-1], "line"),
    "more newlines": (GOOD + "\n", "line"),
    "other quotes": (GOOD.replace('"cue"', '#"cue"#'), "line 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_every_defect_has_its_check(name: str) -> None:
    document, check = BAD[name]
    assert parse_canonical(document.encode(), RULES) is None
    with pytest.raises(Malformed) as caught:
        parse(document.encode(), RULES)
    assert caught.value.check == check
    assert check.startswith("cue.") or check in {each.id for each in CHECKS}


@pytest.mark.parametrize("name", LOOSE)
def test_other_spellings_say_the_same_and_are_named(name: str) -> None:
    document, said = LOOSE[name]
    file = parse(document.encode(), RULES)
    assert file == cue_file([A, B])
    assert said in defect(document.encode(), file)
    assert bool(defect(document.encode(), file)) is bool(said)


def test_the_bytes_of_a_file() -> None:
    zeros = SumEntry(A, tree_hash(0), tree_hash(1), None, None)
    text = render(SumFile.of("cue", (zeros,))).decode()
    assert text == (
        "// Written by modseal. Commit this file.\n"
        'format:    "modseal.sum/1"\n'
        'ecosystem: "cue"\n'
        "modules: {\n"
        f'\t"a.example/x@v1.0.0": {{tree: "{tree_hash(0)}", modfile: "{tree_hash(1)}"}}\n'
        "}\n"
    )
    assert render(SumFile.of("cue", ())).endswith(b"modules: {}\n")


@pytest.mark.parametrize("page", ["sum.md"])
def test_the_example_on_the_format_page_is_canonical(page: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / "formats" / page).read_text(encoding="utf-8")
    example = text.partition("```cue\n")[2].partition("```")[0].encode()
    assert parse_canonical(example, RULES) is not None
    assert not defect(example, parse(example, RULES))


def test_lines_are_kept_for_reports() -> None:
    for read in (parse_canonical, parse_general):
        file = read(GOOD.encode(), RULES)
        assert file is not None
        assert [each.line for each in file.entries] == [5, 6]
    with pytest.raises(ModsealError, match=r"^6:2: "):
        parse(GOOD.replace(B, "b").encode(), RULES)


def test_optional_fields_and_sources_of_another_ecosystem() -> None:
    address = Source(encode_key("git::https://h.example/a b"), "0" * 40)
    file = SumFile.of("other", (SumEntry("k", tree_hash(0), source=address), SumEntry("j", tree_hash(0))))
    for read in (parse_canonical, parse_general):
        assert read(render(file), OTHER_RULES) == file
    for old, new in (("%20", " "), ("address:", "place:"), ("commit: ", "commit: 1 //")):
        with pytest.raises(Malformed):
            parse(render(file).decode().replace(old, new).encode(), OTHER_RULES)


def test_a_file_cannot_hold_two_entries_of_one_key() -> None:
    with pytest.raises(ValueError, match="one key"):
        SumFile(ecosystem="cue", entries=(entry(A), entry(A, 1)))


@pytest.mark.parametrize(
    "key", ["", " ", "a b", "%20x%", "%2", "%zz", "%41", "%2a", "é", "%FF", "a\n", '"', "\\"]
)
def test_keys_have_one_spelling(key: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode_key(key)
    assert caught.value.check == "sum.key"
