"""The house keeps its own rules: imports point down, formats do no I/O, and nothing grows without being noticed.

import-linter's contracts stand in pyproject.toml. Here each of them is shown to bite: in a copy of the package
every forbidden import is planted, and the linter must name every one. What it cannot express (a module inside a
foreign package, sizes, names) is checked here outright, by functions that are shown their own planted faults.
"""

from __future__ import annotations

import ast
import os
import shutil
import statistics
import subprocess
import sys
import tomllib
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "verify"
CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "tool"
]["importlinter"]["contracts"]
(LAYERS,) = (contract for contract in CONTRACTS if contract["type"] == "layers")
FORBIDDEN = [contract for contract in CONTRACTS if contract["type"] == "forbidden"]

# path below verify/ -> why it may be longer than the budget
LONG_MODULES: dict[str, str] = {}
# path:function -> why
LONG_FUNCTIONS = {"archive/deflate1/stream.py:_walk": "the encoder's inner loop: calls would halve its speed"}

MODULE_LINES, COMMAND_LINES, FUNCTION_LINES, FUNCTION_MEDIAN = 400, 80, 40, 10
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "base", "misc"}


def modules() -> Iterator[tuple[str, str]]:
    """Every module's path below verify/, and its source."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


# --- the contracts bite


def lint(folder: Path) -> str:
    """What import-linter says of the package in a folder, without colours or line breaks."""
    program = (
        "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "1000", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


def plant(folder: Path, imports: Iterable[tuple[str, str]]) -> str:
    """In a copy of the package let each first module import each second one; what the linter says of it."""
    shutil.copytree(PACKAGE, folder / "verify", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    wanted = defaultdict(list)
    for importer, imported in imports:
        wanted[importer].append(imported)
    for importer, several in wanted.items():
        path = folder.joinpath(*importer.split("."))
        path = path / "planted.py" if path.is_dir() else path.with_suffix(".py")
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"import {imported}\n" for imported in several)
    return lint(folder)


def rows() -> list[list[str]]:
    """The layers, highest first, as far as they exist."""
    told = [[name.strip(" ()") for name in row.split("|")] for row in LAYERS["layers"]]
    there = [[name for name in row if exists(f"verify.{name}")] for row in told]
    return [row for row in there if row]


def exists(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def upward() -> list[tuple[str, str]]:
    """From every layer to the one above it, and between neighbours in one layer."""
    climbs = [(low, high) for above, below in pairwise(rows()) for low in below for high in above]
    sideways = [pair for row in rows() for pair in pairwise(row)]
    return [(f"verify.{low}", f"verify.{high}") for low, high in climbs + sideways]


def test_the_contracts_hold_for_the_package_as_it_is(tmp_path: Path) -> None:
    assert f"{len(CONTRACTS)} kept, 0 broken" in plant(tmp_path, [])


def test_every_import_that_points_up_or_sideways_is_named(tmp_path: Path) -> None:
    told = plant(tmp_path, upward())
    assert [pair for pair in upward() if f"{pair[0]} is not allowed to import {pair[1]}" not in told] == []


def test_a_room_that_no_layer_names_breaks_the_contract(tmp_path: Path) -> None:
    (tmp_path / "verify" / "planted").mkdir(parents=True)
    (tmp_path / "verify" / "planted" / "__init__.py").touch()
    shutil.copytree(PACKAGE, tmp_path / "verify", dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert f"{LAYERS['name']} BROKEN" in lint(tmp_path)


@pytest.mark.parametrize("contract", FORBIDDEN, ids=lambda contract: contract["name"].replace(" ", "-"))
def test_every_forbidden_import_is_named(contract: dict[str, Any], tmp_path: Path) -> None:
    pairs = [
        (room, module)
        for room in contract["source_modules"]
        for module in contract["forbidden_modules"]
        if exists(room)
    ]
    told = plant(tmp_path, pairs)
    assert pairs
    assert [pair for pair in pairs if f"{pair[0]} is not allowed to import {pair[1]}" not in told] == []


# --- what the linter cannot express


def imported(source: str) -> set[str]:
    """Every module a source names in an import, wherever in it that stands."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize(
    "line",
    [
        "import urllib.request",
        "import urllib.request as r",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def f():\n    import urllib.request",
    ],
)
def test_every_way_of_importing_is_seen(line: str) -> None:
    assert "urllib.request" in imported(line)


def test_only_transport_may_open_a_url() -> None:
    found = [
        path
        for path, source in modules()
        if "urllib.request" in imported(source) and path.split("/")[0] != "transport"
    ]
    assert found == []


# --- sizes


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Each function's name and lines, from its `def` on: decorators are tables, not code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def budget(path: str, source: str) -> int:
    """How many lines a module may have: a command has fewer. What defines `command` in cli/ is one."""
    defined = {getattr(node, "name", None) for node in ast.parse(source).body}
    return COMMAND_LINES if path.startswith("cli/") and "command" in defined else MODULE_LINES


def test_functions_are_measured_from_their_def_to_their_end() -> None:
    long = "@decorated\ndef f():\n" + "    x = 1\n" * 40
    assert list(functions(long)) == [("f", 41)]


@pytest.mark.parametrize(
    ("path", "source", "lines"),
    [
        ("cli/pack.py", "@click.command()\ndef command(): ...", 80),
        ("cli/talk.py", "def say(): ...", 400),
        ("tree/port.py", "def command(): ...", 400),
    ],
)
def test_a_command_has_the_smaller_budget(path: str, source: str, lines: int) -> None:
    assert budget(path, source) == lines


def test_no_module_is_over_its_budget() -> None:
    over = {
        path: source.count("\n") for path, source in modules() if source.count("\n") > budget(path, source)
    }
    assert {path: count for path, count in over.items() if path not in LONG_MODULES} == {}
    assert sorted(LONG_MODULES) == sorted(set(over) & set(LONG_MODULES)), "an exception nobody needs"


def test_no_function_is_over_its_budget() -> None:
    over = {
        f"{path}:{name}": lines
        for path, source in modules()
        for name, lines in functions(source)
        if lines > FUNCTION_LINES
    }
    assert {name: lines for name, lines in over.items() if name not in LONG_FUNCTIONS} == {}
    assert sorted(LONG_FUNCTIONS) == sorted(name for name in over if name in LONG_FUNCTIONS), (
        "an exception nobody needs"
    )


def test_half_of_all_functions_are_short() -> None:
    assert (
        statistics.median(lines for _, source in modules() for _, lines in functions(source))
        <= FUNCTION_MEDIAN
    )


# --- names and documentation


def test_every_module_says_what_it_is() -> None:
    assert [path for path, source in modules() if not ast.get_docstring(ast.parse(source))] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    parts = {part.removesuffix(".py") for path, _ in modules() for part in path.split("/")}
    assert parts & EMPTY_WORDS == set()
