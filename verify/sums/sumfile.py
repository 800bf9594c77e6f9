r"""Sum files, `modseal.sum/1`: parsed from any spelling, written in one.

Data-only CUE in UTF-8 with LF:

    // Written by modseal. Commit this file.
    format:    "modseal.sum/1"
    ecosystem: "cue"
    modules: {
        "example.com/net@v1.4.0": {tree: "h1:…", modfile: "h1:…", archive: "sha256:…", manifest: "sha256:…"}
    }

1. `format` and `ecosystem` are what the reader asked for; there are no other fields but `modules`.
2. Keys are spelt once (`verify.sums.key`), sorted, and each names an identity of the ecosystem once.
3. An entry has the ecosystem's required fields, perhaps optional ones, and no others.
4. Canonical is what `render` writes; `defect` says in words how other bytes differ from it.

A canonical file is read by one pattern a line; whatever does not match it goes through the general parser,
which decides alone what is an error. A property test holds that both read the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.cuedata.parser import parse as parse_cue
from verify.cuedata.position import Fault
from verify.cuedata.syntax import Field, Struct, Text, kind
from verify.digest import Digest, TreeHash
from verify.errors import Malformed
from verify.limits import DEFAULT, Limits
from verify.sums.entry import FIELDS, Source, SumEntry
from verify.sums.key import KEY, decode_key

if TYPE_CHECKING:
    from verify.sums.entry import SumRules

FORMAT: Final = "modseal.sum/1"
_HEAD = '// Written by modseal. Commit this file.\nformat:    "{format}"\necosystem: "{ecosystem}"\n'
_H1 = r'"(h1:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)"'
_SHA = r'"(sha256:[0-9a-f]{64})"'
_NEXT = r"(?:, |(?<=\{))"
_LINE = re.compile(
    rf'\t"({KEY})": \{{(?:tree: {_H1})?(?:{_NEXT}modfile: {_H1})?(?:{_NEXT}archive: {_SHA})?'
    rf"(?:{_NEXT}manifest: {_SHA})?(?:{_NEXT}exec: {_SHA})?"
    rf'(?:{_NEXT}source: \{{address: "({KEY})"(?:, commit: "({KEY})")?\}})?\}}\n'
)
_ECOSYSTEM = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SumFile:
    """All entries, in the order of their keys."""

    ecosystem: str
    entries: tuple[SumEntry, ...] = ()

    def __post_init__(self) -> None:
        keys = [entry.key for entry in self.entries]
        if keys != sorted(set(keys)):
            raise ValueError("entries are not sorted, or two have one key")

    @classmethod
    def of(cls, ecosystem: str, entries: tuple[SumEntry, ...]) -> SumFile:
        """From entries in any order, each key once."""
        return cls(ecosystem=ecosystem, entries=tuple(sorted(entries, key=lambda entry: entry.key)))

    def by_key(self) -> dict[str, SumEntry]:
        """The entries, to be looked up."""
        return {entry.key: entry for entry in self.entries}


def render(file: SumFile) -> bytes:
    """The canonical bytes."""
    lines = "".join(entry.render() for entry in file.entries)
    modules = f"modules: {{\n{lines}}}\n" if lines else "modules: {}\n"
    return (_HEAD.format(format=FORMAT, ecosystem=file.ecosystem) + modules).encode("ascii")


def parse(data: bytes, rules: SumRules, *, limits: Limits = DEFAULT) -> SumFile:
    """The file. Raises Malformed (`sum.…`, `cue.…`), with the place in the message."""
    if len(data) <= limits.document_bytes:
        file = parse_canonical(data, rules)
        if file is not None:
            return file
    return parse_general(data, rules, limits=limits)


def parse_canonical(data: bytes, rules: SumRules) -> SumFile | None:
    """The file, if it is canonical and right in everything; None says nothing about why."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return None
    head = _HEAD.format(format=FORMAT, ecosystem=rules.ecosystem)
    if text == head + "modules: {}\n":
        return SumFile(ecosystem=rules.ecosystem)
    head += "modules: {\n"
    if not text.startswith(head) or not text.endswith("\n}\n"):
        return None
    needed, allowed = _field_sets(rules)
    at, end, line = len(head), len(text) - 2, head.count("\n")
    entries: list[SumEntry] = []
    before = ""
    while at < end:
        match = _LINE.match(text, at)
        line += 1
        if match is None or match[1] <= before:
            return None
        before, at = match[1], match.end()
        entry = _entry(match, line)
        has = {name for name, found in zip(FIELDS, match.groups()[1:], strict=False) if found}
        if not needed <= has <= allowed or not _is_key(entry, rules):
            return None
        entries.append(entry)
    return SumFile(ecosystem=rules.ecosystem, entries=tuple(entries)) if at == end else None


def _field_sets(rules: SumRules) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(rules.required), frozenset((*rules.required, *rules.optional))


def _entry(match: re.Match[str], line: int) -> SumEntry:
    # the pattern has proved what TreeHash.parse and Digest.parse would
    key, tree, modfile, archive, manifest, executables, address, commit = match.groups()
    return SumEntry(
        key,
        TreeHash(tree) if tree else None,
        TreeHash(modfile) if modfile else None,
        Digest(archive) if archive else None,
        Digest(manifest) if manifest else None,
        Digest(executables) if executables else None,
        Source(address, commit or "") if address else None,
        line,
    )


def _is_key(entry: SumEntry, rules: SumRules) -> bool:
    try:
        rules.check_key(decode_key(entry.key) if "%" in entry.key else entry.key)
        if entry.source is not None:
            decode_key(entry.source.address)
            if entry.source.commit:
                decode_key(entry.source.commit)
    except Malformed:
        return False
    return True


