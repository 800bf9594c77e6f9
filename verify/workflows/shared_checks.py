"""Checks that many rooms name and none owns: values typed or read, limits, outputs, and faults of our own."""

from __future__ import annotations

from verify.report import Check

_FORMS = (
    Check(
        id="digest.malformed",
        title="not a digest",
        meaning="A digest is not sha256: or sha512: and exactly as many lower-case hex digits as that takes.",
        remedy="Copy it whole; modseal hash prints digests in this form.",
    ),
    Check(
        id="hash.malformed",
        title="not a tree hash",
        meaning="A tree hash is not h1: and the padded base64 of 32 bytes. Hashes of other algorithms are refused, not skipped.",
        remedy="Copy it whole; modseal hash prints tree hashes in this form.",
    ),
    Check(
        id="module.malformed",
        title="not a module",
        meaning="An identity is not path@version in the characters that all ecosystems share.",
        remedy="Write it as example.com/net@v1.4.0.",
    ),
    Check(
        id="module.version",
        title="not a semantic version",
        meaning="A version is not three numbers without leading zeros, with or without v, pre-release and build.",
        remedy="Write it as v1.4.0 or v1.4.0-rc.1.",
    ),
)

_LIMITS = tuple(
    Check(id=f"limit.{kind}", title=title, meaning=meaning, remedy=remedy)
    for kind, title, meaning, remedy in (
        ("size", "longer than allowed", "A stream or document is longer than the limit; it was not read to its end.",
         "Make sure that it is what you meant."),
        ("depth", "deeper than allowed", "Folders lie in folders deeper than the limit allows.",
         "Make sure that it is what you meant."),
        ("files", "more files than allowed", "A commit has more files than the limit allows, so not all were seen.",
         "Name a folder in it: git:REV:SUBDIR."),
        ("name", "name longer than allowed", "A path in a commit is longer than any that can be unpacked.",
         "Shorten the name in the source."),
        ("time", "took longer than allowed", "A program that was asked did not answer in time; nobody can say.",
         "Run again; if it repeats, look at what keeps the program busy."),
        ("modules", "more modules than allowed", "Selection met more modules than the limit allows.",
         "Look for a module that requires without end."),
    )
)  # fmt: skip

_OUTPUTS = tuple(
    Check(id=f"output.{kind}", title=title, meaning=meaning, remedy=remedy)
    for kind, title, meaning, remedy in (
        ("unknown-format", "no such report format", "A report was asked for in a format that does not exist.",
         "See --output in the command's --help."),
        ("no-path", "no usable path for a report", "A report's path is empty or holds a NUL.",
         "Write --output FORMAT=FILE."),
        ("taken", "two reports in one place", "Two reports were asked for at the same path, or both on stdout.",
         "Give each a file of its own."),
        ("link", "output is a link", "The path of an output is a link; following it would write where nobody looked.",
         "Name the file that it leads to."),
        ("not-a-file", "output is no file", "The path of an output is a folder or something else that cannot be replaced.",
         "Name a file."),
        ("no-folder", "folder of an output is missing", "The folder that an output goes to does not exist.",
         "Make it first."),
        ("unwritable", "output cannot be written", "The system refused to write an output. Nothing was left behind.",
         "Look at permissions and at the space that is left."),
    )
)  # fmt: skip

_OURS = (
    Check(
        id="internal",
        title="fault of modseal itself",
        meaning="Something happened that must not happen. The exit code is 3: nothing was decided.",
        remedy="Run again with MODSEAL_DEBUG=1 and report what it prints, see SECURITY.md.",
    ),
)

CHECKS = (*_FORMS, *_LIMITS, *_OUTPUTS, *_OURS)
