"""What concerns a CUE workspace as a whole: things that lie where cue looks, and that no lock names.

1. Modules and files in the vendored tree that nothing locked (`tree.extra-module`, `tree.extra-file`), and links
   and the like outside every module.
2. `modules.cue` names exactly the locked modules, each as it was fetched (`vendor.record`).
3. Replacements: what is locked is not what cue loads (`tree.replaced`).
4. `cue.mod/pkg`, `usr` and `gen`: the main module's own packages. Those under a locked module's path are laid over
   it (`tree.shadowed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.vendor_list import (
    LIST_PATH,
    VENDOR_FOLDER,
    Vendored,
    VendorList,
    parse_vendor_list,
    render_vendor_list,
)
from verify.ecosystems.cue.vendored import module_of
from verify.ecosystems.cue.workspace import LOCAL_FILE
from verify.errors import Absent, Malformed, ModsealError
from verify.report import Detail, Finding, Outcome, Place
from verify.tree import checks as tree_checks
from verify.tree.directory import DirectoryTree
from verify.tree.port import HARMLESS, Oddity
from verify.workflows.faults import finding_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.ecosystems.cue.vendored import VendoredTree
    from verify.ecosystems.cue.workspace import Workspace
    from verify.limits import Limits
    from verify.module import Module
    from verify.sums.entry import SumEntry
    from verify.tree.port import Irregular


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """What no lock names: the modules' names for the account, and all findings."""

    not_locked: tuple[str, ...]
    findings: tuple[Finding, ...]


def find_extra(vendored: VendoredTree, modules: Sequence[Module]) -> Extra:
    """Modules and strays in the vendored tree."""
    known = {str(module) for module in modules}
    found: dict[str, int] = {}
    for folder, share in vendored.shares.items():
        name = str(module_of(folder))
        if name not in known:
            found[name] = len(share.found) + len(share.odd)
    for folder in vendored.tree_lists:
        if str(module_of(folder)) not in known:
            found.setdefault(str(module_of(folder)), 0)
    findings = [
        Finding(
            check=checks.EXTRA_MODULE,
            outcome=Outcome.FAILED,
            message=name,
            details=(Detail(label="files", text=str(count)),),
            hints=("modseal vendor",),
        )
        for name, count in sorted(found.items())
    ]
    findings += [
        Finding(
            check=tree_checks.EXTRA_FILE,
            outcome=Outcome.FAILED,
            message="part of no vendored module",
            file=f"{VENDOR_FOLDER}/{name}",
        )
        for name in vendored.strays
    ]
    findings += [_irregular(each, VENDOR_FOLDER) for each in vendored.odd]
    if vendored.error is not None:
        findings.append(finding_of(vendored.error, None))
    return Extra(not_locked=tuple(sorted(found)), findings=tuple(findings))


def check_record(
    vendored: VendoredTree, modules: Sequence[Module], entries: dict[str, SumEntry], limits: Limits
) -> Iterator[Finding]:
    """The list against the entries, both ways. One finding for every locked module."""
    wanted = {
        str(module): Vendored(module, entry.archive, entry.manifest)
        for module in modules
        if (entry := entries.get(str(module))) is not None and entry.archive and entry.manifest
    }
    try:
        data = vendored.read(LIST_PATH.removeprefix(f"{VENDOR_FOLDER}/"), limits.document_bytes)
        if data == render_vendor_list(VendorList.of(tuple(wanted.values()))):
            listed = wanted
        else:
            listed = {str(each.module): each for each in parse_vendor_list(data, limits=limits).modules}
    except Absent:
        yield Finding(
            check=checks.RECORD, outcome=Outcome.FAILED, message=f"no {LIST_PATH}", hints=("modseal vendor",)
        )
        return
    except (ModsealError, Malformed) as error:
        yield finding_of(error.within(LIST_PATH), None)
        return
    for key, each in wanted.items():
        yield _recorded(key, each, listed.get(key))
    for key in sorted(listed.keys() - wanted.keys()):
        yield Finding(
            check=checks.RECORD,
            outcome=Outcome.FAILED,
            message=f"{key} is recorded and not locked",
            place=Place(path=LIST_PATH, line=listed[key].line or None),
        )


def check_replacements(workspace: Workspace, modules: Sequence[Module]) -> Iterator[tuple[str, Finding]]:
    """Each with the subject it falls on: a locked module, or the path alone where no version is known."""
    known = {str(module) for module in modules}
    for dep in workspace.main.replacements:
        name = str(dep.module) if dep.module is not None and str(dep.module) in known else str(dep.path)
        yield (
            name,
            Finding(
                check=checks.REPLACED,
                outcome=Outcome.FAILED,
                subject=name,
                message=f"cue loads {dep.replace_with} instead",
                place=Place(path=LOCAL_FILE, line=dep.position.line or None),
                hints=(f'modseal verify tree --except "tree.replaced:{name}=REASON"',),
            ),
        )


def check_own_packages(workspace: Workspace, modules: Sequence[Module], limits: Limits) -> Iterator[Finding]:
    """What lies in `cue.mod/pkg`, `usr` and `gen`."""
    paths = {module.path for module in modules}
    for name in ("pkg", "usr", "gen"):
        folder = f"cue.mod/{name}"
        tree = DirectoryTree(workspace.root, limits, below=folder)
        try:
            files = [entry.name for entry in tree.entries()]
            odd = tree.irregulars()
        except Absent:
            continue
        except ModsealError as error:
            yield finding_of(error, None)
            continue
        yield from (_irregular(each, folder) for each in odd)
        over = [file for file in files if _inside(file, paths)]
        for file in over:
            yield Finding(
                check=checks.SHADOWED,
                outcome=Outcome.FAILED,
                message="lies under the path of a locked module",
                file=f"{folder}/{file}",
            )
        if len(files) > len(over):
            count = len(files) - len(over)
            yield Finding(
                check=checks.LOCAL_PACKAGES, outcome=Outcome.NOTED, message=f"{folder}: {count} files"
            )


def _inside(file: str, paths: set[str]) -> bool:
    at = file.rfind("/")
    while at > 0:
        if file[:at] in paths:
            return True
        at = file.rfind("/", 0, at)
    return False


def _recorded(key: str, wanted: Vendored, found: Vendored | None) -> Finding:
    if found is not None and (found.archive, found.manifest) == (wanted.archive, wanted.manifest):
        return Finding(check=checks.RECORD, outcome=Outcome.PASSED, subject=key)
    message = "is not recorded" if found is None else "is recorded as fetched from other bytes"
    return Finding(
        check=checks.RECORD,
        outcome=Outcome.FAILED,
        subject=key,
        message=f"{LIST_PATH}: {message}",
        place=Place(path=LIST_PATH, line=found.line or None) if found else None,
        hints=("modseal vendor",),
    )


def _irregular(irregular: Irregular, folder: str) -> Finding:
    outcome = Outcome.FAILED
    if irregular.oddity in HARMLESS:
        outcome = Outcome.NOTED
    elif irregular.oddity is Oddity.UNREADABLE:
        outcome = Outcome.UNKNOWN
    check = tree_checks.BY_ODDITY[irregular.oddity]
    return Finding(check=check, outcome=outcome, message=check.title, file=f"{folder}/{irregular.name}")
