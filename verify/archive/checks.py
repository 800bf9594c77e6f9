"""Every check of archives, each with what it means and what to do. Those of names are in `verify.tree.checks`."""

from __future__ import annotations

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
EXTRA = Check(
    id="archive.extra",
    title="extra field malformed",
    meaning="An extra field is longer than the room it is in, or stray bytes stand there.",
    remedy="Have the archive rebuilt.",
)
EXTRA_DUPLICATE = Check(
    id="archive.extra-duplicate",
    title="extra field twice",
    meaning="One header has two extra fields of one kind; readers differ in which they take.",
    remedy="Have the archive rebuilt.",
)
UNICODE_PATH = Check(
    id="archive.unicode-path",
    title="second name in an extra field",
    meaning="An extra field names the entry a second time. Some readers take that name, others do not.",
    remedy="Rebuild with UTF-8 names (Info-ZIP: zip -UN=UTF8), or with modseal pack.",
)
UNIX_EXTRA = Check(
    id="archive.unix-extra",
    title="second attributes in an extra field",
    meaning="An extra field gives the entry attributes that only some readers heed.",
    remedy="Rebuild the archive without that extension.",
)
SYMLINK = Check(
    id="archive.symlink",
    title="symbolic link in an archive",
    meaning="An entry is a symbolic link. Some readers follow it out of the folder, others write its target as text.",
    remedy="Replace the link by the file it stands for, then pack again.",
)
DEVICE = Check(
    id="archive.device",
    title="device or pipe in an archive",
    meaning="An entry is neither a file nor a folder.",
    remedy="Remove it, then pack again.",
)
SPECIAL_MODE = Check(
    id="archive.special-mode",
    title="setuid, setgid or sticky bit",
    meaning="An entry asks for rights that no module needs.",
    remedy="Clear the bits (chmod), then pack again.",
)
FOLDER_FLAG = Check(
    id="archive.folder-flag",
    title="file or folder, not both",
    meaning="An entry is a file by its name and a folder by its mode, or the other way round; readers differ.",
    remedy="Have the archive rebuilt.",
)
FOLDER_DATA = Check(
    id="archive.folder-data",
    title="folder with data",
    meaning="The entry of a folder has content, which some readers write to a file.",
    remedy="Have the archive rebuilt.",
)
DIRECTORY_ENTRY = Check(
    id="archive.directory-entry",
    title="folder has an entry",
    meaning="A folder has an entry of its own. It is not part of the tree hash; Go's HashZip counts it, so its h1 of this zip differs from that of the extracted folder.",
    remedy="Pack without folder entries (zip -D) where that hash must agree.",
)
COMMENT = Check(
    id="archive.comment",
    title="archive comment",
    meaning="The archive has a comment, as git archive writes one. No reader takes it for content.",
)
ENTRY_COMMENT = Check(
    id="archive.entry-comment",
    title="entry comment",
    meaning="An entry has a comment. No reader takes it for content.",
)
NAME_ENCODING = Check(
    id="archive.name-encoding",
    title="name in no known encoding",
    meaning="A name is not UTF-8 although it says so, or is neither ASCII nor marked as UTF-8. Readers guess in different ways.",
    remedy="Rebuild with UTF-8 names, or with modseal pack.",
)
ENCRYPTED = Check(
    id="archive.encrypted",
    title="encrypted entry",
    meaning="An entry says that it is encrypted. Some readers ignore that and give other bytes.",
    remedy="Publish the archive unencrypted; encrypt the channel.",
)
FLAGS = Check(
    id="archive.flags",
    title="unknown flags",
    meaning="An entry has flags that change how it is read.",
    remedy="Have the archive rebuilt.",
)
METHOD = Check(
    id="archive.method",
    title="unknown compression",
    meaning="An entry is neither stored nor deflated; many readers cannot open it.",
    remedy="Rebuild with deflate, or stored.",
)
VERSION = Check(
    id="archive.version",
    title="needs a newer reader",
    meaning="An entry asks for a reader of a version that not all have.",
    remedy="Have the archive rebuilt.",
)
SIZE = Check(
    id="archive.size",
    title="wrong size",
    meaning="A file has another size than its header states. Some readers write all of it, others cut it.",
    remedy="Do not use this archive: fetch it again.",
)
CRC = Check(
    id="archive.crc",
    title="wrong CRC",
    meaning="A file has another checksum than its header states.",
    remedy="Fetch the archive again: it was damaged or altered.",
)
DEFLATE = Check(
    id="archive.deflate",
    title="broken deflate stream",
    meaning="Compressed data is not a deflate stream, or does not end.",
    remedy="Fetch the archive again: it was damaged or altered.",
)
DEFLATE_JUNK = Check(
    id="archive.deflate-junk",
    title="data after the deflate stream",
    meaning="Inside an entry's data, bytes follow the end of what is compressed. No reader shows them.",
    remedy="Have the archive rebuilt.",
)
CUT_SHORT = Check(
    id="archive.cut-short",
    title="file ends inside an entry",
    meaning="The file ended, or was shortened, while an entry was read.",
    remedy="Fetch the archive again.",
)
LOCAL_MISSING = Check(
    id="archive.local-missing",
    title="entry without a header",
    meaning="The directory names an entry, and at its place there is none.",
    remedy="Fetch the archive again, or have it rebuilt.",
)
LOCAL_NAME = Check(
    id="archive.local-name",
    title="two names for one entry",
    meaning="Local header and directory name the entry differently; readers differ in which they take.",
    remedy="Do not use this archive. Find out who made it.",
)
LOCAL_FLAGS = Check(
    id="archive.local-flags",
    title="two sets of flags for one entry",
    meaning="Local header and directory have different flags for the entry.",
    remedy="Have the archive rebuilt.",
)
LOCAL_METHOD = Check(
    id="archive.local-method",
    title="two methods for one entry",
    meaning="Local header and directory name different compression; a scanner may see other bytes than an installer.",
    remedy="Do not use this archive. Find out who made it.",
)
LOCAL_TIME = Check(
    id="archive.local-time",
    title="two times for one entry",
    meaning="Local header and directory have different times for the entry.",
    remedy="Have the archive rebuilt.",
)
LOCAL_VERSION = Check(
    id="archive.local-version",
    title="two versions for one entry",
    meaning="Local header and directory ask for different reader versions.",
    remedy="Have the archive rebuilt.",
)
LOCAL_EXTRA = Check(
    id="archive.local-extra",
    title="two extra fields for one entry",
    meaning="Local header and directory have different extra fields of a kind that should agree.",
    remedy="Have the archive rebuilt.",
)
LOCAL_CRC = Check(
    id="archive.local-crc",
    title="two checksums for one entry",
    meaning="Local header and directory have different CRCs for the entry.",
    remedy="Do not use this archive. Find out who made it.",
)
LOCAL_SIZE = Check(
    id="archive.local-size",
    title="two sizes for one entry",
    meaning="Local header and directory have different sizes for the entry; readers that stream see other bytes.",
    remedy="Do not use this archive. Find out who made it.",
)
DESCRIPTOR = Check(
    id="archive.descriptor",
    title="data descriptor missing or wrong",
    meaning="After the data of an entry written as a stream, its sizes and CRC are missing or wrong.",
    remedy="Fetch the archive again, or have it rebuilt.",
)
OVERLAP = Check(
    id="archive.overlap",
    title="entries overlap",
    meaning="Two entries share bytes, or one runs into the directory: a bomb, or two names for one file.",
    remedy="Do not unpack it.",
)
HIDDEN_ENTRY = Check(
    id="archive.hidden-entry",
    title="entry that the directory does not name",
    meaning="Between the entries lies one that readers see only if they read from the start.",
    remedy="Do not use this archive. Find out who made it.",
)
GAP = Check(
    id="archive.gap",
    title="data between entries",
    meaning="Bytes between entries belong to nothing. No reader shows them.",
    remedy="Have the archive rebuilt.",
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
    EXTRA,
    EXTRA_DUPLICATE,
    UNICODE_PATH,
    UNIX_EXTRA,
    SYMLINK,
    DEVICE,
    SPECIAL_MODE,
    FOLDER_FLAG,
    FOLDER_DATA,
    DIRECTORY_ENTRY,
    COMMENT,
    ENTRY_COMMENT,
    NAME_ENCODING,
    ENCRYPTED,
    FLAGS,
    METHOD,
    VERSION,
    SIZE,
    CRC,
    DEFLATE,
    DEFLATE_JUNK,
    CUT_SHORT,
    LOCAL_MISSING,
    LOCAL_NAME,
    LOCAL_FLAGS,
    LOCAL_METHOD,
    LOCAL_TIME,
    LOCAL_VERSION,
    LOCAL_EXTRA,
    LOCAL_CRC,
    LOCAL_SIZE,
    DESCRIPTOR,
    OVERLAP,
    HIDDEN_ENTRY,
    GAP,
)
