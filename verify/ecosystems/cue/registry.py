"""`CUE_REGISTRY`: which registry, repository and tag hold a module, by names alone.

The setting is `simple:…`, `inline:…` (a configuration in CUE), `file:…` (the same in a file) or, without one of
these words, simple. Simple is a list of `registry` or `prefix=registry` between commas, in any order; at most
one stands without a prefix and serves whatever no prefix matches, else the central registry does. A registry is
`host[:port][/repository][+secure|+insecure]`, or `none`. The longest prefix of whole elements wins, and there
is no second choice: a module has one place or none.

>>> resolver = parse_registry_config("example.com/bar=host.example/foo,other.org=none", no_files)
>>> print(resolver.resolve("example.com/bar/baz", "v0.1.2"))
host.example/foo/example.com/bar/baz:v0.1.2
>>> print(resolver.resolve("other.org/a", "v0.1.2"))
None

A configuration of data alone is read; cue would evaluate more.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.cuedata.merging import merge
from verify.cuedata.parser import parse
from verify.cuedata.position import Fault
from verify.cuedata.syntax import Bool, Struct, Text, kind
from verify.ecosystems.cue.names import check_base
from verify.errors import Absent, Malformed
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.cuedata.syntax import Field

CENTRAL: Final = "registry.cue.works"

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})+|\[[a-fA-F0-9:]+\])(?::[0-9]+)?|{_LABEL}:[0-9]+")
_REPOSITORY = re.compile(rf"{_PART}(?:/{_PART})*")
_TAG = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}")
_LONGEST_REPOSITORY = 255
_LOOPBACK = (ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1"))
_ENCODINGS = ("path", "hashAsRepo", "hashAsTag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a module lies. Without a version, `tag` is what all tags of the module begin with."""

    host: str
    repository: str
    tag: str
    insecure: bool

    def __str__(self) -> str:
        return f"{self.host}/{self.repository}:{self.tag}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """One registry of the setting; without a host it is `none`."""

    host: str = ""
    repository: str = ""
    insecure: bool = False
    encoding: str = "path"
    tag_prefix: str = ""
    strip_prefix: bool = False

    def locate(self, path: str, version: str, prefix: str) -> Location | None:
        """Where the module of base path `path` lies here, `prefix` being what chose this registry."""
        if not self.host:
            return None
        repository, tag = self.repository, self.tag_prefix + version
        hashed = hashlib.sha256(path.encode()).hexdigest()
        if self.encoding == "hashAsTag":
            tag = f"{self.tag_prefix}{hashed}-{version}"
        elif self.encoding == "hashAsRepo":
            repository = f"{repository}/{hashed}"
        else:
            rest = path.removeprefix(prefix).removeprefix("/") if self.strip_prefix else path
            repository = "/".join(part for part in (repository, rest) if part)
        return Location(host=self.host, repository=repository, tag=tag, insecure=self.insecure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """The whole setting."""

    prefixes: tuple[tuple[str, Registry], ...]
    fallback: Registry

    @property
    def hosts(self) -> tuple[tuple[str, bool], ...]:
        """Every host it may lead to, and whether without TLS."""
        found = {(each.host, each.insecure) for _, each in (*self.prefixes, ("", self.fallback)) if each.host}
        return tuple(sorted(found))

    def resolve(self, path: str, version: str = "") -> Location | None:
        """Where a module of this base path lies; None where the setting says that it lies nowhere."""
        best, registry = "", self.fallback
        for prefix, candidate in self.prefixes:
            if (path == prefix or path.startswith(prefix + "/")) and len(prefix) > len(best):
                best, registry = prefix, candidate
        return registry.locate(path, version, best)


def no_files(path: str) -> bytes:
    """A reader for settings that name no file. Raises Absent."""
    raise Absent(f"registry configuration {path!r}: no files are read here", check="cue.registry")


def parse_registry_config(
    text: str, read_file: Callable[[str], bytes], *, default: str = CENTRAL, limits: Limits = DEFAULT
) -> Resolver:
    """The value of `CUE_REGISTRY`, empty where it is not set.

    Raises Malformed (`cue.registry`, `cue.…`) and what `read_file` raises.
    """
    word, _, rest = text.partition(":")
    if word == "file":
        return _parse_configuration(read_file(rest), default, limits)
    if word == "inline":
        return _parse_configuration(rest.encode(), default, limits)
    return _parse_simple((rest if word == "simple" else text) or default, default)


def _parse_simple(text: str, default: str) -> Resolver:
    found: dict[str, Registry] = {}
    for part in text.split(","):
        prefix, equals, name = part.partition("=")
        if not equals:
            prefix, name = "", part
            if not part:
                raise _bad("empty registry part")
        elif not prefix:
            raise _bad("empty module prefix")
        elif not name:
            raise _bad("empty registry reference")
        else:
            check_base(prefix)
        if prefix in found:
            raise _bad(f"duplicate module prefix {prefix!r}" if prefix else "duplicate catch-all registry")
        found[prefix] = _parse_registry(name)
    fallback = found.pop("", None) or _parse_registry(default)
    return _checked(
        Resolver(prefixes=tuple(sorted(found.items(), key=lambda item: item[0])), fallback=fallback)
    )


def _checked(resolver: Resolver) -> Resolver:
    hosts = [host for host, _ in resolver.hosts]
    for host in hosts:
        if hosts.count(host) > 1:
            raise _bad(f"registry host {host!r} is specified both as secure and insecure")
    return resolver


def _parse_registry(text: str) -> Registry:
    if text == "none":
        return Registry()
    name, plus, suffix = text.rpartition("+")
    if not plus or not name:
        name, suffix = text, ""
    host, slash, repository = name.partition("/")
    if not _HOST.fullmatch(host):
        raise _bad(f"invalid host name {host!r} in registry {text!r}")
    if slash and not _REPOSITORY.fullmatch(repository):
        if re.search(r"[:@]", repository):
            raise _bad(f"registry {text!r} cannot have an associated tag or digest")
        raise _bad(f"invalid repository {repository!r} in registry {text!r}")
    if len(repository) > _LONGEST_REPOSITORY:
        raise _bad(f"repository of registry {text!r} is longer than {_LONGEST_REPOSITORY} characters")
    if suffix not in {"", "secure", "insecure"} or text.endswith("+"):
        raise _bad(f"unknown suffix +{suffix} of registry {text!r}: expected +insecure or +secure")
    insecure = suffix == "insecure" or (not suffix and _is_loopback(host))
    return Registry(host=host, repository=repository, insecure=insecure)


def _is_loopback(host: str) -> bool:
    name = re.sub(r":[0-9]+\Z", "", host) if host.startswith("[") or host.count(":") == 1 else host
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")) in _LOOPBACK
    except ValueError:
        return False


def _parse_configuration(data: bytes, default: str, limits: Limits) -> Resolver:
    document = merge(parse(data, limits=limits))
    fields = _closed(document, ("moduleRegistries", "defaultRegistry"))
    prefixes = []
    if "moduleRegistries" in fields:
        for field in _struct(fields["moduleRegistries"]).fields:
            check_base(field.label)
            prefixes.append((field.label, _configured(field)))
    fallback = fields.get("defaultRegistry")
    return _checked(
        Resolver(
            prefixes=tuple(sorted(prefixes, key=lambda item: item[0])),
            fallback=_configured(fallback) if fallback is not None else _parse_registry(default),
        )
    )


def _configured(field: Field) -> Registry:
    inner = _closed(_struct(field), ("registry", "pathEncoding", "prefixForTags", "stripPrefix"))
    if "registry" not in inner:
        raise Fault(field.position, f"{field.label}: expected a registry", check="cue.registry")
    base = _parse_registry(_text(inner["registry"]))
    encoding = _text(inner["pathEncoding"]) if "pathEncoding" in inner else "path"
    tag_prefix = _text(inner["prefixForTags"]) if "prefixForTags" in inner else ""
    strip = _truth(inner["stripPrefix"]) if "stripPrefix" in inner else False
    if encoding not in _ENCODINGS:
        raise Fault(
            field.position, f"pathEncoding: expected one of {', '.join(_ENCODINGS)}", check="cue.registry"
        )
    if tag_prefix and not _TAG.fullmatch(tag_prefix):
        raise Fault(field.position, f"invalid tag prefix {tag_prefix!r}", check="cue.registry")
    if strip and encoding != "path":
        raise Fault(field.position, "cannot strip prefix unless using path encoding", check="cue.registry")
    # cue takes an empty repository with hashAsRepo, and then asks for a repository that begins with a slash
    if (strip or (encoding == "hashAsRepo" and base.host)) and not base.repository:
        raise Fault(field.position, "expected a repository behind the registry's host", check="cue.registry")
    return Registry(
        host=base.host,
        repository=base.repository,
        insecure=base.insecure,
        encoding=encoding,
        tag_prefix=tag_prefix,
        strip_prefix=strip,
    )


def _closed(struct: Struct, known: tuple[str, ...]) -> dict[str, Field]:
    for field in struct.fields:
        if field.label not in known:
            raise Fault(
                field.position,
                f"field {field.label}: expected one of {', '.join(known)}",
                check="cue.registry",
            )
    return {field.label: field for field in struct.fields}


def _struct(field: Field) -> Struct:
    if isinstance(field.value, Struct):
        return field.value
    raise _wrong(field, "a struct")


def _text(field: Field) -> str:
    if isinstance(field.value, Text):
        return field.value.value
    raise _wrong(field, "a string")


def _truth(field: Field) -> bool:
    if isinstance(field.value, Bool):
        return field.value.value
    raise _wrong(field, "a boolean")


def _wrong(field: Field, wanted: str) -> Fault:
    return Fault(
        field.value.position,
        f"field {field.label}: expected {wanted}, got {kind(field.value)}",
        check="cue.registry",
    )


def _bad(message: str) -> Malformed:
    return Malformed(message, check="cue.registry", hint="cue help registryconfig")
