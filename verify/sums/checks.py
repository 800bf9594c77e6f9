"""What can be wrong with a sum file."""

from __future__ import annotations

from verify.report import Check

FORMAT = Check(
    id="sum.format",
    title="unknown sum format",
    meaning="The file does not say that it is a modseal.sum/1 file of the ecosystem asked for, so nothing in it is read.",
    remedy="Update modseal, or write the file anew with `modseal lock`.",
)
UNKNOWN_FIELD = Check(
    id="sum.unknown-field",
    title="unknown field",
    meaning="A sum file holds only the fields of its format: what nobody reads cannot protect anything.",
    remedy="Remove the field, or update modseal if a newer one wrote it.",
)
MISSING_FIELD = Check(
    id="sum.missing-field",
    title="required field missing",
    meaning="Every entry has all fields its ecosystem requires, so that deleting a field deletes no check.",
    remedy="Restore the file from version control, or run `modseal lock --update MODULE`.",
)
DUPLICATE_KEY = Check(
    id="sum.duplicate-key",
    title="field or module named twice",
    meaning="CUE would merge the two; a lock that says a thing twice is an accident or an attempt.",
    remedy="Keep the right one; after a merge, `modseal lock --merge` does that.",
)
KEY = Check(
    id="sum.key",
    title="not a module's key",
    meaning="An entry's key is not the ecosystem's identity of a module in its one spelling.",
    remedy="Restore the file from version control, or run `modseal lock`.",
)
VALUE = Check(
    id="sum.value",
    title="not a hash",
    meaning="A field does not hold a hash or an address of its kind in its one spelling.",
    remedy="Restore the file from version control, or run `modseal lock --update MODULE`.",
)
NOT_CANONICAL = Check(
    id="sum.not-canonical",
    title="not as modseal writes it",
    meaning="The file says the same as a canonical one but is spelt differently: line ends, order, spaces, comments.",
    remedy="Run `modseal lock`; for CRLF, add `sum.cue text eol=lf` to .gitattributes.",
)
CONFLICT = Check(
    id="sum.conflict",
    title="two hashes for one module",
    meaning="Both sides of a merge lock the same module to different bytes; only one can be what was published.",
    remedy="Find out which bytes the registry has; then `modseal lock --update MODULE`.",
)

CHECKS = (CONFLICT, DUPLICATE_KEY, FORMAT, KEY, MISSING_FIELD, NOT_CANONICAL, UNKNOWN_FIELD, VALUE)
