"""Every check of trees and of the names in them, each with what it means and what to do."""

from __future__ import annotations

from verify.report import Check
from verify.tree.port import Oddity

HASH = Check(
    id="tree.hash",
    title="tree hash",
    meaning="The names and contents of all files give the expected h1: hash, and nothing lies there that a hash cannot see.",
    remedy="Compare the tree with its source (modseal diff) and restore or lock it again.",
)
EXTRA_FILE = Check(
    id="tree.extra-file",
    title="file that nothing expects",
    meaning="A file lies in the tree that the expected tree does not have. Tools may load it all the same.",
    remedy="Remove the file, or lock the tree again if it belongs there.",
)
MISSING_FILE = Check(
    id="tree.missing-file",
    title="expected file is missing",
    meaning="The expected tree has a file that does not lie here.",
    remedy="Restore the file from its source.",
)
CHANGED_FILE = Check(
    id="tree.changed-file",
    title="file has other content",
    meaning="A file has the expected name and other bytes than expected.",
    remedy="Restore the file, or lock the tree again if the change is meant. Look for line-ending conversion.",
)
CASE_CHANGED = Check(
    id="tree.case-changed",
    title="file name differs in case or normalisation",
    meaning="A file has the expected content under a name that differs only in case or Unicode form, so hashes differ.",
    remedy="Give the file its exact name. Copying through a file system that folds case can cause this.",
)
MODE_CHANGED = Check(
    id="tree.mode-changed",
    title="executable bit differs",
    meaning="A file has the expected bytes, and is executable where it was not, or the other way round.",
    remedy="Set the mode (chmod +x or -x), or lock the tree again.",
)
SWAPPED = Check(
    id="tree.swapped",
    title="file changed while it was read",
    meaning="Between listing the tree and reading it, a file or folder became something else. No answer about it holds.",
    remedy="Check the tree again while nothing writes to it; if it repeats, ask who does.",
)
EMPTY = Check(
    id="tree.empty",
    title="tree without files",
    meaning="The tree has no files. A hash of nothing proves nothing.",
    remedy="Check that the path is the one you mean.",
)
PART = Check(
    id="tree.part",
    title="part of a tree",
    meaning="The files of one folder are those of the expected tree list. Nothing is said about the rest of the tree.",
    remedy="Check the whole tree where all of it matters.",
)
ABSENT = Check(
    id="tree.absent",
    title="no such folder",
    meaning="The folder does not exist, so nothing was checked.",
    remedy="Check the path.",
)
NOT_A_FOLDER = Check(
    id="tree.not-a-folder",
    title="file where a folder is expected",
    meaning="A part of the path to a tree is a file.",
    remedy="Restore the folder.",
)
SYMLINK = Check(
    id="tree.symlink",
    title="symbolic link in a tree",
    meaning="A symbolic link lies in the tree. Hash tools may follow it and see the same bytes, while its target lies outside what was hashed.",
    remedy="Replace the link by the file it stands for, or remove it.",
)
DEVICE = Check(
    id="tree.device",
    title="device in a tree",
    meaning="A device node lies in the tree: reading it can do anything.",
    remedy="Remove it.",
)
SOCKET = Check(
    id="tree.socket",
    title="socket in a tree",
    meaning="A socket lies in the tree: it has no bytes that could be published.",
    remedy="Remove it, and stop what created it.",
)
FIFO = Check(
    id="tree.fifo",
    title="named pipe in a tree",
    meaning="A named pipe lies in the tree: a reader waits for ever, or gets what somebody chooses to write.",
    remedy="Remove it.",
)
GITLINK = Check(
    id="tree.gitlink",
    title="submodule in a tree",
    meaning="A git submodule stands in the tree: its files are not part of the commit.",
    remedy="Publish the submodule by itself, or copy its files.",
)
HARDLINK = Check(
    id="tree.hardlink",
    title="hard-linked file",
    meaning="A file has more than one name on its file system, so it can change through a name outside the tree. Its bytes were hashed.",
    remedy="Copy the file if the tree should stand alone. Some caches link files on purpose.",
)
SPECIAL_MODE = Check(
    id="tree.special-mode",
    title="setuid, setgid or sticky file",
    meaning="A file carries a special mode bit, which no module needs. Its bytes were hashed.",
    remedy="Remove the bit (chmod u-s,g-s,-t).",
)
EMPTY_FOLDER = Check(
    id="tree.empty-folder",
    title="folder without files",
    meaning="A folder holds nothing. No hash can see it, and most archives lose it.",
    remedy="None is needed; remove it if nothing uses it.",
)
NAME_ENCODING = Check(
    id="tree.name-encoding",
    title="file name is not UTF-8",
    meaning="The name of a file is not UTF-8, so it has no place in a tree hash.",
    remedy="Rename the file.",
)
NAME_NEWLINE = Check(
    id="tree.name-newline",
    title="file name holds a newline",
    meaning="The name of a file holds a newline, so it could pass for two lines of a tree hash.",
    remedy="Rename the file.",
)
UNREADABLE = Check(
    id="tree.unreadable",
    title="file or folder cannot be read",
    meaning="Something in the tree could not be opened, so nothing is known about what it holds.",
    remedy="Run as a user who may read the whole tree.",
)

BY_ODDITY = {
    Oddity.SYMLINK: SYMLINK,
    Oddity.DEVICE: DEVICE,
    Oddity.SOCKET: SOCKET,
    Oddity.FIFO: FIFO,
    Oddity.GITLINK: GITLINK,
    Oddity.HARDLINK: HARDLINK,
    Oddity.SPECIAL_MODE: SPECIAL_MODE,
    Oddity.EMPTY_FOLDER: EMPTY_FOLDER,
    Oddity.NAME_ENCODING: NAME_ENCODING,
    Oddity.NAME_NEWLINE: NAME_NEWLINE,
    Oddity.UNREADABLE: UNREADABLE,
}

