r"""in-toto statements: the claim that is signed.

What we write is Statement v1, compact JSON with the keys in this order, and `parse_statement` reads it back:

    {"_type":"https://in-toto.io/Statement/v1",
     "subject":[{"name":…,"digest":{"sha256":…},"annotations":{…}}],
     "predicateType":…,"predicate":{…}}

What we read is broader, as the framework demands: v0.1 too, fields we do not know, subjects without a name,
digest algorithms we do not know (they match nothing). Refused are keys that stand twice, known keys in another
case, a statement without subjects, and a known algorithm whose value is not lower-case hex.

A statement proves nothing: it is what somebody says.

>>> from verify.digest import Digest
>>> from verify.module import Module
>>> said = release_statement(Module.parse("example.com/net@v1.4.0"), "cue", Digest.of(b"m"), Digest.of(b"z"))
>>> said.predicate
{'purl': 'pkg:generic/example.com/net@v1.4.0?ecosystem=cue'}
>>> parse_statement(render_statement(said)) == said
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Misused
from verify.limits import DEFAULT
from verify.oci.jsondoc import render_json
from verify.signing.document import Fields, parse
from verify.signing.predicates.release import RELEASE, purl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.digest import TreeHash
    from verify.limits import Limits
    from verify.module import Module
    from verify.oci.jsondoc import Json

V1 = "https://in-toto.io/Statement/v1"
V01 = "https://in-toto.io/Statement/v0.1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
DIR_HASH = "dirHash"

_DIGESTS = {"sha256": re.compile("[0-9a-f]{64}"), "sha512": re.compile("[0-9a-f]{128}")}
_TOP = ("_type", "subject", "predicateType", "predicate")
_RESOURCE = ("name", "uri", "digest", "annotations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What a statement is about: a name, if it says one, and the digests that we can compare."""

    name: str | None = None
    uri: str | None = None
    digests: tuple[Digest, ...] = ()
    annotations: Mapping[str, Json] = field(default_factory=dict)

    @property
    def dir_hash(self) -> str | None:
        """The tree hash in hex, where the annotations carry one."""
        value = self.annotations.get(DIR_HASH)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim about its subjects."""

    subjects: tuple[Resource, ...]
    predicate_type: str
    predicate: Json = None
    version: str = V1

    def about(self, digest: Digest) -> tuple[Resource, ...]:
        """The subjects that have a digest."""
        return tuple(each for each in self.subjects if digest in each.digests)


def release_statement(
    module: Module,
    ecosystem: str,
    manifest: Digest,
    archive: Digest,
    tree_hash: TreeHash | None = None,
) -> Statement:
    """`path@version` is exactly these digests."""
    tree: dict[str, Json] = {DIR_HASH: tree_hash.hex} if tree_hash else {}
    return Statement(
        subjects=(
            Resource(name=str(module), digests=(manifest,), annotations=tree),
            Resource(name=str(module), digests=(archive,)),
        ),
        predicate_type=RELEASE,
        predicate={"purl": purl(module, ecosystem)},
    )


def render_statement(statement: Statement) -> bytes:
    """The bytes to sign, the same for the same statement. Raises Misused for what nobody could verify."""
    if statement.version != V1 or not statement.predicate_type:
        raise Misused("statement: expected in-toto Statement v1 with a predicate type")
    if not statement.subjects or not all(each.digests for each in statement.subjects):
        raise Misused("statement: every subject needs a digest, and there must be one")
    members: dict[str, Json] = {
        "_type": V1,
        "subject": [_resource(each) for each in statement.subjects],
        "predicateType": statement.predicate_type,
    }
    if statement.predicate is not None:
        members["predicate"] = statement.predicate
    try:
        return render_json(members)
    except ValueError as error:
        raise Misused("statement: the predicate holds a number that JSON cannot carry") from error


def parse_statement(data: bytes, *, limits: Limits = DEFAULT) -> Statement:
    """What a payload says. Raises Malformed (`statement.*`), Exhausted."""
    top = parse(data, room="statement", most=limits.bundle_bytes)
    top.exactly(_TOP)
    version = top.text("_type")
    if version not in {V1, V01}:
        raise top.refuse(f"expected {V1}, got {version!r}", "_type")
    subjects = tuple(_parse_resource(each) for each in top.children("subject", limits.statement_subjects))
    if not subjects:
        raise top.refuse("names nothing: a statement without subjects says nothing", "subject")
    return Statement(
        subjects=subjects,
        predicate_type=top.some_text("predicateType"),
        predicate=top.get("predicate"),
        version=version,
    )


def _resource(resource: Resource) -> dict[str, Json]:
    members: dict[str, Json] = {}
    if resource.name is not None:
        members["name"] = resource.name
    if resource.uri is not None:
        members["uri"] = resource.uri
    members["digest"] = {each.algorithm: each.hex for each in sorted(resource.digests)}
    if resource.annotations:
        members["annotations"] = dict(sorted(resource.annotations.items()))
    return members


def _parse_resource(fields: Fields) -> Resource:
    fields.exactly(_RESOURCE)
    annotations = fields.child("annotations").members if fields.get("annotations") is not None else {}
    return Resource(
        name=fields.text("name") if fields.get("name") is not None else None,
        uri=fields.text("uri") if fields.get("uri") is not None else None,
        digests=_digests(fields),
        annotations=annotations,
    )


def _digests(fields: Fields) -> tuple[Digest, ...]:
    found = []
    for algorithm, value in sorted(fields.texts("digest").items()):
        pattern = _DIGESTS.get(algorithm)
        if pattern is None:
            continue  # the framework: unknown algorithms are ignored, and match nothing
        if not pattern.fullmatch(value):
            raise fields.refuse(f"expected lower-case hex, got {value!r}", f"digest.{algorithm}")
        found.append(Digest(f"{algorithm}:{value}"))
    return tuple(found)
