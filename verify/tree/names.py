r"""Which names a tree may have: rules by profile, on each name and on all of them together.

Names are judged as they are, never changed. A profile is a set of checks, an alphabet and a way to fold case:

- `READABLE`: the least that any reader demands. UTF-8, relative, no empty part, no `.` or `..`, no control
  character, no two files of one name, no name both file and folder.
- `FOREIGN`: what may be unpacked on any system. Also no backslash, no drive letter, and no two names that
  differ only in case or Unicode form.
- `CUE` (`cue/1`): exactly what cue accepts in a module zip. Its characters are some ASCII and Unicode letters,
  its folding is simple case folding, it does not normalise, and it accepts a space at the end.
- `PORTABLE` (`generic/1`): what we pack. Also in normal form C, nothing Windows refuses or drops, nothing
  invisible, nothing that Unicode 15.0.0 does not know.

Every fault of every name is returned, sorted by name and check. For a collision, the fault is on the name
that comes later in byte order and its detail names the other.

>>> [(fault.check.id, fault.name) for fault in check_names(["a/aux.tf", "A", "ok.cue", "c:x"], PORTABLE)]
[('name.case-collision', 'a/aux.tf'), ('name.reserved', 'a/aux.tf'), ('name.drive', 'c:x')]
>>> check_names(["a/aux.tf", "k.cue"], FOREIGN)
()
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.limits import DEFAULT
from verify.tree import checks, unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.report import Check

_ELEMENT_BYTES = 255  # what file systems hold in one name
_DEVICES = "con|prn|aux|nul|com[1-9]|lpt[1-9]"
# cue's list, and all that Windows itself reserves: port 0, superscript digits, the console by its other names
_DEVICE_CUE = _DEVICES
_DEVICE = rf"{_DEVICES}|(?:com|lpt)[0\xb9\xb2\xb3]|conin\$|conout\$"
# plain names need no closer look under any profile: the bulk of all names
_PLAIN_LENGTH = 1024
_PLAIN = re.compile(
    rf"(?:(?!(?:{_DEVICES}|com0|lpt0)(?:[./]|\Z))[a-z0-9_][a-z0-9_.@+-]{{0,99}}(?<!\.)(?:/|(?=\Z)))+(?<!/)",
    re.IGNORECASE | re.ASCII,
)
_DRIVE = r"[A-Za-z]:"
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"
_BIDI = r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
# default-ignorable characters but the bidirectional ones: nothing is seen where they stand
_INVISIBLE = (
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_WINDOWS = r'["*:<>?|]'
_CUE_ASCII = r"[A-Za-z0-9!#$%&()+,\-.=@\[\]^_{}~ ]"


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # at first use: plain names need none of them


@dataclass(frozen=True, slots=True)
class NameFault:
    """What is wrong with one name. Name and detail are untrusted text."""

    check: Check
    name: str
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What names must be. `refuses` is the set of checks that count."""

    id: str
    refuses: frozenset[Check]
    device: str = _DEVICE
    letters_only: bool = False  # cue's alphabet; otherwise whatever Windows and Unicode allow
    fold: Callable[[str], str] = unicode.fold_canonical


_READABLE = frozenset(
    {
        checks.NAME_NOT_UTF8,
        checks.NAME_EMPTY_ELEMENT,
        checks.NAME_ABSOLUTE,
        checks.NAME_TRAVERSAL,
        checks.NAME_CONTROL,
        checks.NAME_DUPLICATE,
        checks.NAME_FILE_AND_FOLDER,
    }
)
_COLLISIONS = frozenset({checks.NAME_CASE_COLLISION, checks.NAME_UNICODE_COLLISION})
_CUE = frozenset(
    {
        checks.NAME_BACKSLASH,
        checks.NAME_CHARACTER,
        checks.NAME_RESERVED,
        checks.NAME_TRAILING_DOT,
        checks.NAME_CASE_COLLISION,
    }
)

READABLE = Profile(id="readable/1", refuses=_READABLE)
FOREIGN = Profile(
    id="foreign/1", refuses=_READABLE | _COLLISIONS | {checks.NAME_BACKSLASH, checks.NAME_DRIVE}
)
CUE = Profile(
    id="cue/1", refuses=_READABLE | _CUE, device=_DEVICE_CUE, letters_only=True, fold=unicode.fold_simple
)
PORTABLE = Profile(id="generic/1", refuses=frozenset(checks.NAME_CHECKS))


def check_names(
    names: Iterable[str], profile: Profile, *, folders: Iterable[str] = ()
) -> tuple[NameFault, ...]:
    """All faults of files' names, alone and together. `folders` are folders that stand for themselves, without
    a slash at the end; the folders that files lie in need not be named.
    """
    files = list(names)
    alone = list(folders)
    faults = [
        NameFault(check, name, detail)
        for name in {*files, *alone}
        if len(name) > _PLAIN_LENGTH or not _PLAIN.fullmatch(name)
        for check, detail in _alone(name, profile)
    ]
    faults += _together(files, alone, profile)
    counted = [fault for fault in faults if fault.check in profile.refuses]
    return tuple(sorted(counted, key=lambda fault: (fault.name, fault.check.id, fault.detail)))


