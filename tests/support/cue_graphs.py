"""Graphs of requirements in few letters: `a1` is a.example@v0.0.1, `a10` and above are of the next major."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.ecosystems.cue.modfile import parse_main
from verify.errors import Absent
from verify.module import Module

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def module_of(short: str) -> Module:
    number = int(short[1:])
    return Module.parse(f"{short[0]}.example@v{number // 10}.0.{number % 10}")


def module_file(path: str, requirements: Iterable[Module]) -> bytes:
    lines = [f'module: "{path}"', 'language: version: "v0.15.0"', "deps: {"]
    lines += [
        f'\t"{each.path}@{each.version.partition(".")[0]}": v: "{each.version}"' for each in requirements
    ]
    return ("\n".join([*lines, "}"]) + "\n").encode()


class Graph:
    """A main module `m`, and a source of all the others' files that remembers what it was asked for."""

    def __init__(self, main: str, files: Mapping[str, str]) -> None:
        # two versions of one path need two keys: one with the major, one without
        wanted = [module_of(short) for short in main.split()]
        text = module_file("m.example@v0", ()).decode().removesuffix("deps: {\n}\n")
        seen: set[str] = set()
        for module in wanted:
            key = f"{module.path}@{module.version.partition('.')[0]}"
            text += f'deps: "{module.path if key in seen else key}": v: "{module.version}"\n'
            seen.add(key)
        self.main = parse_main(text.encode())
        self.files: dict[Module, bytes] = {}
        self.asked: list[Module] = []
        for short, requirements in files.items():
            module = module_of(short)
            path = f"{module.path}@{module.version.partition('.')[0]}"
            self.files[module] = module_file(path, map(module_of, requirements.split()))

    def module_file(self, module: Module) -> bytes:
        """The port's one method."""
        self.asked.append(module)
        if module not in self.files:
            raise Absent("no such module", check="fetch.absent")
        return self.files[module]

    def short(self, modules: Iterable[Module]) -> str:
        return " ".join(self.shorten(str(module)) for module in modules)

    def shorten(self, text: str) -> str:
        def of(match: re.Match[str]) -> str:
            return f"{match[1]}{int(match[2]) * 10 + int(match[3])}"

        text = re.sub(r"\b([a-z])\.example@v([0-9]+)\.0\.([0-9])\b", of, text)
        return re.sub(
            r"cue selects v([0-9]+)\.0\.([0-9])",
            lambda m: f"cue selects {text[0]}{int(m[1]) * 10 + int(m[2])}",
            text,
        )
