"""Selection against cue: its own table of graphs, and what the real command builds from a filled cache."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.cue_graphs import Graph, module_of
from verify.ecosystems.cue.modfile import ModuleFile, parse_main
from verify.ecosystems.cue.names import ModulePath
from verify.ecosystems.cue.selection import full_closure, select
from verify.module import Module

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.peers import Peers


class Table:
    """One scenario of the upstream table: `A: B1 C2` says what A requires, a missing version is the highest."""

    def __init__(self) -> None:
        self.requires: dict[str, list[str]] = {}
        self.builds: list[tuple[str, str]] = []

    def module(self, text: str) -> Module:
        versions = sorted({v[1:] for v in self._all() if v[0] == text[0] and v[1:]})
        rank = versions.index(text[1:]) if text[1:] else len(versions)
        return Module.parse(f"{text[0].lower()}.example@v0.0.{rank}")

    def _all(self) -> set[str]:
        named = {*self.requires, *(each for needed in self.requires.values() for each in needed)}
        return named | {each for target, listed in self.builds for each in (target, *listed.split())}

    def module_file(self, module: Module) -> bytes:
        for name, needed in self.requires.items():
            if self.module(name) == module:
                return self.text(name, needed)
        return self.text(module.path[0].upper(), [])

    def text(self, name: str, needed: list[str]) -> bytes:
        lines = [f'module: "{name[0].lower()}.example@v0"', 'language: version: "v0.15.0"']
        seen: dict[str, Module] = {}
        for each in map(
            self.module, needed
        ):  # a file can say one version of a path: the highest decides anyway
            if each.path not in seen or seen[each.path].version < each.version:
                seen[each.path] = each
        lines += [f'deps: "{each.path}@v0": v: "{each.version}"' for each in seen.values()]
        return "\n".join([*lines, ""]).encode()


def tables(text: str) -> Iterator[tuple[str, Table]]:
    name, table = "", Table()
    for line in map(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        words = key.split()
        if not colon or line.startswith("#"):
            continue
        if words[0] == "name":
            if name:
                yield name, table
            name, table = value.strip(), Table()
        elif words[0] == "build":
            table.builds.append((words[1], value.strip()))
        elif len(words) == 1:
            table.requires[words[0]] = [each for each in value.split() if each[1:] != "none"]
    yield name, table


@pytest.mark.peer("cuemodfile")
def test_the_upstream_table_of_graphs(peer: Peers, capsys: pytest.CaptureFixture[str]) -> None:
    source = peer.module("cuemodfile", "cuelang.org/go") / "internal" / "mod" / "mvs" / "mvs_test.go"
    text = re.search(r"var tests = `(.*?)`", source.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    scenarios = builds = 0
    for name, table in tables(text[1]):
        scenarios += 1
        for target, expected in table.builds:
            main: ModuleFile = parse_main(table.text(target, table.requires.get(target, [])))
            found = full_closure(main, table).modules
            wanted = sorted(table.module(each) for each in expected.split() if each[0] != target[0])
            assert sorted(found) == wanted, (name, target)
            builds += 1
    with capsys.disabled():
        sys.stdout.write(f"\nbuild lists of the upstream table: {builds} in {scenarios} scenarios\n")
    assert builds >= 30


def fill_cache(cache: Path, graph: Graph) -> None:
    for module, file in graph.files.items():
        folder = cache / "mod" / "download" / module.path / "@v"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{module.version}.mod").write_bytes(file)
        with zipfile.ZipFile(folder / f"{module.version}.zip", "w") as archive:
            archive.writestr("cue.mod/module.cue", file)
            archive.writestr("x.cue", f'package x\nv: "{module.version}"\n')


def random_graph(seed: int) -> Graph:
    choose = random.Random(seed)  # test data
    modules = [f"{letter}{number}" for letter in "abcdef" for number in (1, 2, 3)]
    files = {short: " ".join(choose.sample(modules, choose.randint(0, 3))) for short in modules}
    cleaned = {short: one_each(needed, short[0]) for short, needed in files.items()}
    return Graph(one_each(" ".join(choose.sample(modules, choose.randint(1, 4))), ""), cleaned)


def one_each(modules: str, without: str) -> str:
    return " ".join({short[0]: short for short in modules.split() if short[0] != without}.values())


def evaluated(
    binary: str, folder: Path, cache: Path, graph: Graph, imported: list[Module]
) -> subprocess.CompletedProcess[str]:
    (folder / "cue.mod").mkdir(parents=True)
    deps = "".join(f'deps: "{each.path}@v0": v: "{each.version}"\n' for each in graph.main.requirements)
    (folder / "cue.mod" / "module.cue").write_text(
        f'module: "m.example@v0"\nlanguage: version: "v0.15.0"\n{deps}'
    )
    lines = [f'import {each.path[0]} "{each.path}@v0:x"' for each in imported]
    lines += [f"{each.path[0]}_: {each.path[0]}.v" for each in imported]
    (folder / "m.cue").write_text("package m\n" + "\n".join(lines) + "\n")
    environment = os.environ | {
        "CUE_REGISTRY": "none",
        "CUE_CACHE_DIR": str(cache),
        "CUE_CONFIG_DIR": str(cache),
    }
    return subprocess.run(
        [binary, "export", "."],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.peer("cue")
def test_cue_builds_from_the_selected_versions(peer: Peers, tmp_path: Path) -> None:
    compared = untidy = 0
    for seed in range(12):
        graph = random_graph(seed)
        fill_cache(tmp_path / f"cache{seed}", graph)
        build = select(graph.main, graph)
        overlooked = {each.module.path: each.module for each in build.overlooked}
        modules = [overlooked.get(each.module.path, each.module) for each in build.selected]
        untidy += len(overlooked)
        done = evaluated(peer("cue"), tmp_path / f"m{seed}", tmp_path / f"cache{seed}", graph, modules)
        assert done.returncode == 0, (seed, done.stderr)
        assert json.loads(done.stdout) == {f"{each.path[0]}_": each.version for each in modules}
        compared += len(modules)
    assert compared > 30
    assert untidy > 3


@pytest.mark.peer("cue")
def test_cue_does_not_follow_the_third_level(peer: Peers, tmp_path: Path) -> None:
    graph = Graph("a1", {"a1": "b1", "b1": "c1", "c1": ""})
    fill_cache(tmp_path / "cache", graph)
    done = evaluated(peer("cue"), tmp_path / "m", tmp_path / "cache", graph, [module_of("c1")])
    assert done.returncode != 0
    assert "c.example" in done.stderr
    assert ModulePath.parse("c.example@v0") not in {
        ModulePath.parse(m.path) for m in select(graph.main, graph).modules
    }