def _alone(name: str, profile: Profile) -> Iterator[tuple[Check, str]]:
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        yield checks.NAME_NOT_UTF8, "not UTF-8"
        return
    if name.startswith("/"):
        yield checks.NAME_ABSOLUTE, "begins with /"
    if _compiled(_DRIVE).match(name):
        yield checks.NAME_DRIVE, f"begins with {name[:2]}"
    if size > DEFAULT.name_bytes:
        yield checks.NAME_TOO_LONG, f"{size} bytes"
    if not name.isascii() and unicode.nfc(name) != name:
        yield checks.NAME_NOT_NFC, "not in normal form C"
    yield from _characters(name, profile)
    for element in name.removeprefix("/").split("/"):
        yield from _element(element, profile)


def _characters(name: str, profile: Profile) -> Iterator[tuple[Check, str]]:
    if "\\" in name:
        yield checks.NAME_BACKSLASH, "holds a backslash"
    for check, pattern in (
        (checks.NAME_CONTROL, _CONTROL),
        (checks.NAME_BIDI, _BIDI),
        (checks.NAME_INVISIBLE, _INVISIBLE),
    ):
        if found := _compiled(pattern).search(name):
            yield check, f"holds U+{ord(found[0]):04X}"
    # what has a more telling check of its own is not reported a second time
    rest = name[2:] if _compiled(_DRIVE).match(name) and checks.NAME_DRIVE in profile.refuses else name
    for char in rest:
        told = char in "/\\" or (_compiled(_CONTROL).match(char) is not None)
        if not told and not _allowed(char, profile):
            yield checks.NAME_CHARACTER, f"holds U+{ord(char):04X}"
            return


def _allowed(char: str, profile: Profile) -> bool:
    if profile.letters_only:
        return _compiled(_CUE_ASCII).match(char) is not None if char.isascii() else unicode.is_letter(char)
    if char.isascii():
        return _compiled(_WINDOWS).match(char) is None
    return unicode.is_assigned(char) or _compiled(_INVISIBLE).match(char) is not None


def _element(element: str, profile: Profile) -> Iterator[tuple[Check, str]]:
    if not element:
        yield checks.NAME_EMPTY_ELEMENT, "has an empty part"
        return
    if element in {".", ".."}:
        yield checks.NAME_TRAVERSAL, f"has the part {element}"
        return
    if element.endswith("."):
        yield checks.NAME_TRAILING_DOT, f"{element} ends in a dot"
    if element.endswith(" "):
        yield checks.NAME_TRAILING_SPACE, f"{element!r} ends in a space"
    base = element.partition(".")[0]
    if checks.NAME_TRAILING_SPACE in profile.refuses:
        base = base.rstrip(" ")  # Windows drops them, and then finds the device
    if _compiled(profile.device).fullmatch(unicode.fold_simple(base)):
        yield checks.NAME_RESERVED, f"{element} is a device on Windows"
    if len(element.encode("utf-8")) > _ELEMENT_BYTES:
        yield checks.NAME_TOO_LONG, f"has a part of {len(element.encode('utf-8'))} bytes"


def _together(files: list[str], folders: list[str], profile: Profile) -> Iterator[NameFault]:
    for name, count in Counter(files).items():
        if count > 1:
            yield NameFault(checks.NAME_DUPLICATE, name, f"{count} files have this name")
    for name, count in Counter(folders).items():
        if count > 1:
            yield NameFault(checks.NAME_DUPLICATE, name, f"{count} folders have this name")
    # text is in the order of its code points, which is that of its bytes in UTF-8
    ordered = sorted({*files})
    whole = {*files}
    # exact folder path -> the first name that lies in it
    inside: dict[str, str] = {folder: folder for folder in sorted({*folders})}
    for name in (*ordered, *sorted({*folders})):
        above = name.rpartition("/")[0]
        while above and above not in inside:
            inside[above] = name
            above = above.rpartition("/")[0]
    for path in sorted(whole & inside.keys()):
        yield NameFault(checks.NAME_FILE_AND_FOLDER, path, "is both a file and a folder")
    if profile.refuses & _COLLISIONS:
        yield from _collisions(whole, inside, profile)


def _collisions(files: set[str], inside: dict[str, str], profile: Profile) -> Iterator[NameFault]:
    """Paths, files and folders alike, that differ and fold to one; told once, not for all that lies below."""
    paths = files | inside.keys()
    if len(set(map(profile.fold, paths))) == len(paths):
        return
    first: dict[str, str] = {}
    for path in sorted(paths):
        other = first.setdefault(profile.fold(path), path)
        if other == path or _told_above(path, other, profile):
            continue
        same_form = unicode.nfc(path) == unicode.nfc(other)
        check = checks.NAME_UNICODE_COLLISION if same_form else checks.NAME_CASE_COLLISION
        kinds = ["file" if each in files else "folder" for each in (path, other)]
        yield NameFault(
            check,
            path if path in files else inside[path],
            f"{kinds[0]} {path} and {kinds[1]} {other} are one",
        )


def _told_above(path: str, other: str, profile: Profile) -> bool:
    above, beside = path.rpartition("/")[0], other.rpartition("/")[0]
    base, other_base = path.rpartition("/")[2], other.rpartition("/")[2]
    return above != beside and base == other_base and profile.fold(above) == profile.fold(beside)
