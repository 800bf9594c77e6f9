"""A CUE module's own files, as `cue mod publish` would take them.

The module file says how: `source.kind: "self"` packs what lies in the folder, `"git"` what git tracks, and the
working tree must be clean. A git revision is packed from its objects: whatever the kind, everything in a commit
is tracked and clean. A module file of a language before v0.9.0-alpha.2 may leave the kind out, which means self.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.ecosystems.cue.modfile import parse_main
from verify.ecosystems.cue.packing import LICENSE, MODULE_FILE, open_source, select_git, select_self
from verify.errors import Malformed
from verify.module import Version
from verify.tree.commit import GitTree
from verify.tree.git import Repository
from verify.tree.rules import SelectedTree
from verify.workflows.targets import PathTarget

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.tree.port import Tree
    from verify.workflows.sources import Source

_KIND_REQUIRED = Version.parse("v0.9.0-alpha.2")


def select_cue(source: Source, limits: Limits) -> SelectedTree:
    """Raises Malformed (the module file, a name, the whole), Refuted (`git.unclean`), and as the tree does."""
    tree = source.hashed()
    kind = source_kind(tree, limits)
    if isinstance(tree, GitTree):
        return _commit(tree, kind, limits)
    if kind == "git" and isinstance(source.target, PathTarget):
        return open_source(tree, kind, Repository(source.target.path, limits))
    return open_source(tree, kind)


def source_kind(tree: Tree, limits: Limits) -> str:
    """`self` or `git`, as the module file says. Raises Malformed."""
    if all(entry.name != MODULE_FILE for entry in tree.entries()):
        raise Malformed(
            f"module: expected {MODULE_FILE}, got none", check="cue.no-module-file", hint="cue mod init"
        )
    with tree.open(MODULE_FILE) as file:
        data = file.read(limits.document_bytes + 1)
    if len(data) > limits.document_bytes:
        raise Malformed(f"{MODULE_FILE}: expected at most {limits.document_bytes} bytes", check="limit.size")
    try:
        found = parse_main(data, limits=limits)
    except Malformed as error:
        raise error.within(MODULE_FILE) from None
    if found.source_kind:
        return found.source_kind
    if Version.parse(found.language) < _KIND_REQUIRED:
        return "self"
    raise Malformed(
        f"{MODULE_FILE}: expected source.kind, got none",
        check="cue.source-kind",
        hint="cue mod edit --source self",
    )


def _commit(tree: GitTree, kind: str, limits: Limits) -> SelectedTree:
    if kind == "self":
        found = select_self(tree)
        found.require()
        return SelectedTree(tree, found.selection)
    root = GitTree(tree.repository, tree.commit, "", limits) if tree.subdir else None
    sizes = {entry.name: entry.size for entry in root.entries()} if root is not None else {}
    found = select_git(tree, None, sizes.get(LICENSE))
    found.require()
    inherited = dict.fromkeys(found.inherited, (root, LICENSE)) if root is not None else {}
    return SelectedTree(tree, found.selection, inherited)
