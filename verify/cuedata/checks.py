"""What can be wrong with a data-only CUE document."""

from __future__ import annotations

from verify.report import Check

ENCODING = Check(
    id="cue.encoding",
    title="not UTF-8 text",
    meaning="A CUE document is UTF-8 without NUL characters, with at most one byte order mark, at its start.",
    remedy="Save the file as UTF-8.",
)
SYNTAX = Check(
    id="cue.syntax",
    title="not CUE",
    meaning="The document breaks CUE's grammar at the place named.",
    remedy="Correct the line; `cue fmt FILE` names the same place.",
)
NOT_DATA = Check(
    id="cue.not-data",
    title="more than data",
    meaning=(
        "The document holds something that has to be evaluated: a reference, an expression, a definition, a"
        " comprehension, an import. Files that say what must be trusted hold data alone, so that every reader"
        " reads the same."
    ),
    remedy="Write the value itself.",
)
DEPTH = Check(
    id="cue.depth",
    title="nested too deeply",
    meaning="The document nests values more deeply than any honest one, and is not read further.",
    remedy="Flatten it.",
)
SIZE = Check(
    id="cue.size",
    title="too large",
    meaning="The document is larger than the limit for documents, and is not read.",
    remedy="Make sure that it is the file you meant.",
)
NUMBER = Check(
    id="cue.number",
    title="number not usable",
    meaning="A number is misspelt, too long, or cannot be represented exactly.",
    remedy="Write it in plain decimal digits.",
)
CONFLICT = Check(
    id="cue.conflict",
    title="two values for one field",
    meaning="A field is written more than once and the values differ; no merge satisfies both.",
    remedy="Keep one of them.",
)
REQUIRED = Check(
    id="cue.required",
    title="required field without a value",
    meaning="A field is marked with `!` and nothing gives it a value.",
    remedy="Give it a value, or remove the mark.",
)

CHECKS = (CONFLICT, DEPTH, ENCODING, NOT_DATA, NUMBER, REQUIRED, SIZE, SYNTAX)
