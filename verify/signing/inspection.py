"""What a bundle, an envelope or a statement says, in plain words. Nothing here is verified, and all of it says so.

The answer is sections of labelled lines: what it is, who is said to have signed, when by which log, about what, and
the predicate's own fields as far as they are simple. Text is as found: whoever prints it escapes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verify.errors import Malformed, Misused
from verify.limits import DEFAULT
from verify.oci.jsondoc import render_json
from verify.report import Detail
from verify.signing.bundle import CertificateMaterial, MessageSignature, parse_bundle
from verify.signing.certificate import read_certificate
from verify.signing.document import parse
from verify.signing.dsse import parse_envelope, read_untrusted
from verify.signing.identity import CLAIMS
from verify.signing.statement import parse_statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.limits import Limits
    from verify.oci.jsondoc import Json
    from verify.signing.bundle import Bundle, LogEntry
    from verify.signing.dsse import Envelope
    from verify.signing.statement import Statement

_WORDS = dict(CLAIMS.values())
_LONG = 200


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that belong together."""

    title: str
    lines: tuple[Detail, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a document says of itself, untrusted."""

    kind: str
    sections: tuple[Section, ...]


def explain_document(data: bytes, *, limits: Limits = DEFAULT) -> Explanation:
    """Raises Malformed, Exhausted, Misused for JSON that is none of the three."""
    keys = parse(data, room="bundle", most=limits.bundle_bytes).members
    if "mediaType" in keys and "verificationMaterial" in keys:
        return Explanation(kind="Sigstore bundle", sections=_bundle(parse_bundle(data, limits=limits)))
    if "payloadType" in keys:
        return Explanation(kind="DSSE envelope", sections=_envelope(parse_envelope(data, limits=limits)))
    if "predicateType" in keys:
        statement = parse_statement(data, limits=limits)
        return Explanation(kind="in-toto statement", sections=_statement(statement))
    raise Misused("expected a bundle, an envelope or a statement, got other JSON")


def _bundle(bundle: Bundle) -> tuple[Section, ...]:
    lines = [Detail(label="version", text=bundle.version)]
    if isinstance(bundle.material, CertificateMaterial):
        lines += _certificate(bundle.material.chain[0])
        if len(bundle.material.chain) > 1:
            lines.append(Detail(label="more certificates", text=str(len(bundle.material.chain) - 1)))
    else:
        hint = bundle.material.hint or "no key named"
        lines.append(Detail(label="signed by", text=f"a key that calls itself {hint}"))
    material = Section("signer", tuple(lines))
    logged = tuple(Section("log entry", _logged(each)) for each in bundle.log_entries)
    stamps = (
        (Section("timestamps", (Detail(label="by an authority", text=str(len(bundle.timestamps))),)),)
        if bundle.timestamps
        else ()
    )
    content: tuple[Section, ...]
    if isinstance(bundle.content, MessageSignature):
        digest = str(bundle.content.digest or "not stated")
        content = (Section("message signature", (Detail(label="over bytes with", text=digest),)),)
    else:
        content = _envelope(bundle.content)
    return (material, *logged, *stamps, *content)


def _certificate(der: bytes) -> list[Detail]:
    try:
        facts = read_certificate(der)
    except Malformed as error:
        return [Detail(label="certificate", text=error.message)]
    return [
        Detail(label="signed by", text=facts.identity.name),
        Detail(label="vouched for by", text=facts.identity.issuer or "nobody named"),
        Detail(label="certificate from", text=facts.issued_by),
        Detail(label="valid", text=f"{facts.not_before.isoformat()} to {facts.not_after.isoformat()}"),
        *(
            Detail(label=_WORDS[name], text=value)
            for name, value in facts.identity.claims
            if not name.startswith("issuer")
        ),
    ]


def _logged(entry: LogEntry) -> tuple[Detail, ...]:
    when = "not stated"
    if entry.integrated and entry.integrated < 1 << 35:  # beyond it no date can be written
        when = datetime.fromtimestamp(entry.integrated, UTC).isoformat()
    proofs = [word for word, there in (("promise", entry.has_promise), ("proof", entry.has_proof)) if there]
    return (
        Detail(label="index", text=str(entry.index) if entry.index is not None else "not stated"),
        Detail(label="log", text=entry.log_id),
        Detail(label="kind", text=f"{entry.kind} {entry.version}"),
        Detail(label="time", text=when),
        Detail(label="carries", text=" and ".join(proofs) or "nothing to check it with"),
    )


def _envelope(envelope: Envelope) -> tuple[Section, ...]:
    lines = [Detail(label="payload type", text=envelope.payload_type)]
    lines += [Detail(label="key hint", text=each.keyid or "none") for each in envelope.signatures]
    payload = read_untrusted(envelope)
    try:
        inner = _statement(parse_statement(payload))
    except Malformed as error:
        inner = (Section("payload", (Detail(label="no statement", text=error.message),)),)
    return (Section("envelope", tuple(lines)), *inner)


def _statement(statement: Statement) -> tuple[Section, ...]:
    subjects = []
    for each in statement.subjects:
        name = each.name or each.uri or "no name"
        digests = ", ".join(map(str, each.digests)) or "no digest that can be compared"
        tree = f", tree {each.dir_hash}" if each.dir_hash else ""
        subjects.append(Detail(label=name, text=digests + tree))
    predicate = statement.predicate if isinstance(statement.predicate, dict) else {}
    return (
        Section("statement", (Detail(label="says", text=statement.predicate_type),)),
        Section("subjects", tuple(subjects)),
        Section("predicate", tuple(_simple(predicate, ""))),
    )


def _simple(members: Mapping[str, Json], prefix: str) -> list[Detail]:
    """Nested objects as dotted names; lists are counted, long texts cut."""
    lines: list[Detail] = []
    for key, value in members.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            lines += _simple(value, f"{name}.")
        elif isinstance(value, list):
            lines.append(Detail(label=name, text=f"{len(value)} in a list"))
        else:
            text = value if isinstance(value, str) else render_json(value).decode("utf-8")
            lines.append(Detail(label=name, text=text if len(text) <= _LONG else f"{text[:_LONG]}…"))
        if len(lines) >= _LONG:
            return [*lines[:_LONG], Detail(label="…", text="more fields")]
    return lines
