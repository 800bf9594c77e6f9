"""The checks of single entries: their headers, names, types and data."""

from __future__ import annotations

from verify.report import Check

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
    remedy="Rebuild with a tool that marks UTF-8 names as such, or with modseal pack.",
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
    remedy="Rebuild with ASCII names, with a tool that marks UTF-8 names as such, or with modseal pack.",
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

ENTRY_CHECKS: tuple[Check, ...] = (
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
