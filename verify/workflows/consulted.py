"""The build list of a workspace from module files that have the locked hash, wherever they lie.

Places are asked in order. A module file with the locked hash wins; where none has it, the first one found is read, and
whoever checks that place says what is wrong with it. A root whose file nobody has, or nobody can read, leaves the build
list open: `unread` names it, and every entry of the sum file then counts as needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.ecosystems.cue.names import path_of
from verify.ecosystems.cue.selection import BuildList, ModuleSource, read_module_file, select
from verify.ecosystems.cue.workspace import modfile_hash
from verify.errors import Absent, Malformed, ModsealError, Refuted, Undecidable
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.ecosystems.cue.modfile import ModuleFile
    from verify.module import Module
    from verify.sums.entry import SumEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """What was selected, and the roots whose requirements nobody knows, each with the reason."""

    build: BuildList
    unread: tuple[tuple[Module, ModsealError], ...] = ()


class LockedFiles:
    """Module files out of several places; a `ModuleSource`."""

    def __init__(self, entries: Mapping[str, SumEntry], places: Sequence[ModuleSource]) -> None:
        self._entries = entries
        self._places = places

    def module_file(self, module: Module) -> bytes:
        """Raises Absent where no place has it, and what the last place with an answer raised."""
        entry = self._entries.get(str(module))
        first: bytes | None = None
        failed: ModsealError = Absent(f"{module}: no module file", check="tree.missing-module")
        for place in self._places:
            try:
                data = place.module_file(module)
            except Absent:
                continue
            except (Malformed, Refuted, Undecidable) as error:
                failed = error
                continue
            if entry is None or modfile_hash(data) == entry.modfile:
                return data
            first = data if first is None else first
        if first is None:
            raise failed
        return first


def consult(main: ModuleFile, source: ModuleSource, *, limits: Limits = DEFAULT) -> Consulted:
    """The build list, as far as it can be known. Raises Exhausted."""
    try:
        return Consulted(build=select(main, source, limits=limits))
    except (Malformed, Refuted, Undecidable):
        lenient = _Lenient(source, limits)
        build = select(main, lenient, limits=limits)
        return Consulted(build=build, unread=tuple(lenient.unread))


class _Lenient:
    """Where a module file cannot be had, one that requires nothing."""

    def __init__(self, source: ModuleSource, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self.unread: list[tuple[Module, ModsealError]] = []

    def module_file(self, module: Module) -> bytes:
        try:
            data = self._source.module_file(module)
            read_module_file(_Given(data), module, limits=self._limits)
        except (Malformed, Refuted, Undecidable) as error:
            self.unread.append((module, error))
            return f'module: "{path_of(module)}"\nlanguage: version: "v0.9.0"\n'.encode()
        return data


@dataclass(frozen=True, slots=True)
class _Given:
    data: bytes

    def module_file(self, module: Module) -> bytes:
        """The same for every module."""
        del module
        return self.data
