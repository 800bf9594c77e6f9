"""The predicate types we know by name, and the fields each must have before anybody signs it.

A path such as `verifier.id` names a field in nested objects. A type that is not in the table is a URI of the
caller's own: its predicate must be a JSON object, and nothing more is known about it.

>>> find_kind("vsa").type
'https://slsa.dev/verification_summary/v1'
>>> half = {"buildDefinition": {"buildType": "x:y"}, "runDetails": {}}
>>> check_predicate(find_kind("slsaprovenance1").type, half)
Traceback (most recent call last):
verify.errors.Malformed: predicate.buildDefinition.externalParameters: expected an object, got nothing
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Malformed, Misused
from verify.signing.document import Fields
from verify.signing.predicates.release import RELEASE, parse_purl

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.oci.jsondoc import Json

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")
_LEVEL = re.compile(r"[A-Z0-9_]+")
PROVENANCE = "https://slsa.dev/provenance/v1"
SUMMARY = "https://slsa.dev/verification_summary/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A predicate type with its short name, and what its predicate must satisfy."""

    name: str
    type: str
    check: Callable[[Fields], None]


def _uri(fields: Fields, key: str) -> None:
    if not _URI.fullmatch(fields.text(key)):
        raise fields.refuse("expected a URI", key)


def _one_of(fields: Fields, key: str, *allowed: str) -> None:
    if fields.text(key) not in allowed:
        raise fields.refuse(f"expected {' or '.join(allowed)}, got {fields.text(key)!r}", key)


def _list(fields: Fields, key: str) -> None:
    if fields.get(key) is None:
        raise fields.refuse("expected a list, got nothing", key)
    fields.values(key, most=100_000)


def _release(fields: Fields) -> None:
    text = fields.some_text("purl")
    if text.startswith("pkg:generic/") and "?ecosystem=" in text:
        parse_purl(text)
    elif not text.startswith("pkg:") or "@" not in text:
        raise fields.refuse("expected a purl with a version", "purl")


def _provenance(fields: Fields) -> None:
    definition, details = fields.child("buildDefinition"), fields.child("runDetails")
    _uri(definition, "buildType")
    definition.child("externalParameters")
    _uri(details.child("builder"), "id")


def _summary(fields: Fields) -> None:
    _uri(fields.child("verifier"), "id")
    _uri(fields, "resourceUri")
    _uri(fields.child("policy"), "uri")
    _one_of(fields, "verificationResult", "PASSED", "FAILED")
    _list(fields, "verifiedLevels")
    for level in fields.values("verifiedLevels", most=1_000):
        if not isinstance(level, str) or not _LEVEL.fullmatch(level):
            raise fields.refuse("expected names such as SLSA_BUILD_LEVEL_3", "verifiedLevels")
    # if any is listed, the specification wants all of them, each by digest
    for each in fields.children("inputAttestations", most=100_000):
        if not each.texts("digest"):
            raise each.refuse("expected at least one digest", "digest")


def _spdx(fields: Fields) -> None:
    if fields.get("@graph") is not None:  # SPDX 3
        fields.some_text("@context")
        return
    if not fields.text("spdxVersion").startswith("SPDX-"):
        raise fields.refuse("expected SPDX-…", "spdxVersion")
    _one_of(fields, "SPDXID", "SPDXRef-DOCUMENT")
    fields.some_text("name")
    fields.some_text("documentNamespace")
    fields.child("creationInfo")


def _cyclonedx(fields: Fields) -> None:
    _one_of(fields, "bomFormat", "CycloneDX")
    fields.some_text("specVersion")


def _openvex(fields: Fields) -> None:
    if not fields.text("@context").startswith("https://openvex.dev/ns"):
        raise fields.refuse("expected https://openvex.dev/ns…", "@context")
    for key in ("@id", "author", "timestamp"):
        fields.some_text(key)
    _list(fields, "statements")
    for each in fields.children("statements", most=100_000):
        _one_of(each, "status", "not_affected", "affected", "fixed", "under_investigation")


def _result(fields: Fields) -> None:
    verifier = fields.child("verifier")
    _uri(verifier, "id")
    _list(verifier, "policies")  # may be empty, must be there
    fields.some_text("timeCreated")
    _list(fields, "properties")


def _anything(fields: Fields) -> None:
    """A type of the caller's own."""
    _ = fields


KINDS = (
    Kind(name="release", type=RELEASE, check=_release),
    Kind(name="slsaprovenance1", type=PROVENANCE, check=_provenance),
    Kind(name="vsa", type=SUMMARY, check=_summary),
    Kind(name="spdx", type="https://spdx.dev/Document", check=_spdx),
    Kind(name="cyclonedx", type="https://cyclonedx.org/bom", check=_cyclonedx),
    Kind(name="openvex", type="https://openvex.dev/ns", check=_openvex),
    Kind(name="svr", type="https://in-toto.io/attestation/svr/v0.2", check=_result),
)


def find_kind(name: str) -> Kind:
    """By short name, or by a URI. Raises Misused for what is neither."""
    for kind in KINDS:
        if name in (kind.name, kind.type):
            return kind
    if not _URI.fullmatch(name):
        names = ", ".join(kind.name for kind in KINDS)
        raise Misused(f"predicate type {name!r}: expected {names} or a URI")
    for kind in KINDS:  # https://spdx.dev/Document/v2.3 and the like
        if name.startswith(f"{kind.type}/"):
            return Kind(name=kind.name, type=name, check=kind.check)
    return Kind(name="custom", type=name, check=_anything)


def check_predicate(type_uri: str, predicate: Json) -> None:
    """Refuse a predicate without what its type requires. Raises Malformed (`predicate.malformed`), Misused."""
    if not isinstance(predicate, dict):
        raise Malformed("predicate: expected a JSON object", check="predicate.malformed")
    find_kind(type_uri).check(Fields(predicate, "predicate", "predicate"))
