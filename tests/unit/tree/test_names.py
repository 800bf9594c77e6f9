import pytest

from verify.tree.checks import CHECKS
from verify.tree.names import CUE, FOREIGN, PORTABLE, READABLE, Profile, check_names
from verify.tree.port import Oddity

PROFILES = {"readable": READABLE, "foreign": FOREIGN, "cue": CUE, "portable": PORTABLE}

# name -> check ids under readable, foreign, cue, portable; a single set stands for all four
CASES: dict[str, tuple[str, str, str, str]] = {
    "plain/file.cue": ("", "", "", ""),
    ".github/x~1 [a]^{b}=c@d!": ("", "", "", ""),
    "-leading/dash": ("", "", "", ""),
    "é/ł.cue": ("", "", "", ""),
    "": ("empty-element",) * 4,
    "/etc/passwd": ("absolute",) * 4,
    "a//b": ("empty-element",) * 4,
    "a/": ("empty-element",) * 4,
    "./a": ("traversal",) * 4,
    "a/../b": ("traversal",) * 4,
    "a\x00b": ("control",) * 4,
    "a\nb": ("control",) * 4,
    "a\x7fb": ("control",) * 4,
    "a\x85b": ("control",) * 4,
    "a\udcffb": ("encoding",) * 4,
    "a\\b": ("", "backslash", "backslash", "backslash"),
    "..\\..\\a": ("", "backslash", "backslash", "backslash"),
    "C:/x": ("", "drive", "character", "drive"),
    "C:x": ("", "drive", "character", "drive"),
    "a.txt:stream": ("", "", "character", "character"),
    "a?b": ("", "", "character", "character"),
    "a|b": ("", "", "character", "character"),
    "a'b": ("", "", "character", ""),
    "a;b`c": ("", "", "character", ""),
    "😀.cue": ("", "", "character", ""),
    "e\u0301": ("", "", "character", "not-nfc"),
    "\u1100\u1161": ("", "", "", "not-nfc"),
    "\u212a": ("", "", "", "not-nfc"),
    "a\u202eb": ("", "", "character", "bidi"),
    "a\u200db": ("", "", "character", "invisible"),
    "a\ufe0fb": ("", "", "character", "invisible"),
    "a\u3164b": ("", "", "", "invisible"),
    "a\ue000b": ("", "", "character", "character"),
    "a\u0378b": ("", "", "character", "character"),
    "con": ("", "", "reserved", "reserved"),
    "d/AuX.tf": ("", "", "reserved", "reserved"),
    "com9.a.b": ("", "", "reserved", "reserved"),
    "com0": ("", "", "", "reserved"),
    "LPT0.x": ("", "", "", "reserved"),
    "com\xb9": ("", "", "character", "reserved"),
    "CONIN$": ("", "", "", "reserved"),
    "conout$.txt": ("", "", "", "reserved"),
    "con .txt": ("", "", "", "reserved"),
    "confile": ("", "", "", ""),
    "com10": ("", "", "", ""),
    "a.": ("", "", "trailing-dot", "trailing-dot"),
    "a./b": ("", "", "trailing-dot", "trailing-dot"),
    "...": ("", "", "trailing-dot", "trailing-dot"),
    "a ": ("", "", "", "trailing-space"),
    "a /b": ("", "", "", "trailing-space"),
    "x" * 256: ("", "", "", "too-long"),
    "y/" * 2048 + "y": ("", "", "", "too-long"),
}


def ids(names: list[str], profile: Profile, folders: tuple[str, ...] = ()) -> list[str]:
    return [fault.check.id.removeprefix("name.") for fault in check_names(names, profile, folders=folders)]


@pytest.mark.parametrize("at", range(4), ids=list(PROFILES))
@pytest.mark.parametrize("name", list(CASES), ids=[ascii(name)[:40] for name in CASES])
def test_one_name(name: str, at: int) -> None:
    profile = list(PROFILES.values())[at]
    assert ids([name], profile) == CASES[name][at].split()


TOGETHER: dict[str, tuple[list[str], str, str, str, str]] = {
    "twice": (["a", "a"], "duplicate", "duplicate", "duplicate", "duplicate"),
    "file and folder": (["a", "a/b"], "file-and-folder", "file-and-folder", "file-and-folder", "file-and-folder"),
    "case": (["a", "A"], "", "case-collision", "case-collision", "case-collision"),
    "case of a folder": (["d/a", "D/b"], "", "case-collision", "case-collision", "case-collision"),
    "case of file and folder": (["d/a", "D"], "", "case-collision", "case-collision", "case-collision"),
    "kelvin": (["k", "\u212a"], "", "case-collision", "case-collision", "case-collision not-nfc"),
    "sharp s": (["ß", "ss"], "", "case-collision", "", "case-collision"),
    "hangul": (["\uac00", "\u1100\u1161"], "", "unicode-collision", "", "not-nfc unicode-collision"),
    "accent in a folder": (
        ["\xe9/a", "e\u0301/b"], "", "unicode-collision", "character", "not-nfc unicode-collision"
    ),
    "case told once for a folder": (["d/a", "D/a"], "", *("case-collision",) * 3),
    "nothing": ([], "", "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("at", range(4), ids=list(PROFILES))
@pytest.mark.parametrize("case", list(TOGETHER))
def test_names_together(case: str, at: int) -> None:
    names, *expected = TOGETHER[case]
    profile = list(PROFILES.values())[at]
    assert sorted(ids(names, profile)) == expected[at].split()
    assert sorted(ids(names[::-1], profile)) == expected[at].split(), "order of names changed the answer"


def test_a_folder_that_stands_for_itself_counts() -> None:
    assert ids(["a/b"], FOREIGN, folders=("a", "c")) == []
    assert ids(["a"], FOREIGN, folders=("a",)) == ["file-and-folder"]
    assert ids([], FOREIGN, folders=("a", "A")) == ["case-collision"]
    assert ids([], FOREIGN, folders=("a", "a")) == ["duplicate"]
    assert ids([], FOREIGN, folders=("../x",)) == ["traversal"]


def test_a_collision_names_the_other() -> None:
    (fault,) = check_names(["x/readme", "X/other"], PORTABLE)
    assert fault.name == "x/readme"
    assert fault.detail == "folder x and folder X are one"


def test_check_ids_are_unique_and_explained() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert all(check.title and check.meaning and check.remedy for check in CHECKS)


def test_every_oddity_has_its_check() -> None:
    assert {f"tree.{oddity.value}" for oddity in Oddity} <= {check.id for check in CHECKS}
