"""What can be said of a CUE workspace against its lock data."""

from __future__ import annotations

from typing import Final

from verify.report import Check

ENTRY: Final = Check(
    id="lock.entry",
    title="module is locked",
    meaning="Every module of the build list has its entry in cue.mod/sum.cue; without one nothing says what its bytes must be.",
    remedy="Run `modseal lock` and review what it adds.",
)
MODFILE: Final = Check(
    id="lock.modfile",
    title="module file has the locked hash",
    meaning="The module's own declaration, which selects further modules, is the one that was locked.",
    remedy="Restore it (`modseal vendor --restore MODULE`), or find out who published other bytes.",
)
ARCHIVE: Final = Check(
    id="lock.archive",
    title="archive has the locked digest",
    meaning="The module's zip, in the module cache or a registry, is byte for byte the one that was locked.",
    remedy="Remove it from the cache and let it be fetched again; if it repeats, tell whoever runs the registry.",
)
CHANGED: Final = Check(
    id="lock.changed",
    title="locked version has other bytes now",
    meaning="The registry serves other bytes for a version that is locked already. A published version never changes.",
    remedy="Find out why. If the new bytes are right: modseal lock --update MODULE",
)
ADDED: Final = Check(
    id="lock.added",
    title="newly locked",
    meaning="The module had no entry before; the bytes that were served now are what is locked.",
    remedy="Review the entry as you would review new code.",
)
REMOVED: Final = Check(
    id="lock.removed",
    title="no longer locked",
    meaning="Nothing in the build list needs the module any more, so its entry was removed.",
)
UPDATED: Final = Check(
    id="lock.updated",
    title="entry changed on demand",
    meaning="--update named this module, and its entry was replaced by what is served now.",
    remedy="Say in the commit why the bytes of a published version changed.",
)
UNTIDY: Final = Check(
    id="lock.untidy",
    title="full closure differs",
    meaning="A dependency does not list what its own dependencies require. cue reads two levels of requirements and builds without it; other tools may not.",
    remedy="Tell the publisher of the module that requires it to run `cue mod tidy`.",
)
OVERLOOKED: Final = Check(
    id="lock.overlooked",
    title="two versions of one module",
    meaning="The main module names a lower version than its dependencies require. cue loads packages from the lower one, so both are locked.",
    remedy="Run `cue mod tidy`.",
)
TRUSTED_CACHE: Final = Check(
    id="lock.trusted-cache",
    title="locked from the module cache",
    meaning="The cache keeps no manifest, so the manifest's digest was computed as cue would write it, and nobody compared the bytes with a registry.",
    remedy="Run `modseal lock --update MODULE` where the registry can be reached.",
)
ABSENT: Final = Check(
    id="lock.absent",
    title="no sum file",
    meaning="The workspace has dependencies and no cue.mod/sum.cue, so nothing says what their bytes must be.",
    remedy="Run `modseal lock`, or restore the file from version control.",
)
PINNED: Final = Check(
    id="lock.pinned",
    title="sum file is the one that was pinned",
    meaning="The workspace's own sum file is the one that --sum names; who edits tree and sum together is found here.",
    remedy="See what changed in cue.mod/sum.cue since the pinned revision, and who changed it.",
)
BUILD_LIST: Final = Check(
    id="lock.build-list",
    title="build list is not known",
    meaning="The module file of a dependency could not be read, so nobody can say which modules it adds.",
    remedy="Run `modseal vendor`, fill the module cache, or say --from.",
)
SURPLUS: Final = Check(
    id="sum.surplus",
    title="entry that nothing needs",
    meaning="The sum file locks a module that the build list does not name: module.cue and sum.cue disagree.",
    remedy="Run `modseal lock`.",
)
EXTRA_MODULE: Final = Check(
    id="tree.extra-module",
    title="module that no lock names",
    meaning="A module lies in the vendored tree, and neither the build list nor the sum file knows it.",
    remedy="Run `modseal vendor`, which removes it.",
)
MISSING_MODULE: Final = Check(
    id="tree.missing-module",
    title="module's bytes are not there",
    meaning="A locked module lies in none of the places that were looked at: the vendored tree, the module cache, --from.",
    remedy="Run `modseal vendor`, or say where it lies with --cache or --from.",
)
REPLACED: Final = Check(
    id="tree.replaced",
    title="module is replaced",
    meaning="cue.mod/local-module.cue puts something else in the place of a module, so that what is locked is not what cue loads.",
    remedy="Remove the replacement, or accept it: --except tree.replaced:MODULE=REASON",
)
SHADOWED: Final = Check(
    id="tree.shadowed",
    title="packages laid over a locked module",
    meaning="cue.mod/pkg, usr or gen holds files under the path of a locked module; cue takes them for the main module's own.",
    remedy="Remove them, or accept them: --except tree.shadowed=REASON",
)
LOCAL_PACKAGES: Final = Check(
    id="tree.local-packages",
    title="packages in cue.mod",
    meaning="cue.mod/pkg, usr or gen holds packages. They are part of the main module and published with it; no lock names them.",
)
NOT_A_FILE: Final = Check(
    id="tree.not-a-file",
    title="no file where one is expected",
    meaning="A folder or a device stands where a file of the lock data is expected.",
    remedy="Restore the file.",
)
RECORD: Final = Check(
    id="vendor.record",
    title="vendored module is recorded as locked",
    meaning="cue.mod/vendor/modules.cue names the module with the archive and manifest that sum.cue locks.",
    remedy="Run `modseal vendor`.",
)
LAYER_MISMATCH: Final = Check(
    id="cue.layer-mismatch",
    title="two module files in one artifact",
    meaning="The module file that is served beside the zip differs from the one inside it: versions would be selected by one and code loaded by the other.",
    remedy="Do not use the module, and tell whoever publishes it.",
)
UNUSED_EXCEPTION: Final = Check(
    id="exception.unused",
    title="exception that covers nothing",
    meaning="An --except names a check or module that did not fail. It would hide the next failure without anybody noticing.",
    remedy="Remove the exception.",
)

CHECKS = (
    ABSENT,
    ADDED,
    ARCHIVE,
    BUILD_LIST,
    CHANGED,
    ENTRY,
    EXTRA_MODULE,
    LAYER_MISMATCH,
    LOCAL_PACKAGES,
    MISSING_MODULE,
    MODFILE,
    NOT_A_FILE,
    OVERLOOKED,
    PINNED,
    RECORD,
    REMOVED,
    REPLACED,
    SHADOWED,
    SURPLUS,
    TRUSTED_CACHE,
    UNTIDY,
    UNUSED_EXCEPTION,
    UPDATED,
)
