"""Every check of bundles, envelopes, statements, signatures, attestations and keys, with its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.report import Check
from verify.signing.keyless_checks import CHECKS as KEYLESS

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASK = "Fetch it again; if it stays so, ask its publisher to sign again. Do not use it as evidence."

ACCEPTED = Check(
    id="attestation.accepted",
    title="an expected signer says so",
    meaning="One attestation is by an expected signer, of an accepted type, about these bytes and this module.",
    remedy="modseal inspect BUNDLE shows who signed what; compare it with the signer you expect.",
)
NONE = Check(
    id="attestation.none",
    title="nothing is attached",
    meaning="The complete list was read and holds no attestation. That is not the same as a list nobody could read.",
    remedy="Ask the publisher to sign: modseal sign REF; or check that a copy between registries kept referrers.",
)
LIST_INCOMPLETE = Check(
    id="attestation.list-incomplete",
    title="the list of attestations may lack some",
    meaning="What is attached could not be listed to its end, so the attestation asked for may be among what was not seen.",
    remedy="Try again; modseal doctor REF tells what the registry can do.",
)
OTHER_SIGNER = Check(
    id="attestation.other-signer",
    title="signed by somebody else",
    meaning="The signature is good and its signer is not one that the caller expects.",
    remedy="Compare found and expected. Change what you expect only if the publisher told you so another way.",
)
OTHER_TYPE = Check(
    id="attestation.other-type",
    title="says something else",
    meaning="An expected signer signed it, and its predicate type is not one that was asked for.",
    remedy="Ask for that type with --type if it is what you need.",
)
OTHER_SUBJECT = Check(
    id="attestation.other-subject",
    title="about other bytes",
    meaning="An expected signer signed it, and no subject has the digest of the bytes at hand.",
    remedy="Get the bundle that belongs to these bytes, or the bytes that were signed.",
)
OTHER_MODULE = Check(
    id="attestation.other-module",
    title="about another module with the same bytes",
    meaning="The bytes are right, and the statement names another module or version: it was made for something else.",
    remedy="Ask the publisher for an attestation that names this module and version.",
)
UNBOUND = Check(
    id="attestation.unbound",
    title="bound to bytes, not to a module",
    meaning="Nothing ties the statement to the module that was asked for: it names none, or none was asked for.",
    remedy="Name the module with --module PATH@VERSION; --allow-unbound accepts a signature over the bytes alone.",
)
UNREACHABLE = Check(
    id="attestation.unreachable",
    title="an attestation could not be fetched",
    meaning="It is listed, and its bytes could not be had. What it says is unknown.",
    remedy="Try again, or hand over the bundle as a file.",
)
UNREADABLE = Check(
    id="attestation.unreadable",
    title="an attestation could not be opened",
    meaning="What is attached could not be opened, for the reason given.",
    remedy=_ASK,
)
MORE = Check(
    id="attestation.more",
    title="more candidates than are told one by one",
    meaning="So many attestations are attached that the rest is only counted. All of them were judged.",
)
SIGNATURE_INVALID = Check(
    id="signature.invalid",
    title="signature does not fit",
    meaning="No expected key signed these very bytes: the bytes, the signature or the key is another.",
    remedy=_ASK,
)
OTHER_KEY = Check(
    id="signature.other-key",
    title="signature by another key, as it says itself",
    meaning="No expected key signed it, and its hint names a key that is not expected. The hint itself proves nothing.",
    remedy="modseal key show PUBLIC-KEY prints a key's id; get the publisher's key another way than this one.",
)
OTHER_BYTES = Check(
    id="signature.other-bytes",
    title="bundle states another digest",
    meaning="A message signature's bundle says that the artifact has another digest than it has.",
    remedy=_ASK,
)
NOT_BY_KEY = Check(
    id="signature.not-by-key",
    title="certificate where a key was expected",
    meaning="The caller named a key, and the bundle carries a certificate. A certificate is never taken for a key.",
    remedy="Name the signer with --identity and --issuer if you expect a keyless signature.",
)
NOT_BY_CERTIFICATE = Check(
    id="signature.not-by-certificate",
    title="key where a certificate was expected",
    meaning="The caller named an identity, and the bundle is signed by a bare key, which proves no identity.",
    remedy="Name the key with --key if that is what you expect.",
)
NEEDS_BYTES = Check(
    id="signature.needs-bytes",
    title="signature needs the artifact",
    meaning="The signature is over the artifact's bytes, and only a digest is at hand.",
    remedy="Give the artifact itself.",
)
PAYLOAD_TYPE = Check(
    id="envelope.payload-type",
    title="envelope holds no statement",
    meaning="The signed payload's type is not in-toto: it was signed to mean something else.",
    remedy=_ASK,
)
BUNDLE_VERSION = Check(
    id="bundle.version",
    title="not a bundle of a known version",
    meaning="The media type is not that of a Sigstore bundle from 0.1 to 0.3.",
    remedy="modseal inspect FILE says what the file is.",
)
SIGNATURE_COUNT = Check(
    id="bundle.signature-count",
    title="bundle with several signatures",
    meaning="A bundle holds exactly one signature. With several, readers differ in which one counts.",
    remedy="Make one bundle for each signer.",
)


def _documents() -> tuple[Check, ...]:
    made = []
    for room, what in (
        ("bundle", "bundle"),
        ("envelope", "envelope"),
        ("statement", "statement"),
        ("predicate", "predicate"),
        ("signer", "answer of a signer program"),
    ):
        made += [
            Check(
                id=f"{room}.malformed",
                title=f"{what} is malformed",
                meaning=f"The {what} is not JSON, lacks a field, has one of the wrong kind, or one that its format does not know.",
                remedy=_ASK,
            ),
            Check(
                id=f"{room}.duplicate-key",
                title=f"{what} has one key twice",
                meaning=f"A key stands twice in one object of the {what}, or in another case: two readers could read two different things.",
                remedy=_ASK,
            ),
            Check(
                id=f"{room}.too-large",
                title=f"{what} is larger than its limit",
                meaning=f"The {what}, or a list in it, is larger than any honest one. It was not read to its end.",
                remedy=_ASK,
            ),
        ]
    return tuple(made)


def _keys() -> tuple[Check, ...]:
    rows = (
        ("malformed", "not a key file", "The file is no key in a form that is known.", "Check that it is the file you mean."),
        ("duplicate-key", "key document has one key twice", "A key stands twice in an encrypted key's JSON.", "Make the key file again."),
        ("too-large", "key file is too large", "The file is larger than any key.", "Check that it is the file you mean."),
        ("several", "several keys in one file", "A key file holds one key; which one was meant is not guessed.", "Give each key a file."),
        ("unsupported", "kind of key is not supported", "The key is of a kind or size that is not used here.", "Make one with modseal key generate."),
        ("is-certificate", "certificate where a key was expected", "The file is a certificate.", "Name its identity, or give the public key alone."),
        ("is-private", "private key where a public one was expected", "The file is a private key.", "modseal key public FILE prints its public part."),
        ("passphrase", "passphrase does not open the key", "The key file is encrypted, and the passphrase is missing or wrong.", "Give it by prompt, --passphrase-file, --passphrase-fd or MODSEAL_PASSPHRASE."),
        ("exists", "key file is there already", "A key file is never overwritten.", "Choose another name with -o."),
    )  # fmt: skip
    return tuple(
        Check(id=f"key.{name}", title=title, meaning=meaning, remedy=remedy)
        for name, title, meaning, remedy in rows
    )


SIGNER_ABSENT = Check(
    id="signer.absent",
    title="signer program is not there",
    meaning="The program named as the signer does not exist.",
    remedy="Check its name and the PATH.",
)
SIGNER_FAILED = Check(
    id="signer.failed",
    title="signer program failed",
    meaning="The program named as the signer gave no signature.",
    remedy="Its own words stand above; docs/formats/signer-protocol.md says what it must answer.",
)

CHECKS = (
    ACCEPTED,
    NONE,
    LIST_INCOMPLETE,
    OTHER_SIGNER,
    OTHER_TYPE,
    OTHER_SUBJECT,
    OTHER_MODULE,
    UNBOUND,
    UNREACHABLE,
    UNREADABLE,
    MORE,
    SIGNATURE_INVALID,
    OTHER_KEY,
    OTHER_BYTES,
    NOT_BY_KEY,
    NOT_BY_CERTIFICATE,
    NEEDS_BYTES,
    PAYLOAD_TYPE,
    BUNDLE_VERSION,
    SIGNATURE_COUNT,
    *_documents(),
    *_keys(),
    SIGNER_ABSENT,
    SIGNER_FAILED,
    *KEYLESS,
)
BY_ID: Mapping[str, Check] = {check.id: check for check in CHECKS}
