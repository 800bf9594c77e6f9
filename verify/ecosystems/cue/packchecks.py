"""What can be wrong with a folder that is to become a CUE module, apart from its names."""

from __future__ import annotations

from verify.report import Check

TOO_LARGE = Check(
    id="cue.module-too-large",
    title="module is too large",
    meaning="The files of the module hold more than 500 MiB together, which cue neither publishes nor accepts.",
    remedy="Leave out what the module does not need.",
)
FILE_TOO_LARGE = Check(
    id="cue.file-too-large",
    title="module file or licence is too large",
    meaning="cue.mod/module.cue or LICENSE holds more than 16 MiB, which cue neither publishes nor accepts.",
    remedy="Check that the file is what its name says.",
)
NO_MODULE_FILE = Check(
    id="cue.no-module-file",
    title="no module file",
    meaning="Nothing that would be packed is named cue.mod/module.cue, so it is no module.",
    remedy="Name the folder that has cue.mod; with source.kind git, add the file to git.",
)
CASE = Check(
    id="cue.case",
    title="cue.mod or module.cue in another case",
    meaning="A name at the module's root differs from cue.mod/module.cue in case only: some systems would take it for that.",
    remedy="Rename it in lower case.",
)
SOURCE_KIND = Check(
    id="cue.source-kind",
    title="unusable source kind",
    meaning="The source kind in cue.mod/module.cue is neither self nor git, or it is git and there is no repository.",
    remedy="Choose one: cue mod edit --source self, or git.",
)
LICENSE_LINK = Check(
    id="cue.license",
    title="licence is no regular file",
    meaning="A module takes over the LICENSE at the repository's root, and something else than a file has this name there.",
    remedy="Put a LICENSE file into the module's own folder, or at the root.",
)

CHECKS = (TOO_LARGE, FILE_TOO_LARGE, NO_MODULE_FILE, CASE, SOURCE_KIND, LICENSE_LINK)
