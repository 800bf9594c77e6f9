"""What can be wrong with a git repository as a source of files."""

from __future__ import annotations

from verify.report import Check

UNUSABLE = Check(
    id="git.unusable",
    title="git cannot be used",
    meaning="There is no git, it is older than the first version that can be kept from fetching on its own, or it failed.",
    remedy="Install a git that still gets fixes: 2.45 or later, or 2.39.4, 2.40.2, 2.41.1, 2.42.2, 2.43.4, 2.44.1.",
)
NO_REPOSITORY = Check(
    id="git.no-repository",
    title="no repository",
    meaning="Neither the folder nor one above it is a git repository, or it has no working tree where one is needed.",
    remedy="Check the path.",
)
OWNERSHIP = Check(
    id="git.ownership",
    title="repository of another user",
    meaning="The repository belongs to another user, whose configuration could run commands as you; git refuses it.",
    remedy="Run as its owner, or trust it by name: git config --global --add safe.directory PATH.",
)
NO_REVISION = Check(
    id="git.no-revision",
    title="revision is not there",
    meaning="The repository knows no commit under this name, or the commit has no such folder.",
    remedy="Check the spelling, and fetch the revision first: nothing is fetched on the side.",
)
AMBIGUOUS = Check(
    id="git.ambiguous-revision",
    title="revision has two meanings",
    meaning="A name stands for more than one thing, a branch and a tag for instance; whoever may push one could choose.",
    remedy="Write refs/tags/NAME or refs/heads/NAME, or the full commit id.",
)
OBJECT_MISMATCH = Check(
    id="git.object-mismatch",
    title="object is not what its id says",
    meaning="A stored object has other bytes than its id was computed from: the store is damaged or was changed by hand.",
    remedy="Run git fsck and clone again. Ask who could write to the repository's objects.",
)
OBJECT_MISSING = Check(
    id="git.object-missing",
    title="object is not in the repository",
    meaning="An object that the commit is made of is not stored here, as in a partial clone. Nothing is fetched on the side.",
    remedy="Fetch the whole commit first, or use a full clone.",
)
OBJECT_MALFORMED = Check(
    id="git.object-malformed",
    title="object breaks its format",
    meaning="A commit, tag or tree has the right id and contents that git itself would never write or check out.",
    remedy="Run git fsck on the repository; do not use the commit.",
)
WORKTREE_ELSEWHERE = Check(
    id="git.worktree-elsewhere",
    title="working tree lies elsewhere",
    meaning="The repository's configuration says that its working tree is another folder than the one it lies in.",
    remedy="Unset core.worktree, or name the folder that it points to.",
)
UNCLEAN = Check(
    id="git.unclean",
    title="working tree differs from the commit",
    meaning="Files differ from the commit, or lie there uncommitted and not ignored, so the commit does not say what would be packed.",
    remedy="Commit, stash or ignore the changes (git status). Where line endings are converted, check out without conversion.",
)

CHECKS = (
    UNUSABLE,
    NO_REPOSITORY,
    OWNERSHIP,
    NO_REVISION,
    AMBIGUOUS,
    OBJECT_MISMATCH,
    OBJECT_MISSING,
    OBJECT_MALFORMED,
    WORKTREE_ELSEWHERE,
    UNCLEAN,
)
