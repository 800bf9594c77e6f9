"""Which versions a CUE module is built from, exactly as cue selects them, and what a full closure would add.

1. The main module's dependencies are the *roots*. The module file of each root is read, and no other: the
   graph of requirements has two levels, because a tidy root lists whatever its own packages need.
2. Of each module path, major included, the highest version anyone requires is selected. The main module
   stands for its own path, whatever is required. The list is in the order of the paths.
3. When cue loads a package it looks into the roots first, at the versions *the main module names*, and asks
   the graph only for what no root has. A root that the graph selects higher (the main module is not tidy) is
   therefore loaded at both versions: it is `overlooked`, and both must be locked.

Following the requirements of every module instead can select more modules, or higher versions; then a
dependency does not list what its own dependencies require. cue does not look there, other tools might, and
`full_closure` says where and why the two differ.

>>> from verify.ecosystems.cue.modfile import parse_main
>>> class Files(dict):
...     def module_file(self, module):
...         return self[str(module)]
>>> head = b'language: version: "v0.15.0", module: '
>>> files = Files({
...     "a.example@v0.1.0": head + b'"a.example@v0", deps: "b.example@v0": v: "v0.2.0"',
...     "b.example@v0.2.0": head + b'"b.example@v0", deps: "c.example@v0": v: "v0.3.0"',
...     "c.example@v0.3.0": head + b'"c.example@v0"',
... })
>>> main = parse_main(head + b'"m.example@v0", deps: "a.example@v0": v: "v0.1.0"')
>>> [str(module) for module in select(main, files).modules]
['a.example@v0.1.0', 'b.example@v0.2.0']
>>> [str(found) for found in full_closure(main, files).differences]
['c.example@v0.3.0: required by b.example@v0.2.0 (a.example@v0.1.0 > b.example@v0.2.0), not selected by cue']
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from verify.ecosystems.cue.modfile import NEWEST_LANGUAGE, ModuleFile, parse_published
from verify.ecosystems.cue.names import ModulePath, parse_version, path_of
from verify.errors import Exhausted, Malformed, ModsealError, Refuted, Undecidable
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verify.module import Module


class ModuleSource(Protocol):
    """Where module files come from: a registry, a layout, the module cache, a vendored tree."""

    def module_file(self, module: Module) -> bytes:
        """The bytes of its `cue.mod/module.cue`. Raises Absent, Unavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """One module of the build list: who asks for exactly this version, `None` being the main module."""

    module: Module
    required_by: tuple[Module | None, ...]

    @property
    def root(self) -> bool:
        """The main module names it itself, at this version."""
        return None in self.required_by


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildList:
    """The main module and everything it is built from, in the order of paths."""

    main: ModulePath
    selected: tuple[Selected, ...]
    overlooked: tuple[Selected, ...] = ()  # roots that cue loads although the graph selects a higher version

    @property
    def modules(self) -> tuple[Module, ...]:
        """Everything cue may load from, in the order of path and version."""
        found = [each.module for each in (*self.selected, *self.overlooked)]
        return tuple(sorted(found, key=lambda module: (str(path_of(module)), parse_version(module.version))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A module that the full closure has and the build list lacks, or has at a lower version."""

    module: Module
    instead: Module | None  # what cue selects of this path
    chain: tuple[Module, ...]  # from a root to the module that requires it

    def __str__(self) -> str:
        way = " > ".join(map(str, self.chain))
        outcome = f"cue selects {self.instead.version}" if self.instead else "not selected by cue"
        return f"{self.module}: required by {self.chain[-1]} ({way}), {outcome}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """The full closure against the build list. `unread` are module files that cue needs not and nobody could read."""

    build: BuildList
    modules: tuple[Module, ...]
    differences: tuple[Difference, ...]
    unread: tuple[tuple[Module, ModsealError], ...]


def select(
    main: ModuleFile, source: ModuleSource, *, newest: str = NEWEST_LANGUAGE, limits: Limits = DEFAULT
) -> BuildList:
    """The build list. Raises what the source raises, Malformed, Refuted (`modfile.mismatch`), Exhausted."""
    edges: list[tuple[Module | None, Module]] = [(None, module) for module in main.requirements]
    for root in dict.fromkeys(main.requirements):
        if len(edges) > limits.modules:
            raise Exhausted(f"more than {limits.modules} requirements", check="limit.modules")
        if path_of(root) != main.path:
            file = read_module_file(source, root, newest=newest, limits=limits)
            edges.extend((root, module) for module in file.requirements)
    return _build_list(main.path, edges)


def full_closure(
    main: ModuleFile, source: ModuleSource, *, newest: str = NEWEST_LANGUAGE, limits: Limits = DEFAULT
) -> Closure:
    """What following every requirement would select, and where cue's build list differs. Raises as `select`."""
    source = _Remembering(source)
    build = select(main, source, newest=newest, limits=limits)
    unread: list[tuple[Module, ModsealError]] = []

    def required(module: Module) -> tuple[Module, ...]:
        try:
            return read_module_file(source, module, newest=newest, limits=limits).requirements
        except (Malformed, Refuted, Undecidable) as error:
            unread.append((module, error))
            return ()

    edges, parents = _follow(main, required, limits)
    closure = _build_list(main.path, edges)
    chosen = {path_of(each.module): each.module for each in build.selected}
    differences = tuple(
        Difference(module=module, instead=chosen.get(path_of(module)), chain=_chain(module, parents))
        for module in (each.module for each in closure.selected)
        if chosen.get(path_of(module)) != module
    )
    modules = tuple(each.module for each in closure.selected)
    return Closure(build=build, modules=modules, differences=differences, unread=tuple(unread))


def read_module_file(
    source: ModuleSource, module: Module, *, newest: str = NEWEST_LANGUAGE, limits: Limits = DEFAULT
) -> ModuleFile:
    """A dependency's module file, which must be the one of the module that was asked for."""
    try:
        file = parse_published(source.module_file(module), newest=newest, limits=limits)
    except ModsealError as error:
        raise error.within(str(module)) from None
    if file.path != path_of(module):
        raise Refuted(
            f"{module}: declares itself {file.path}, expected {path_of(module)}", check="modfile.mismatch"
        )
    return file


class _Remembering:
    """Asks for each file once: the closure reads the roots' files again."""

    def __init__(self, source: ModuleSource) -> None:
        self._source = source
        self._files: dict[Module, bytes] = {}

    def module_file(self, module: Module) -> bytes:
        if module not in self._files:
            self._files[module] = self._source.module_file(module)
        return self._files[module]


def _follow(
    main: ModuleFile, required: Callable[[Module], tuple[Module, ...]], limits: Limits
) -> tuple[list[tuple[Module | None, Module]], dict[Module, Module | None]]:
    """Every requirement, breadth first, so that the first way to a module is a shortest one."""
    edges: list[tuple[Module | None, Module]] = [(None, module) for module in main.requirements]
    parents: dict[Module, Module | None] = dict.fromkeys(main.requirements)
    queue = deque(parents)
    while queue:
        module = queue.popleft()
        if len(parents) > limits.modules:
            raise Exhausted(f"more than {limits.modules} modules in the closure", check="limit.modules")
        for needed in required(module):
            edges.append((module, needed))
            if needed not in parents:
                parents[needed] = module
                queue.append(needed)
    return edges, parents


def _chain(module: Module, parents: dict[Module, Module | None]) -> tuple[Module, ...]:
    chain: list[Module] = []
    parent = parents[module]
    while parent is not None:
        chain.append(parent)
        parent = parents[parent]
    return tuple(reversed(chain))


def _build_list(main: ModulePath, edges: Iterable[tuple[Module | None, Module]]) -> BuildList:
    highest: dict[ModulePath, Module] = {}
    roots: dict[ModulePath, Module] = {}
    askers: dict[Module, list[Module | None]] = {}
    for asker, module in edges:
        path = path_of(module)
        if path == main:
            continue
        askers.setdefault(module, []).append(asker)
        for best in (highest, roots) if asker is None else (highest,):
            if path not in best or parse_version(best[path].version) < parse_version(module.version):
                best[path] = module
    paths = sorted(highest, key=str)
    overlooked = [roots[path] for path in paths if path in roots and roots[path] != highest[path]]

    def described(modules: Iterable[Module]) -> tuple[Selected, ...]:
        return tuple(Selected(module=module, required_by=_sorted(askers[module])) for module in modules)

    return BuildList(
        main=main, selected=described(highest[path] for path in paths), overlooked=described(overlooked)
    )


def _sorted(askers: list[Module | None]) -> tuple[Module | None, ...]:
    return tuple(sorted(dict.fromkeys(askers), key=lambda each: (each is not None, str(each))))