_RENAME = "Rename the file or folder."


def _name(kind: str, title: str, meaning: str, remedy: str = _RENAME) -> Check:
    return Check(id=f"name.{kind}", title=title, meaning=meaning, remedy=remedy)


NAME_NOT_UTF8 = _name("encoding", "name is not UTF-8", "The name cannot be written in UTF-8.")
NAME_EMPTY_ELEMENT = _name(
    "empty-element", "empty part in a name", "The name is empty, or has a part between two slashes that is."
)
NAME_ABSOLUTE = _name(
    "absolute", "absolute name", "The name begins with a slash: unpacked, it would leave its folder."
)
NAME_TRAVERSAL = _name(
    "traversal",
    "name with . or ..",
    "A part of the name is `.` or `..`: unpacked, it could leave its folder, and one file has many such names.",
)
NAME_DRIVE = _name(
    "drive",
    "name with a drive letter",
    "The name begins with a drive letter: on Windows it leaves its folder.",
)
NAME_BACKSLASH = _name(
    "backslash",
    "backslash in a name",
    "Windows takes a backslash for a separator, other systems for a letter.",
)
NAME_CONTROL = _name(
    "control", "control character in a name", "A control character, a NUL or a newline stands in the name."
)
NAME_BIDI = _name(
    "bidi",
    "bidirectional control in a name",
    "The name holds a character that reorders text, so it reads as another.",
)
NAME_INVISIBLE = _name(
    "invisible",
    "invisible character in a name",
    "The name holds a character that is not seen, so it reads as another.",
)
NAME_CHARACTER = _name(
    "character",
    "character that not every system allows",
    "The name holds a character that Windows or the ecosystem's own tools refuse, or that Unicode 15.0.0 does not know.",
)
NAME_RESERVED = _name(
    "reserved", "name reserved on Windows", "A part of the name is a device on Windows (such as aux or com1)."
)
NAME_TRAILING_DOT = _name("trailing-dot", "name ends in a dot", "Windows drops a dot at the end of a name.")
NAME_TRAILING_SPACE = _name(
    "trailing-space", "name ends in a space", "Windows drops a space at the end of a name."
)
NAME_TOO_LONG = _name(
    "too-long", "name is too long", "A part of the name is over 255 bytes, or the whole is over 4096."
)
NAME_NOT_NFC = _name(
    "not-nfc",
    "name is not in normal form C",
    "The name has another Unicode form than NFC; some systems change it.",
)
NAME_DUPLICATE = _name(
    "duplicate", "two files of one name", "Two files have the same name: readers differ on which counts."
)
NAME_FILE_AND_FOLDER = _name(
    "file-and-folder", "file and folder of one name", "One name is both a file and a folder."
)
NAME_CASE_COLLISION = _name(
    "case-collision",
    "names differ only in case",
    "Two names are one on a file system that folds case, so one file would replace the other.",
)
NAME_UNICODE_COLLISION = _name(
    "unicode-collision",
    "names differ only in Unicode form",
    "Two names look alike and are one on a file system that normalises names, so one file would replace the other.",
)

NAME_CHECKS = (
    NAME_NOT_UTF8,
    NAME_EMPTY_ELEMENT,
    NAME_ABSOLUTE,
    NAME_TRAVERSAL,
    NAME_DRIVE,
    NAME_BACKSLASH,
    NAME_CONTROL,
    NAME_BIDI,
    NAME_INVISIBLE,
    NAME_CHARACTER,
    NAME_RESERVED,
    NAME_TRAILING_DOT,
    NAME_TRAILING_SPACE,
    NAME_TOO_LONG,
    NAME_NOT_NFC,
    NAME_DUPLICATE,
    NAME_FILE_AND_FOLDER,
    NAME_CASE_COLLISION,
    NAME_UNICODE_COLLISION,
)

LIST_HASH = Check(
    id="list.hash",
    title="tree list is the one that was named",
    meaning="The SHA-256 of the tree list is the h1: named on the command line or in lock data, so the list can be believed.",
    remedy="Get the list that belongs to the hash, or write it again from the published archive: modseal hash --list ZIP",
)
LIST_MALFORMED = Check(
    id="list.malformed",
    title="tree list is malformed",
    meaning="A tree list is not one line per file (hex, two spaces, name, newline), sorted by name, each name once.",
    remedy="Write the list again with modseal hash --list.",
)

TOO_MANY_FILES = Check(
    id="limit.tree-files",
    title="too many files",
    meaning="The tree has more files than the limit allows, so it was not read to its end.",
    remedy="Check that the path is the one you mean, or raise the limit.",
)
TOO_DEEP = Check(
    id="limit.tree-depth",
    title="folders too deep",
    meaning="Folders lie in folders deeper than the limit allows, so the tree was not read to its end.",
    remedy="Check that the path is the one you mean, or raise the limit.",
)
LONG_LIST = Check(
    id="limit.list-bytes",
    title="tree list too long",
    meaning="The tree list is longer than the limit allows, so it was not read.",
    remedy="Check that the file is the one you mean, or raise the limit.",
)

CHECKS = (
    HASH,
    EXTRA_FILE,
    MISSING_FILE,
    CHANGED_FILE,
    CASE_CHANGED,
    MODE_CHANGED,
    SWAPPED,
    EMPTY,
    PART,
    ABSENT,
    NOT_A_FOLDER,
    *BY_ODDITY.values(),
    LIST_HASH,
    LIST_MALFORMED,
    TOO_MANY_FILES,
    TOO_DEEP,
    LONG_LIST,
    *NAME_CHECKS,
)
