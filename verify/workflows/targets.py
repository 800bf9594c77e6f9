"""What a word on the command line names: decided by its syntax, never by what happens to exist.

    ./x  ../x  /x          a path; dir: zip: file: list: say which kind it must be
    git:REV[:SUBDIR]       a tree in the repository of the working folder
    oci://HOST/REPO[:TAG][@DIGEST]      a registry, or the same without the scheme
    ocidir://PATH[:TAG][@DIGEST]        an OCI layout folder
    example.com/mod@v1.2.3              a CUE module, found through CUE_REGISTRY

Bare words are paths only where the caller says that nothing else is possible (`bare_paths`).

>>> parse_target("git:v1.2.0:modules/net")
GitTarget(text='git:v1.2.0:modules/net', revision='v1.2.0', subdir='modules/net')
>>> parse_target("./net").kind is PathKind.ANY, parse_target("zip:net.zip").kind
(True, <PathKind.ZIP: 'zip'>)
>>> type(parse_target("example.com/net@v1.2.3")).__name__, type(parse_target("ghcr.io/acme/net:v1")).__name__
('ModuleTarget', 'OciTarget')
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from verify.errors import Misused


class PathKind(StrEnum):
    """What a path was said to be."""

    ANY = "any"
    DIRECTORY = "dir"
    ZIP = "zip"
    FILE = "file"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class PathTarget:
    """A path, and the kind its prefix demanded."""

    text: str
    path: Path
    kind: PathKind = PathKind.ANY


@dataclass(frozen=True, slots=True)
class GitTarget:
    """A revision and a folder in it."""

    text: str
    revision: str
    subdir: str = ""


@dataclass(frozen=True, slots=True)
class _Named:
    """What is all in its text."""

    text: str


class OciTarget(_Named):
    """Something in a registry."""

    __slots__ = ()


class LayoutTarget(_Named):
    """Something in a layout folder."""

    __slots__ = ()


class ModuleTarget(_Named):
    """A CUE module by name."""

    __slots__ = ()


Target = PathTarget | GitTarget | OciTarget | LayoutTarget | ModuleTarget

_MODULE = r"[a-z0-9][a-z0-9.-]*\.[a-z0-9.-]*(/[a-z0-9._-]+)*@v[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?"
_HOSTED = r"(localhost|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+:[0-9]+|\[[0-9A-Fa-f:]+\](:[0-9]+)?)/.+"


@functools.cache
def _grammar(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # at first use: most words are paths


def parse_target(text: str, *, bare_paths: bool = False) -> Target:
    """Misused where a word is none of the forms."""
    if not text or "\0" in text:
        raise Misused(f"target {text!r}: expected a path or a reference, got nothing usable")
    for kind in (PathKind.DIRECTORY, PathKind.ZIP, PathKind.FILE, PathKind.LIST):
        if text.startswith(f"{kind.value}:"):
            return PathTarget(text, Path(text[len(kind.value) + 1 :] or "."), kind)
    if text.startswith("git:"):
        return _git(text)
    if text.startswith("ocidir://"):
        return LayoutTarget(text)
    if text.startswith("oci://"):
        return OciTarget(text)
    if text[0] in f"./{os.sep}" or bare_paths:
        return PathTarget(text, Path(text))
    if _grammar(_MODULE).fullmatch(text):
        return ModuleTarget(text)
    if _grammar(_HOSTED).fullmatch(text):
        return OciTarget(text)
    raise Misused(
        f"target {text!r}: expected a path, git:REV, oci://, ocidir:// or module@version",
        hint=f"a path begins with ./ as in ./{text}",
    )


def names_a_path(text: str) -> bool:
    """For commands that take paths and references: a path is all that is not written as a reference.

    >>> names_a_path("net.zip"), names_a_path("backup.d/net.zip"), names_a_path("ghcr.io/acme/net:v1")
    (True, True, False)
    """
    if text.endswith(".zip") and "://" not in text:
        return True
    try:
        return not isinstance(parse_target(text), OciTarget | LayoutTarget | ModuleTarget)
    except Misused:
        return True


def _git(text: str) -> GitTarget:
    revision, _, subdir = text.removeprefix("git:").partition(":")
    if not revision or revision.startswith("-"):
        raise Misused(f"target {text!r}: expected git:REV[:SUBDIR]", hint="git:HEAD, git:v1.2.0:modules/net")
    return GitTarget(text, revision, subdir.strip("/"))
