"""Module files and module names get the verdict that CUE's own libraries give."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

import pytest

from tests.support.cue_module_files import FILES, LOCAL, LOCAL_BASE
from tests.support.cue_peer import Answer, ask
from verify.ecosystems.cue.modfile import ModuleFile, parse_main, parse_published
from verify.ecosystems.cue.names import ModulePath, check_base, escaped_folder, module, parse_module
from verify.errors import Malformed, ModsealError

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")


def described(file: ModuleFile) -> dict[str, object]:
    """The parts that both sides tell in the same words."""
    return {
        "path": str(file.path),
        "language": file.language,
        "source": file.source_kind,
        "versions": [f"{dep.path} {dep.module.version if dep.module else ''}" for dep in file.deps],
        "defaults": {path.base: path.major for path in file.defaults},
    }


def outcome(read: Callable[[], T]) -> tuple[T | None, str]:
    """What was read, or why it was refused."""
    try:
        return read(), ""
    except ModsealError as error:
        return None, str(error)


def compare(name: str, theirs: Answer, read: Callable[[], ModuleFile]) -> None:
    mine, refusal = outcome(read)
    assert bool(refusal) is bool(theirs.error), (name, refusal, theirs.error)
    if mine is None:
        return
    assert described(mine) == {key: value for key, value in theirs.value.items() if key != "deps"}, name


@pytest.mark.peer("cuemodfile")
@pytest.mark.parametrize(("operation", "reader"), [("strict", parse_published), ("main", parse_main)])
def test_module_files(
    operation: str, reader: Callable[[bytes], ModuleFile], peer: Callable[[str], str]
) -> None:
    documents = {name: row[0].encode() for name, row in FILES.items()}
    answers = ask(peer("cuemodfile"), ((operation, document) for document in documents.values()))
    for (name, document), theirs in zip(documents.items(), answers, strict=True):
        compare(name, theirs, lambda document=document: reader(document))


@pytest.mark.peer("cuemodfile")
def test_local_module_files(peer: Callable[[str], str]) -> None:
    base = LOCAL_BASE.encode()
    answers = ask(peer("cuemodfile"), (("local", row[0].encode()) for row in LOCAL.values()), base=base)
    for (name, row), theirs in zip(LOCAL.items(), answers, strict=True):
        compare(name, theirs, lambda row=row: parse_main(base, local=row[0].encode()))


def _names(count: int) -> list[str]:
    choose = random.Random(7)  # test data
    parts = (
        "a",
        "b.example",
        "x-y",
        "x--y",
        "x__y",
        "x___y",
        "x.y",
        "x..y",
        "-",
        ".",
        "_",
        "A",
        "é",
        "",
        "/",
        "aux",
    )
    parts += ("con.x", "xcon", "lpt1", "/y", "//", "~", "+", "local", "v1", "0", " ", "x_")
    tails = ("", "", "@v0", "@v1", "@v01", "@v1.2", "@", "@@", "@v1@v2", "@latest", "@v" + "9" * 130)
    bases = ["b.example/", "b.example", "b.ex/x/", ""]
    return [
        choose.choice(bases) + "".join(choose.choices(parts, k=choose.randint(0, 3))) + choose.choice(tails)
        for _ in range(count)
    ]


VERSIONS = (
    "v1.2.3", "v1.2", "v1", "v0.0.0", "v1.2.3-rc.1", "v1.2.3-RC1", "v1.2.3-01", "v1.2.3-0a", "v1.2.3+b", "v1.02.3",
    "1.2.3", "v1.2.3-", "v1.2.3-a..b", "v1.2.3.4", "", "none", "latest", "v", "v1.2-x", "v1.2.3-é", "v1.2.3-a_b",
    "v10000000000000000000000.2.3", "v1.2.3-x-y.0", "v-1.2.3", "V1.2.3", "v1.2.3 ", "v1.2.3-a+b",
)  # fmt: skip


@pytest.mark.peer("cuemodfile")
def test_names(peer: Callable[[str], str]) -> None:
    names = [name for name in _names(1500) if name.partition("@")[0] != "local"]
    for operation, reader in (("path", ModulePath.parse), ("base", check_base)):
        for name, theirs in zip(
            names, ask(peer("cuemodfile"), ((operation, n.encode()) for n in names)), strict=True
        ):
            compare_name(name, theirs, lambda name=name, reader=reader: reader(name))


def compare_name(name: str, theirs: Answer, read: Callable[[], object]) -> object:
    mine, refusal = outcome(read)
    assert bool(refusal) is bool(theirs.error), (name, refusal, theirs.error)
    return mine


@pytest.mark.peer("cuemodfile")
def test_versions_and_folders(peer: Callable[[str], str]) -> None:
    pairs = [(path, v) for path in ("b.example/x", "b.example/x@v1", "b.example/x@v0") for v in VERSIONS if v]
    binary = peer("cuemodfile")
    for operation in ("version", "escape"):
        asked = (
            (operation, f"{path.partition('@')[0] if operation == 'escape' else path} {v}".encode())
            for path, v in pairs
        )
        for (path, version), theirs in zip(pairs, ask(binary, asked), strict=True):
            if operation == "version":
                mine = compare_name(f"{path} {version}", theirs, lambda p=path, v=version: module(p, v))
                assert mine is None or str(mine) == theirs.value
            elif not theirs.error and "@" not in path:
                try:
                    found = parse_module(f"{path}@{version}")
                except Malformed:
                    continue  # the cache would take versions that no module file can name
                assert escaped_folder(found) == theirs.value
