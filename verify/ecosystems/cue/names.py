"""Names of CUE modules: paths, majors, versions, and how a cache writes them.

A *base path* is lower-case elements of letters, digits and single separators, the first one a host name with a
dot; it is also an OCI repository name. A *module path* is a base path and a major, `example.com/net@v1`;
without one the major is v0. All majors of a base path are different modules.

A version is semantic with a leading `v`. `v1` and `v1.2` are short for `v1.0.0` and `v1.2.0`; *canonical* has
three numbers and no build metadata, and nothing else is ever locked.

>>> ModulePath.parse("example.com/net@v1")
ModulePath(base='example.com/net', major='v1')
>>> canonical("v1.2"), major("v1.2.3-rc.1")
('v1.2.0', 'v1')
>>> escaped_folder(module("example.com/net@v1", "v1.4.0-RC1"))
'example.com/net@v1.4.0-!r!c1'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from verify.errors import Malformed
from verify.module import Module, Version

MODULE_FILE: Final = "cue.mod/module.cue"
_ELEMENT = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_BASE = re.compile(rf"{_ELEMENT}(?:/{_ELEMENT})*")
_HOST = re.compile(r"[a-z0-9.-]*\.[a-z0-9.-]*")
_NUMBER = r"(?:0|[1-9][0-9]*)"
_MAJOR = re.compile(rf"v{_NUMBER}")
_SHORT = re.compile(rf"v{_NUMBER}(?:\.{_NUMBER})?")
_TAG_LENGTH: Final = 128  # a major is a tag's beginning in a registry
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
)
_UPPER = re.compile(r"[A-Z]")


@dataclass(frozen=True, slots=True, order=True)
class ModulePath:
    """A base path and a major: what versions are selected for."""

    base: str
    major: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """With a major, or without one for v0. Raises Malformed (`cue.module-path`)."""
        base, at, major = text.partition("@")
        if not at:
            return cls(check_base(base), "v0")
        if not _MAJOR.fullmatch(major) or len(major) > _TAG_LENGTH:
            raise _bad_path(text, "expected a major such as @v1 behind it")
        return cls(check_base(base), major)

    def __str__(self) -> str:
        return f"{self.base}@{self.major}"


def check_base(path: str) -> str:
    """The same path, when it is a base path. Raises Malformed (`cue.module-path`)."""
    if "@" in path:
        raise _bad_path(path, "expected no version in it")
    if not _BASE.fullmatch(path):
        raise _bad_path(path, "expected lower-case letters and digits, joined by single . _ - and /")
    elements = path.split("/")
    if not _HOST.fullmatch(elements[0]):
        raise _bad_path(path, "expected a host name with a dot first")
    for element in elements:
        if element.partition(".")[0] in _RESERVED:
            raise _bad_path(path, f"{element} is reserved on Windows")
    return path


def parse_version(text: str) -> Version:
    """Any version CUE takes, the short forms filled up. Raises Malformed (`cue.version`)."""
    full = text
    if _SHORT.fullmatch(text):
        full = text + (".0" if "." in text else ".0.0")
    if not full.startswith("v"):
        raise _bad_version(text)
    try:
        return Version.parse(full)
    except Malformed:
        raise _bad_version(text) from None


def canonical(text: str) -> str:
    """All three numbers, no build metadata. Raises Malformed (`cue.version`)."""
    version = parse_version(text)
    return version.text.partition("+")[0]


def major(text: str) -> str:
    """`v1` of `v1.2.3`. Raises Malformed (`cue.version`)."""
    return "v" + parse_version(text).major


def module(path: str, version: str) -> Module:
    """An identity, from a path with or without a major and a canonical version that fits it.

    Raises Malformed (`cue.module-path`, `cue.version`).
    """
    if canonical(version) != version:
        raise Malformed(
            f"version {version!r} of module {path!r}: expected {canonical(version)}", check="cue.version"
        )
    base, at, asked = path.partition("@")
    if at and asked != major(version):
        raise Malformed(f"version {version!r}: expected one of {path!r}", check="cue.version")
    found = ModulePath.parse(f"{base}@{major(version)}")
    return Module.of(found.base, version)


def parse_module(text: str) -> Module:
    """`path@version`, canonical. Raises Malformed (`cue.module-path`, `cue.version`)."""
    base, at, version = text.partition("@")
    if not at:
        raise Malformed(f"module {text!r}: expected path@version", check="cue.version")
    return module(base, version)


def path_of(identity: Module) -> ModulePath:
    """The path, major included, whose version this is."""
    return ModulePath(identity.path, major(identity.version))


def escaped(text: str) -> str:
    """As file names in the cache: an upper-case letter is `!` and its lower case."""
    return _UPPER.sub(lambda match: "!" + match[0].lower(), text)


def escaped_folder(identity: Module) -> str:
    """The folder of a module below `cue.mod/vendor` or the cache's `extract`."""
    return f"{escaped(identity.path)}@{escaped(identity.version)}"


def unescaped_folder(folder: str) -> Module:
    """The module whose folder this is. Raises Malformed where it is none's."""
    text = re.sub(r"!([a-z])", lambda match: match[1].upper(), folder)
    identity = parse_module(text)
    if escaped_folder(identity) != folder:
        raise Malformed(f"folder {folder!r}: expected {escaped_folder(identity)!r}", check="cue.module-path")
    return identity


def _bad_path(path: str, why: str) -> Malformed:
    return Malformed(f"module path {path!r}: {why}", check="cue.module-path")


def _bad_version(text: str) -> Malformed:
    return Malformed(f"version {text!r}: expected a semantic version such as v1.2.3", check="cue.version")
