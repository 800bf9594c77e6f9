"""Every check of archives, each with what it means and what to do. Those of names are in `verify.tree.checks`."""

from __future__ import annotations

from verify.archive.entry_checks import ENTRY_CHECKS
from verify.report import Check

STRUCTURE = Check(
    id="archive.structure",
    title="one reading",
    meaning="The archive can be read in one way only: every byte belongs to one entry or record, and all headers agree.",
    remedy="Ask for the archive again where it was published; rebuild it with modseal pack if it is yours.",
)
CONTENTS = Check(
    id="archive.contents",
    title="contents are what headers say",
    meaning="Every file inflates to the size and CRC that its headers state.",
    remedy="Fetch the archive again: it was damaged or altered.",
)
CANONICAL = Check(
    id="archive.canonical",
    title="canonical bytes",
    meaning="Written again from its own contents, the archive gives the same bytes.",
    remedy="Pack the tree with modseal pack and publish that archive.",
)
NOT_CANONICAL = Check(
    id="archive.not-canonical",
    title="not the canonical bytes",
    meaning="A field or byte differs from what modseal would have written for the same files.",
    remedy="Pack the tree again with modseal pack; or leave out --canonical, for archives that others made.",
)
SLOW_ENCODER = Check(
    id="archive.slow-encoder",
    title="re-encoding would take too long",
    meaning="The reference encoder is not on this machine, and the archive is too large for the slow one.",
    remedy="Run the check where Python links the reference zlib, or raise the limit.",
)
NO_MODES = Check(
    id="archive.no-modes",
    title="no executable bits to keep",
    meaning="The tree comes from where no modes are kept, so an archive that keeps them would depend on the machine.",
    remedy="Pack from git or from a POSIX folder, or do not keep the executable bit.",
)
EMPTY = Check(
    id="archive.empty",
    title="archive without files",
    meaning="There is no file in it. A check of nothing proves nothing.",
    remedy="Check that this is the archive you mean.",
)
NO_END = Check(
    id="archive.no-end",
    title="not a zip file",
    meaning="The record that ends every zip file is missing: the file is something else, or cut short.",
    remedy="Fetch the file again and compare its sha256.",
)
SUFFIX_DATA = Check(
    id="archive.suffix-data",
    title="data after the archive",
    meaning="Bytes follow the end record. Readers that search from the end, and those that read from the start, may see different archives.",
    remedy="Rebuild the archive; never append to one.",
)
COMMENT_LENGTH = Check(
    id="archive.comment-length",
    title="archive comment cut short",
    meaning="The end record promises a longer comment than the file has.",
    remedy="Fetch the file again: its end is missing.",
)
EOCD_IN_COMMENT = Check(
    id="archive.eocd-in-comment",
    title="archive hidden in a comment",
    meaning="A comment holds the mark of a zip record, so that some readers open another archive than others.",
    remedy="Do not use this archive. Find out who made it.",
)
SEVERAL_EOCD = Check(
    id="archive.several-eocd",
    title="several end records",
    meaning="More than one end record could be taken for the archive's own.",
    remedy="Do not use this archive. Find out who made it.",
)
DISK = Check(
    id="archive.disk",
    title="archive in several parts",
    meaning="A record says that the archive spans several disks.",
    remedy="Join the parts and pack again as one file.",
)
ZIP64_MISSING = Check(
    id="archive.zip64-missing",
    title="64-bit end record missing",
    meaning="The end record refers to a 64-bit one, and there is none.",
    remedy="Fetch the file again, or have it rebuilt.",
)
ZIP64_LOCATOR = Check(
    id="archive.zip64-locator",
    title="64-bit end record elsewhere",
    meaning="The locator points to another place than right before itself; readers differ in which place they believe.",
    remedy="Have the archive rebuilt.",
)
ZIP64_END = Check(
    id="archive.zip64-end",
    title="64-bit end record malformed",
    meaning="The 64-bit end record is not where it must be, or has data of a private kind.",
    remedy="Have the archive rebuilt.",
)
ZIP64_DISAGREES = Check(
    id="archive.zip64-disagrees",
    title="two end records disagree",
    meaning="The 32-bit and the 64-bit end record give different values, and readers differ in which they believe.",
    remedy="Do not use this archive. Find out who made it.",
)
ZIP64_UNNEEDED = Check(
    id="archive.zip64-unneeded",
    title="64-bit end record not needed",
    meaning="There is a 64-bit end record though nothing needs it. Both agree, so it changes nothing.",
)
ZIP64_EXTRA = Check(
    id="archive.zip64-extra",
    title="64-bit sizes malformed",
    meaning="The extra field with 64-bit sizes holds other values than the header asks for.",
    remedy="Have the archive rebuilt.",
)
PREFIX_DATA = Check(
    id="archive.prefix-data",
    title="data before the archive",
    meaning="Bytes stand before the first entry. The file may be a program, an image or another archive at once.",
    remedy="Rebuild the archive without anything in front.",
)
DIRECTORY_OFFSET = Check(
    id="archive.directory-offset",
    title="directory is elsewhere",
    meaning="The end record gives a wrong place for the directory; readers guess in different ways.",
    remedy="Fetch the file again, or have it rebuilt.",
)
DIRECTORY_SIZE = Check(
    id="archive.directory-size",
    title="directory has another size",
    meaning="The end record gives a wrong size of the directory; readers guess in different ways.",
    remedy="Fetch the file again, or have it rebuilt.",
)
DIRECTORY = Check(
    id="archive.directory",
    title="directory with other data",
    meaning="Bytes in the directory belong to no entry.",
    remedy="Have the archive rebuilt.",
)
COUNT = Check(
    id="archive.count",
    title="wrong number of entries",
    meaning="The end record states another number of entries than the directory has. Some readers stop early, others do not.",
    remedy="Have the archive rebuilt.",
)
TOO_LARGE = Check(
    id="archive.too-large",
    title="archive beyond the limit",
    meaning="The file, its directory or the sum of its contents is larger than the limit.",
    remedy="Raise the limit if you expect an archive of this size.",
)
TOO_MANY_ENTRIES = Check(
    id="archive.too-many-entries",
    title="too many entries",
    meaning="The archive has more entries than the limit.",
    remedy="Raise the limit if you expect so many.",
)
RATIO = Check(
    id="archive.ratio",
    title="impossible compression",
    meaning="It claims to inflate to more than deflate can ever give: a bomb, or a lie about sizes.",
    remedy="Do not unpack it.",
)

CHECKS: tuple[Check, ...] = (
    STRUCTURE,
    CONTENTS,
    CANONICAL,
    NOT_CANONICAL,
    SLOW_ENCODER,
    NO_MODES,
    EMPTY,
    NO_END,
    SUFFIX_DATA,
    COMMENT_LENGTH,
    EOCD_IN_COMMENT,
    SEVERAL_EOCD,
    DISK,
    ZIP64_MISSING,
    ZIP64_LOCATOR,
    ZIP64_END,
    ZIP64_DISAGREES,
    ZIP64_UNNEEDED,
    ZIP64_EXTRA,
    PREFIX_DATA,
    DIRECTORY_OFFSET,
    DIRECTORY_SIZE,
    DIRECTORY,
    COUNT,
    TOO_LARGE,
    TOO_MANY_ENTRIES,
    RATIO,
    *ENTRY_CHECKS,
)
