"""The catalogue of checks is complete: what the code can say, `modseal explain` can explain."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import verify
from verify.report import Check
from verify.workflows.catalogue import checks

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(verify.__file__).parent


def _sources() -> Iterator[Path]:
    yield from sorted(PACKAGE.rglob("*.py"))


def _named(path: Path) -> Iterator[str]:
    """Every literal given as `check=`, and the id of every Check that is made."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            is_check = isinstance(node.func, ast.Name) and node.func.id == "Check"
            wanted = keyword.arg == "check" or (keyword.arg == "id" and is_check)
            if wanted and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
                yield keyword.value.value


def test_every_check_the_code_names_is_in_it() -> None:
    known = set(checks())
    unknown = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in _sources()
        for name in _named(path)
        if name not in known
    }
    assert unknown == set()


def test_every_tuple_of_checks_is_in_it() -> None:
    known = checks()
    for path in _sources():
        if "\nCHECKS" not in path.read_text(encoding="utf-8"):
            continue
        module = importlib.import_module(
            ".".join(("verify", *path.relative_to(PACKAGE).with_suffix("").parts))
        )
        for check in module.CHECKS:
            assert isinstance(check, Check)
            assert known.get(check.id) == check, f"{module.__name__}: {check.id}"


def test_every_check_says_what_it_means() -> None:
    for check in checks().values():
        assert check.title, check.id
        assert check.meaning.endswith("."), check.id