def parse_general(data: bytes, rules: SumRules, *, limits: Limits = DEFAULT) -> SumFile:
    """The file in any spelling. Raises Malformed (`sum.…`, `cue.…`)."""
    document = parse_cue(data, limits=limits)
    fields = _once(document)
    _check_head(document, fields, rules)
    for name, field in fields.items():
        if name not in {"format", "ecosystem", "modules"}:
            raise Fault(field.position, f"unknown field {name}", check="sum.unknown-field")
    if "modules" not in fields:
        raise Fault(document.position, "modules: expected a struct, got none", check="sum.missing-field")
    modules = _once(_struct(fields["modules"]))
    return SumFile.of(rules.ecosystem, tuple(_read_entry(field, rules) for field in modules.values()))


def _check_head(document: Struct, fields: dict[str, Field], rules: SumRules) -> None:
    for name, wanted in (("format", FORMAT), ("ecosystem", rules.ecosystem)):
        field = fields.get(name)
        if field is None:
            raise Fault(document.position, f"{name}: expected {wanted!r}, got none", check="sum.format")
        if not isinstance(field.value, Text) or field.value.value != wanted:
            shown = repr(field.value.value[:40]) if isinstance(field.value, Text) else kind(field.value)
            raise Fault(field.position, f"{name}: expected {wanted!r}, got {shown}", check="sum.format")


def _once(struct: Struct) -> dict[str, Field]:
    """Fields by label, each at most once. CUE itself would merge repeated ones."""
    found: dict[str, Field] = {}
    for field in struct.fields:
        if field.mark or field.hidden:
            raise Fault(field.position, f"unknown field {field.label}{field.mark}", check="sum.unknown-field")
        if field.label in found:
            raise Fault(
                field.position,
                f"{field.label[:80]!r} is named twice, first on line {found[field.label].position.line}",
                check="sum.duplicate-key",
            )
        found[field.label] = field
    return found


def _read_entry(field: Field, rules: SumRules) -> SumEntry:
    try:
        rules.check_key(decode_key(field.label))
    except Malformed as error:
        raise Fault(field.position, str(error), check="sum.key") from None
    inner = _once(_struct(field))
    _, allowed = _field_sets(rules)
    for name, found in inner.items():
        if name not in allowed:
            why = (
                "is reserved"
                if name == "signer"
                else f"is none of {', '.join(f for f in FIELDS if f in allowed)}"
            )
            raise Fault(found.position, f"field {name} of {field.label!r} {why}", check="sum.unknown-field")
    for name in rules.required:
        if name not in inner:
            raise Fault(field.position, f"{field.label!r}: expected field {name}", check="sum.missing-field")
    return SumEntry(
        key=field.label,
        tree=_tree_hash(inner.get("tree")),
        modfile=_tree_hash(inner.get("modfile")),
        archive=_digest(inner.get("archive")),
        manifest=_digest(inner.get("manifest")),
        executables=_digest(inner.get("exec")),
        source=_source(inner.get("source")),
        line=field.position.line,
    )


def _tree_hash(field: Field | None) -> TreeHash | None:
    if field is None:
        return None
    try:
        return TreeHash.parse(_text(field))
    except Malformed as error:
        raise Fault(field.position, f"{field.label}: {error}", check="sum.value") from None


def _digest(field: Field | None) -> Digest | None:
    if field is None:
        return None
    try:
        digest = Digest.parse(_text(field))
    except Malformed as error:
        raise Fault(field.position, f"{field.label}: {error}", check="sum.value") from None
    if digest.algorithm != "sha256":
        raise Fault(
            field.position, f"{field.label}: expected sha256, got {digest.algorithm}", check="sum.value"
        )
    return digest


def _source(field: Field | None) -> Source | None:
    if field is None:
        return None
    inner = _once(_struct(field))
    for name, found in inner.items():
        if name not in {"address", "commit"}:
            raise Fault(found.position, f"unknown field {name} of source", check="sum.unknown-field")
    if "address" not in inner:
        raise Fault(field.position, "source: expected an address", check="sum.missing-field")
    texts = {name: _text(found) for name, found in inner.items()}
    for name, text in texts.items():
        try:
            decode_key(text)
        except Malformed as error:
            raise Fault(inner[name].position, f"{name}: {error}", check="sum.value") from None
    return Source(texts["address"], texts.get("commit", ""))


def _struct(field: Field) -> Struct:
    if isinstance(field.value, Struct):
        return field.value
    raise Fault(
        field.value.position, f"{field.label}: expected a struct, got {kind(field.value)}", check="sum.value"
    )


def _text(field: Field) -> str:
    if isinstance(field.value, Text):
        return field.value.value
    raise Fault(
        field.value.position, f"{field.label}: expected a string, got {kind(field.value)}", check="sum.value"
    )


def defect(data: bytes, file: SumFile) -> str:
    """How bytes that were parsed to `file` differ from the canonical ones; empty where they do not."""
    wanted = render(file)
    if data == wanted:
        return ""
    if data.replace(b"\r\n", b"\n") == wanted:
        return "line ends are CRLF, expected LF"
    if data.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark"
    theirs, ours = data.split(b"\n"), wanted.split(b"\n")
    for number, (found, expected) in enumerate(zip(theirs, ours, strict=False), start=1):
        if found != expected:
            moved = found in ours
            return f"line {number}: {'not in the order of keys' if moved else 'spelt differently'}"
    return f"line {min(len(theirs), len(ours))}: expected the file to end here, or later"
