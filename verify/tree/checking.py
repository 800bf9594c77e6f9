"""A tree against what it is expected to be: everything that lies there counts.

`check_tree` gives a passed `tree.hash` only when the names and contents of all files are those expected *and*
nothing lies in the tree that a hash is blind to: a link, a device, a submodule, a name no list can hold, a
special mode. Hard links and empty folders are noted and decide nothing. What could not be read is unknown.
A tree without files proves nothing: it never passes.

With `part`, only the files below one folder are checked, against a list, and what passes is `tree.part`.

`check_tree_names` says what is wrong with the names, by a profile; the caller says how much that matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.digest import TreeHash, measure
from verify.errors import Misused, ModsealError, Undecidable
from verify.report import Detail, Finding, Outcome
from verify.tree import checks
from verify.tree.comparison import Comparison, compare
from verify.tree.hashing import hash_tree, with_slash
from verify.tree.listing import TreeList
from verify.tree.names import check_names
from verify.tree.port import HARMLESS, Oddity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.report import Check
    from verify.tree.names import Profile
    from verify.tree.port import Irregular, Tree

_UNKNOWN = frozenset({Oddity.UNREADABLE})
_BY_ID = {check.id: check for check in checks.CHECKS}


def check_tree(
    actual: Tree,
    expected: Tree | TreeList | TreeHash,
    subject: str,
    part: str | None = None,
    *,
    prefix: str = "",
) -> tuple[Finding, ...]:
    """Findings on one subject. `prefix` stands before the names in a hash or list (`module@version/`); `part`
    is a folder of the tree. Errors of reading become findings; raises Misused for a part of anything but a list.
    """
    if part is not None and not isinstance(expected, TreeList):
        raise Misused("part of a tree: expected a tree list to check it against", hint="modseal hash --list")
    findings: list[Finding] = []
    try:
        findings.extend(_findings(actual, expected, subject, part, prefix))
    except ModsealError as error:  # what was found before it stays found
        findings.append(_error(error, subject))
    return tuple(findings)


def _error(error: ModsealError, subject: str) -> Finding:
    check = _BY_ID.get(error.check or "")
    if check is None:
        raise error
    outcome = Outcome.UNKNOWN if isinstance(error, Undecidable) else Outcome.FAILED
    hints = (error.hint,) if error.hint else ()
    return Finding(check=check, outcome=outcome, subject=subject, message=str(error), hints=hints)


def check_tree_names(
    tree: Tree, profile: Profile, subject: str, outcome: Outcome = Outcome.FAILED
) -> tuple[Finding, ...]:
    """One finding with `outcome` for each fault of a name; none where there is none."""
    return tuple(
        Finding(check=fault.check, outcome=outcome, subject=subject, message=fault.detail, file=fault.name)
        for fault in check_names([entry.name for entry in tree.entries()], profile)
    )


def _findings(
    actual: Tree, expected: Tree | TreeList | TreeHash, subject: str, part: str | None, prefix: str
) -> Iterator[Finding]:
    inside = with_slash(part or "")
    odd = [_irregular(each, subject) for each in actual.irregulars() if _lies(each.name, inside)]
    yield from odd
    sound = all(finding.outcome is Outcome.NOTED for finding in odd)
    files = sum(1 for entry in actual.entries() if entry.name.startswith(inside))
    if not files:
        yield Finding(
            check=checks.EMPTY, outcome=Outcome.UNKNOWN, subject=subject, message="no files lie here"
        )
    if isinstance(expected, TreeList):
        differences = tuple(_compared(actual, expected, subject, part, prefix))
    elif isinstance(expected, TreeHash):
        differences = tuple(_hashed(actual, expected, subject, prefix))
    else:
        differences = tuple(_differences(compare(expected, actual), subject, ""))
    yield from differences
    if files and sound and not differences:
        passed = checks.HASH if part is None else checks.PART
        count = f"{files} file" if files == 1 else f"{files} files"
        yield Finding(check=passed, outcome=Outcome.PASSED, subject=subject, message=f"{count} as expected")


def _lies(name: str, inside: str) -> bool:
    """Below the part, or a detour on the way to it."""
    return name.startswith(inside) or inside.startswith(f"{name}/")


def _irregular(irregular: Irregular, subject: str) -> Finding:
    oddity = irregular.oddity
    outcome = Outcome.FAILED
    if oddity in HARMLESS:
        outcome = Outcome.NOTED
    elif oddity in _UNKNOWN:
        outcome = Outcome.UNKNOWN
    label = "target" if oddity is Oddity.SYMLINK else "found"
    details = (Detail(label=label, text=irregular.detail),) if irregular.detail else ()
    check = checks.BY_ODDITY[oddity]
    return Finding(
        check=check,
        outcome=outcome,
        subject=subject,
        message=check.title,
        file=irregular.name,
        details=details,
    )


def _hashed(actual: Tree, expected: TreeHash, subject: str, prefix: str) -> Iterator[Finding]:
    found = hash_tree(actual, prefix)
    if found != expected:
        yield Finding(
            check=checks.HASH,
            outcome=Outcome.FAILED,
            subject=subject,
            message=f"expected {expected}, got {found}",
            details=_details(str(expected), str(found)),
        )


def _compared(
    actual: Tree, expected: TreeList, subject: str, part: str | None, prefix: str
) -> Iterator[Finding]:
    before = with_slash(prefix)
    if part is None:
        found = TreeList.of(actual, prefix)
    else:
        found = _part(actual, with_slash(part), before)
        expected = expected.below(before + part)
    yield from _differences(compare(expected, found), subject, before)


def _part(actual: Tree, inside: str, before: str) -> TreeList:
    """Reads what lies in the part, and nothing else."""
    items = []
    for entry in actual.entries():
        if entry.name.startswith(inside):
            with actual.open(entry.name) as file:
                items.append((before + entry.name, measure(file, most=entry.size).sha256))
    return TreeList.from_items(items)


def _differences(found: Comparison, subject: str, before: str) -> Iterator[Finding]:
    def failed(check: Check, name: str, message: str, details: tuple[Detail, ...] = ()) -> Finding:
        file = name.removeprefix(before)
        return Finding(
            check=check, outcome=Outcome.FAILED, subject=subject, message=message, file=file, details=details
        )

    for name in found.extra:
        yield failed(checks.EXTRA_FILE, name, "not in the expected tree")
    for name in found.missing:
        yield failed(checks.MISSING_FILE, name, "expected, and not here")
    for renamed in found.case_changed:
        details = _details(renamed.expected.removeprefix(before), renamed.actual.removeprefix(before))
        yield failed(checks.CASE_CHANGED, renamed.actual, "differs in case or Unicode form", details)
    inside = [each.content for each in found.case_changed if each.content is not None]
    for changed in (*found.changed, *inside):
        details = _details(str(changed.expected), str(changed.actual))
        yield failed(checks.CHANGED_FILE, changed.name, "has other content", details)
    for mode in found.mode_changed:
        kinds = ["executable" if each else "not executable" for each in (mode.expected, mode.actual)]
        yield failed(checks.MODE_CHANGED, mode.name, f"expected {kinds[0]}, got {kinds[1]}")


def _details(expected: str, found: str) -> tuple[Detail, ...]:
    return Detail(label="expected", text=expected), Detail(label="found", text=found)
