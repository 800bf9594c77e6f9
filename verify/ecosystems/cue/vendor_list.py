r"""`cue.mod/vendor/modules.cue`: which modules lie in the vendored tree, and what they were fetched as.

    // Written by modseal: the modules in this folder. cue itself reads neither; see docs/formats/vendor.md.
    format: "modseal.vendor/1"
    modules: {
        "example.com/net@v1.4.0": {archive: "sha256:…", manifest: "sha256:…"}
    }

Canonical like a sum file: data-only CUE, keys sorted, one line a module, nothing else. A module's files lie in
`cue.mod/vendor/<path>@<version>`, upper-case letters of the version escaped as in cue's cache, and its tree
list beside that folder.

>>> from verify.module import Module
>>> vendored_folder(Module.parse("example.com/net@v1.4.0-RC"))
'cue.mod/vendor/example.com/net@v1.4.0-!r!c'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verify.cuedata.parser import parse
from verify.cuedata.position import Fault
from verify.cuedata.syntax import Field, Struct, Text
from verify.digest import Digest
from verify.ecosystems.cue.names import escaped_folder, parse_module
from verify.errors import Malformed
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from verify.module import Module

FORMAT: Final = "modseal.vendor/1"
VENDOR_FOLDER: Final = "cue.mod/vendor"
LIST_PATH: Final = "cue.mod/vendor/modules.cue"
TREE_LIST_SUFFIX: Final = ".h1list"
_HEAD = f"""\
// Written by modseal: the modules in this folder. cue itself reads neither; see docs/formats/vendor.md.
format: "{FORMAT}"
"""


@dataclass(frozen=True, slots=True)
class Vendored:
    """One module of the list; `line` is where it stood."""

    module: Module
    archive: Digest
    manifest: Digest
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorList:
    """All of them, in the order of their names."""

    modules: tuple[Vendored, ...] = ()

    @classmethod
    def of(cls, modules: tuple[Vendored, ...]) -> VendorList:
        """From modules in any order."""
        return cls(modules=tuple(sorted(modules, key=lambda each: str(each.module))))


def vendored_folder(module: Module) -> str:
    """Where its files lie, from the main module's root."""
    return f"{VENDOR_FOLDER}/{escaped_folder(module)}"


def vendored_tree_list(module: Module) -> str:
    """Where the list of its files lies."""
    return vendored_folder(module) + TREE_LIST_SUFFIX


def render_vendor_list(vendored: VendorList) -> bytes:
    """The canonical bytes."""
    lines = "".join(
        f'\t"{each.module}": {{archive: "{each.archive}", manifest: "{each.manifest}"}}\n'
        for each in vendored.modules
    )
    return (_HEAD + (f"modules: {{\n{lines}}}\n" if lines else "modules: {}\n")).encode()


def parse_vendor_list(data: bytes, *, limits: Limits = DEFAULT) -> VendorList:
    """The list, in any spelling. Raises Malformed (`vendor.list`, `cue.…`)."""
    document = parse(data, limits=limits)
    fields = _exactly(document, ("format", "modules"))
    if _text(fields["format"]) != FORMAT:
        raise _bad(fields["format"], f"format: expected {FORMAT!r}")
    modules = _struct(fields["modules"])
    return VendorList.of(tuple(_vendored(each) for each in _once(modules).values()))


def _vendored(entry: Field) -> Vendored:
    inner = _exactly(_struct(entry), ("archive", "manifest"))
    try:
        return Vendored(
            parse_module(entry.label),
            Digest.parse(_text(inner["archive"])),
            Digest.parse(_text(inner["manifest"])),
            entry.position.line,
        )
    except Fault:
        raise
    except Malformed as error:
        raise _bad(entry, str(error)) from None


def _exactly(struct: Struct, names: tuple[str, ...]) -> dict[str, Field]:
    fields = _once(struct)
    for each in fields.values():
        if each.label not in names:
            raise _bad(each, f"unknown field {each.label}")
    for name in names:
        if name not in fields:
            raise Fault(struct.position, f"expected field {name}", check="vendor.list")
    return fields


def _once(struct: Struct) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for each in struct.fields:
        if each.mark or each.hidden:
            raise _bad(each, f"unknown field {each.label}{each.mark}")
        if each.label in found:
            raise _bad(each, f"{each.label!r} is named twice")
        found[each.label] = each
    return found


def _struct(entry: Field) -> Struct:
    if isinstance(entry.value, Struct):
        return entry.value
    raise _bad(entry, f"{entry.label}: expected a struct")


def _text(entry: Field) -> str:
    if isinstance(entry.value, Text):
        return entry.value.value
    raise _bad(entry, f"{entry.label}: expected a string")


def _bad(entry: Field, message: str) -> Fault:
    return Fault(entry.position, message, check="vendor.list", hint="modseal vendor")
