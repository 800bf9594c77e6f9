r"""`cue.mod/module.cue` and `cue.mod/local-module.cue`, read as cue reads them.

1. The file is data-only CUE; repeated fields merge.
2. `language.version` chooses the rules: v0.8.0-alpha.0, v0.9.0-alpha.0 (adds `source`) and v0.17.0 (adds
   `replaceWith`, lets `v` be left out). A newer one than `NEWEST_LANGUAGE` cannot be judged.
3. All fields but those below `custom` are known, and have their kinds.
4. Dependencies are canonical versions of the major their path names. A *published* file writes that major, a
   *main* module's may leave it out. One default major for each base path; the module's own counts.
5. `local-module.cue` of the main module replaces the dependencies: it inherits versions and defaults from
   `module.cue`, and alone may name replacements.

>>> file = parse_published(b'''
... module: "example.com/app@v1"
... language: version: "v0.15.0"
... deps: "example.com/net@v0": v: "v0.4.2"
... ''')
>>> str(file.path), [str(module) for module in file.requirements]
('example.com/app@v1', ['example.com/net@v0.4.2'])
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from verify.cuedata.merging import merge
from verify.cuedata.parser import parse
from verify.cuedata.position import NOWHERE, Fault, Position
from verify.ecosystems.cue.modfile_schema import RawDep, RawFile, read_fields
from verify.ecosystems.cue.names import ModulePath, canonical, module, parse_version, path_of
from verify.errors import Malformed
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.module import Module

NEWEST_LANGUAGE: Final = "v0.17.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dep:
    """One dependency. `module` is None where only a replacement is known."""

    path: ModulePath
    module: Module | None
    default: bool = False
    replace_with: str = ""
    position: Position = field(default=NOWHERE, compare=False)

    @property
    def replaced_by_folder(self) -> bool:
        """A folder, not another module, stands in for it."""
        text = self.replace_with
        return text.startswith((".", "/")) or text[1:2] == ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFile:
    """What a module file says. `deps` are in the order of path and version."""

    path: ModulePath
    language: str
    source_kind: str = ""  # "", "self" or "git"
    deps: tuple[Dep, ...] = ()
    defaults: tuple[ModulePath, ...] = ()  # the default major of each base path that has one

    @property
    def requirements(self) -> tuple[Module, ...]:
        """The modules it asks for, in the order of `deps`."""
        return tuple(dep.module for dep in self.deps if dep.module is not None)

    @property
    def replacements(self) -> tuple[Dep, ...]:
        """What something else stands in for."""
        return tuple(dep for dep in self.deps if dep.replace_with)


def parse_published(data: bytes, *, newest: str = NEWEST_LANGUAGE, limits: Limits = DEFAULT) -> ModuleFile:
    """A module file from a registry or about to be published.

    Raises Malformed (`cue.…`, `modfile.…`), Undecidable (`modfile.language-new`).
    """
    raw = _read(data, "", newest, limits)
    for dep in raw.deps:
        if "@" not in dep.label:
            raise Fault(
                dep.position,
                f"dependency {dep.label!r}: expected a major behind the path",
                check="cue.module-path",
            )
    return _file(raw, raw.deps)


def parse_main(
    data: bytes, *, local: bytes | None = None, newest: str = NEWEST_LANGUAGE, limits: Limits = DEFAULT
) -> ModuleFile:
    """The main module's file, with what stands in `local-module.cue` beside it. Raises as `parse_published`."""
    raw = _read(data, "", newest, limits)
    main = _file(raw, raw.deps)
    if local is None:
        return main
    try:
        return _localised(raw, main, _read(local, raw.language, newest, limits))
    except Malformed as error:
        raise error.within("cue.mod/local-module.cue") from None


def check_replacements_place(file: ModuleFile) -> None:
    """Refuse replacements in a `module.cue` itself, as cue does when it loads. Raises Malformed (`modfile.replace`)."""
    for dep in file.replacements:
        raise Fault(
            dep.position,
            f"dependency {dep.path}: replaceWith belongs into cue.mod/local-module.cue",
            check="modfile.replace",
            hint="cue mod tidy",
        )


def _read(data: bytes, inherited: str, newest: str, limits: Limits) -> RawFile:
    return read_fields(merge(parse(data, limits=limits)), inherited=inherited, newest=newest)


def _localised(raw: RawFile, main: ModuleFile, local: RawFile) -> ModuleFile:
    if local.module and "@" not in local.module:
        local = replace(local, module=local.module + "@v0")
    if local.module and local.module != str(main.path):
        raise Malformed(
            f"module {local.module!r}: expected {str(main.path)!r} as in module.cue", check="cue.module-path"
        )
    shared: Mapping[str, RawDep] = {dep.label: dep for dep in raw.deps}
    deps = []
    for dep in local.deps:
        known = shared.get(dep.label)
        version = dep.version or (known.version if known else "")
        if not version and not dep.replace_with:
            raise Fault(
                dep.position,
                f"dependency {dep.label!r}: expected a version, here or in module.cue",
                check="modfile.dependency",
            )
        deps.append(replace(dep, version=version, default=dep.default or bool(known and known.default)))
    return _file(raw, tuple(deps))


def _file(raw: RawFile, raw_deps: tuple[RawDep, ...]) -> ModuleFile:
    if not raw.module:
        raise Malformed("module: expected a path, got none", check="cue.module-path")
    path = ModulePath.parse(raw.module)
    if canonical(raw.language) != raw.language:
        raise Malformed(
            f"language.version {raw.language!r}: expected {canonical(raw.language)}", check="modfile.language"
        )
    deps = sorted((_dep(dep) for dep in raw_deps), key=_order)
    defaults = {path.base: path}
    for dep in deps:
        if dep.default:
            if dep.path.base in defaults:
                raise Fault(
                    dep.position, f"second default major for {dep.path.base}", check="modfile.default"
                )
            defaults[dep.path.base] = dep.path
    return ModuleFile(
        path=path,
        language=raw.language,
        source_kind=raw.source_kind,
        deps=tuple(deps),
        defaults=tuple(sorted(defaults.values())),
    )


def _dep(raw: RawDep) -> Dep:
    if not raw.version and "@" not in raw.label:
        raise Fault(
            raw.position,
            f"dependency {raw.label!r}: expected a version or a major",
            check="modfile.dependency",
        )
    try:
        found = module(raw.label, raw.version) if raw.version else None
        path = path_of(found) if found else ModulePath.parse(raw.label)
    except Malformed as error:
        raise Fault(
            raw.position, f"dependency {raw.label!r}: {error}", check=error.check or "modfile.dependency"
        ) from None
    return Dep(
        path=path, module=found, default=raw.default, replace_with=raw.replace_with, position=raw.position
    )


def _order(dep: Dep) -> tuple[str, bool, object]:
    version = parse_version(dep.module.version) if dep.module else None
    return (str(dep.path), version is not None, version)
