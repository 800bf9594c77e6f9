"""The closed schema of module files, by language version.

Only the shape is judged here: which fields there are, of which kind. What paths and versions mean is judged
by `verify.ecosystems.cue.modfile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.cuedata.position import Fault, Position
from verify.cuedata.syntax import Bool, Field, Struct, Text, kind
from verify.ecosystems.cue.names import parse_version
from verify.errors import Malformed, Undecidable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.cuedata.syntax import Value

EARLIEST: Final = "v0.8.0-alpha.0"
SOURCE_SINCE: Final = "v0.9.0-alpha.0"
REPLACE_SINCE: Final = "v0.17.0"
_TOP = ("module", "language", "source", "description", "deps", "custom")
_PROPOSED = frozenset(
    (
        "cue",
        "lang",
        "deprecated",
        "exclude",
        "replace",
        "replaceAll",
        "publish",
        "retract",
        "require",
        "indirect",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawDep:
    """One field of `deps`, its key as written."""

    label: str
    version: str
    default: bool
    replace_with: str
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFile:
    """The fields of a module file, as written."""

    module: str
    language: str
    source_kind: str
    deps: tuple[RawDep, ...]


def read_fields(struct: Struct, *, inherited: str, newest: str) -> RawFile:
    """A merged document's fields; `inherited` is the language where none is declared.

    Raises Fault (`modfile.…`), Undecidable (`modfile.language-new`).
    """
    language = _language(struct, inherited, newest)
    version = parse_version(language)
    fields = _closed(struct, _TOP)
    source = fields.get("source")
    if source is not None and version < parse_version(SOURCE_SINCE):
        raise Fault(
            source.position, f"source: expected language {SOURCE_SINCE} or later", check="modfile.field"
        )
    if (description := fields.get("description")) is not None:
        _text(description)
    if (custom := fields.get("custom")) is not None:
        for space in _struct(custom).fields:
            _struct(space)
    replaceable = not version < parse_version(REPLACE_SINCE)
    deps = _struct(fields["deps"]).fields if "deps" in fields else ()
    return RawFile(
        module=_text(fields["module"]) if "module" in fields else "",
        language=language,
        source_kind=_source_kind(source) if source is not None else "",
        deps=tuple(_dep(dep, replaceable=replaceable) for dep in deps),
    )


def _language(struct: Struct, inherited: str, newest: str) -> str:
    """Decided before anything else: it says how to read the rest."""
    place = struct.position
    version = ""
    for field in struct.fields:
        if field.label == "language":
            place = field.position
            inner = _closed(_struct(field), ("version",))
            version = _text(inner["version"]) if "version" in inner else ""
    if not version and not inherited:
        raise Fault(
            place,
            "language.version: expected a version, got none",
            check="modfile.language",
            hint="cue mod fix",
        )
    try:
        parsed = parse_version(version or inherited)
    except Malformed as error:
        raise Fault(place, f"language.{error}", check="modfile.language") from None
    if parsed > parse_version(newest):
        raise Undecidable(
            f"{place}: language.version {version}: newer than {newest}, the newest this reader knows",
            check="modfile.language-new",
        )
    if parsed < parse_version(EARLIEST):
        raise Fault(
            place, f"language.version {version}: expected {EARLIEST} or later", check="modfile.language"
        )
    return version or inherited


def _closed(struct: Struct, known: Iterable[str]) -> dict[str, Field]:
    fields = {field.label: field for field in struct.fields}
    for field in struct.fields:
        if field.label not in known:
            if field.label in _PROPOSED:
                raise Fault(
                    field.position,
                    f"field {field.label}: an early proposal for modules had it, cue does not",
                    check="modfile.field",
                    hint="remove it, or run: cue mod fix",
                )
            raise Fault(
                field.position,
                f"field {field.label}: expected one of {', '.join(known)}",
                check="modfile.field",
            )
    return fields


def _source_kind(field: Field) -> str:
    inner = _closed(_struct(field), ("kind",))
    if "kind" not in inner:
        raise Fault(field.position, "source: expected a kind", check="modfile.type")
    text = _text(inner["kind"])
    if text not in {"self", "git"}:
        raise Fault(
            inner["kind"].position, f"source.kind: expected self or git, got {text!r}", check="modfile.type"
        )
    return text


def _dep(field: Field, *, replaceable: bool) -> RawDep:
    inner = _closed(_struct(field), ("v", "default", "replaceWith"))
    replacement = inner.get("replaceWith")
    if replacement is not None and not replaceable:
        raise Fault(
            replacement.position,
            f"replaceWith: expected language {REPLACE_SINCE} or later",
            check="modfile.replace",
        )
    if "v" not in inner and not replaceable:
        raise Fault(
            field.position, f"dependency {field.label!r}: expected a version v", check="modfile.dependency"
        )
    version = ""
    if "v" in inner:
        version = _text(inner["v"])
        if not version:
            raise Fault(inner["v"].position, "v: expected a version, got none", check="modfile.type")
    default = inner.get("default")
    return RawDep(
        label=field.label,
        version=version,
        default=_truth(default) if default is not None else False,
        replace_with=_text(replacement) if replacement is not None else "",
        position=field.position,
    )


def _text(field: Field) -> str:
    if isinstance(field.value, Text):
        return field.value.value
    raise _wrong(field, "a string", field.value)


def _truth(field: Field) -> bool:
    if isinstance(field.value, Bool):
        return field.value.value
    raise _wrong(field, "a boolean", field.value)


def _struct(field: Field) -> Struct:
    if isinstance(field.value, Struct):
        return field.value
    raise _wrong(field, "a struct", field.value)


def _wrong(field: Field, wanted: str, value: Value) -> Fault:
    return Fault(
        value.position, f"field {field.label}: expected {wanted}, got {kind(value)}", check="modfile.type"
    )
