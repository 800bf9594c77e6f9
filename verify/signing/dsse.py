r"""DSSE envelopes: signed bytes, and the only way to them.

What is signed is not the payload but its pre-authentication encoding, lengths in bytes:

>>> pae("application/vnd.in-toto+json", b"{}")
b'DSSEv1 28 application/vnd.in-toto+json 2 {}'

An `Envelope` has no payload that could be used by accident. `open_envelope` proves a signature over exactly the
bytes that it then hands out, in this order:

1. The key the signature's `keyid` hints at is tried first, then every other one that the caller named. The hint
   proves nothing and refuses nothing.
2. One signature by one of those keys is enough. None: Refuted, `signature.invalid` or `signature.other-key`.

`read_untrusted` is for explaining an envelope to a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.errors import Malformed, Misused, Refuted
from verify.limits import DEFAULT
from verify.oci.jsondoc import render_json
from verify.signing.document import Fields, decode, encode, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.limits import Limits
    from verify.oci.jsondoc import Json
    from verify.signing.keys import PublicKey
    from verify.signing.signer import Signer

_TOP = ("payload", "payloadType", "signatures")
_SIGNATURE = ("sig", "keyid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Raw bytes, and which key they claim to be by."""

    sig: bytes
    keyid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Signed bytes, untrusted."""

    payload_type: str
    signatures: tuple[Signature, ...]
    _sealed: bytes = field(repr=False)

    @property
    def signed(self) -> bytes:
        """What every signature is over."""
        return pae(self.payload_type, self._sealed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The payload, and the key that signed it."""

    payload: bytes
    payload_type: str
    key: PublicKey


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload_type: str, payload: bytes, signer: Signer) -> Envelope:
    """Sign a payload. The signature is checked with the signer's own public key before it is believed.

    No `keyid` is written: clients compare it with names of their own making, and skip what they do not know.
    """
    data = pae(payload_type, payload)
    signature = signer.sign_bytes(data)
    key = signer.public_key
    try:
        key.check_signature(signature, data)
    except Refuted as error:
        raise Misused("the signer's signature does not fit its own public key") from error
    return Envelope(
        payload_type=payload_type,
        signatures=(Signature(sig=signature),),
        _sealed=payload,
    )


def open_envelope(envelope: Envelope, keys: Sequence[PublicKey], *, hint: str = "") -> Opened:
    """The payload that one of these keys signed. Raises Refuted; Misused without a key.

    `hint` is what a bundle says beside the envelope.
    """
    if not keys:
        raise Misused("no key to open an envelope with")
    data = envelope.signed
    for signature in envelope.signatures:
        for key in sorted(keys, key=lambda each: each.key_id not in (signature.keyid, hint)):
            try:
                key.check_signature(signature.sig, data)
            except Refuted:
                continue
            return Opened(payload=envelope._sealed, payload_type=envelope.payload_type, key=key)  # noqa: SLF001
    raise refused_by_all(keys, [hint, *(each.keyid for each in envelope.signatures)])


def refused_by_all(keys: Sequence[PublicKey], hints: Sequence[str]) -> Refuted:
    """No key fits: either the bytes are not what was signed, or another key signed them, as far as hints tell."""
    named = ", ".join(each.key_id for each in keys)
    others = [each for each in hints if each]
    if others and not {each.key_id for each in keys} & set(others):
        return Refuted(
            f"expected a signature by {named}, got one that calls itself {', '.join(others)}",
            check="signature.other-key",
            hint="modseal key show PUBLIC-KEY prints a key's id",
        )
    hint = "what was signed, the signature, or the key is not the one you mean"
    if any(each.algorithm == "ed25519" for each in keys):
        hint = "if it was signed in Ed25519's prehashed form (Ed25519ph), that is not read; " + hint
    return Refuted(f"the signature is not by {named} over these bytes", check="signature.invalid", hint=hint)


def read_untrusted(envelope: Envelope) -> bytes:
    """The payload that nobody has proved, to be shown to a person as such."""
    return envelope._sealed  # noqa: SLF001


def parse_envelope(data: bytes, *, limits: Limits = DEFAULT) -> Envelope:
    """A file with one envelope; fields we do not know are ignored. Raises Malformed, Exhausted."""
    top = parse(data, room="envelope", most=limits.bundle_bytes)
    top.exactly(_TOP)
    return envelope_from(top, limits=limits)


def envelope_from(top: Fields, *, limits: Limits = DEFAULT) -> Envelope:
    """The same from an object inside another document."""
    signatures = []
    for each in top.children("signatures", limits.bundle_entries):
        each.exactly(_SIGNATURE)
        signatures.append(Signature(sig=each.blob("sig"), keyid=each.text("keyid", "")))
    if not signatures:
        raise top.refuse("is empty", "signatures")
    if not all(each.sig for each in signatures):
        raise Malformed(f"{top.place}: empty signature", check=f"{top.room}.malformed")
    return Envelope(
        payload_type=top.some_text("payloadType"),
        signatures=tuple(signatures),
        _sealed=decode(top.text("payload"), f"{top.place}.payload", top.room),
    )


def envelope_members(envelope: Envelope) -> dict[str, Json]:
    """As JSON, keys in the specification's order."""
    signatures: list[Json] = [
        {"sig": encode(each.sig)} | ({"keyid": each.keyid} if each.keyid else {})
        for each in envelope.signatures
    ]
    return {
        "payload": encode(envelope._sealed),  # noqa: SLF001
        "payloadType": envelope.payload_type,
        "signatures": signatures,
    }


def render_envelope(envelope: Envelope) -> bytes:
    """A file with one envelope."""
    return render_json(envelope_members(envelope))
