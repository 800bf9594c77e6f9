"""What can go wrong with artifacts between a store and a folder, apart from what stores themselves check."""

from __future__ import annotations

from verify.report import Check

TAG_EXISTS = Check(
    id="publish.tag-exists",
    title="version tag exists with other content",
    meaning="The tag already names another manifest. Whoever locked that version would get other bytes than before.",
    remedy="Publish under a new version, or move the tag on purpose with --force.",
)
READ_BACK = Check(
    id="publish.read-back",
    title="what was published is not what is there",
    meaning="Right after publishing, the store gave another manifest under the tag, or lacks something it names.",
    remedy="Publish again. If it repeats, somebody else moves the tag, or the store loses content.",
)
IDENTITY = Check(
    id="publish.identity",
    title="module and place do not fit",
    meaning="The module file declares another path or major than the name or tag under which it is published.",
    remedy="Correct the target, or the module line in cue.mod/module.cue.",
)
LOCK_STALE = Check(
    id="publish.lock-stale",
    title="module's own lock is stale",
    meaning="cue.mod/sum.cue does not lock what the module file asks for, so whoever publishes has not checked these dependencies.",
    remedy="Run modseal lock, look at what changed, and publish again.",
)
NOT_A_MODULE = Check(
    id="publish.not-a-module",
    title="archive is no module of this type",
    meaning="The zip holds what the ecosystem's own tool would not have packed, or lacks what it needs.",
    remedy="Pack it again: modseal pack, or publish the folder itself.",
)
NOT_LISTED = Check(
    id="attach.not-listed",
    title="attached and not listed",
    meaning="The file was stored and is not among what the store lists under its subject, so nobody would find it.",
    remedy="Run modseal referrers --repair, or attach it again.",
)
MODULE_FILE = Check(
    id="pull.module-file",
    title="two module files",
    meaning="The module file that the manifest carries differs from the one inside the zip: cue resolves versions with one and evaluates the other.",
    remedy="Do not use the artifact. Ask its publisher how it was made.",
)
NO_ARCHIVE = Check(
    id="pull.no-archive",
    title="nothing to unpack",
    meaning="The artifact has no zip that could be unpacked. Its content can still be kept as it is.",
    remedy="Keep it with --keep-archive FILE, or use the ecosystem's own tool.",
)
AN_INDEX = Check(
    id="pull.index",
    title="an index, not one artifact",
    meaning="The reference names a list of manifests, and which of them is meant is not for modseal to choose.",
    remedy="Name one by its digest; modseal inspect lists them.",
)

CHECKS = (
    TAG_EXISTS,
    READ_BACK,
    IDENTITY,
    NOT_A_MODULE,
    LOCK_STALE,
    NOT_LISTED,
    MODULE_FILE,
    NO_ARCHIVE,
    AN_INDEX,
)
