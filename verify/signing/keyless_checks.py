"""Every check of keyless signatures: certificates, logs, timestamps and trust roots."""

from __future__ import annotations

from verify.report import Check

_OTHER_ROOT = (
    "Get the trust root of the instance that signed: modseal trust show FILE tells what a root names."
)
_ASK = "Ask the publisher to sign again, and to check the bundle with modseal before it is published."

_ROWS = (
    ("trust.malformed", "trust root cannot be read", "The trust root is not in the form of a Sigstore trusted root, or names something that cannot be read, such as a log key without a start.", "Fetch it again from where the instance publishes it."),
    ("trust.duplicate-key", "trust root has one key twice", "A key stands twice in one object of the trust root: two readers could trust two different things.", "Fetch it again from where the instance publishes it."),
    ("trust.too-large", "trust root is larger than its limit", "The trust root, or a list in it, is larger than any honest one.", "Check that it is the file you mean."),
    ("trust.not-pinned", "trust root is not the pinned one", "The file's bytes are not those whose digest was pinned.", "If the instance changed its root and told you so, pin the new one: modseal trust pin FILE."),
    ("trust.incomplete", "trust root lacks what is needed", "The trust root names no authority of the kind that this signature needs.", _OTHER_ROOT),
    ("certificate.untrusted", "certificate by nobody who is trusted", "No authority that the trust root trusted at the time of signing issued the certificate.", _OTHER_ROOT),
    ("certificate.outside-validity", "signed outside the certificate's time", "A proved time of signing lies before the certificate or an issuer's was valid, or after.", _ASK),
    ("certificate.purpose", "certificate is not for this", "A certificate in the path lacks a right that it needs, or has a limit that is not understood.", _ASK),
    ("certificate.own-root", "bundle brings its own root", "The bundle carries a self-signed certificate. What is trusted comes from the trust root alone.", _ASK),
    ("sct.missing", "certificate was not logged", "The certificate carries no proof that a certificate transparency log has seen it.", _ASK),
    ("sct.invalid", "proof that the certificate was logged does not hold", "A trusted log is named, and its signature, or the time it states, does not fit.", _ASK),
    ("sct.unknown-log", "certificate log is not known", "The certificate was logged by a log that the trust root does not name.", _OTHER_ROOT),
    ("timestamp.missing", "no proved time of signing", "Neither a timestamp nor a log's promise proves when it was signed, so an expired certificate could have been used.", _ASK),
    ("timestamp.malformed", "timestamp cannot be read", "A timestamp is not a strict RFC 3161 answer with one signer.", _ASK),
    ("timestamp.invalid", "timestamp does not hold", "A timestamp is about other bytes, or its signature or signed attributes do not fit.", _ASK),
    ("timestamp.outside-validity", "timestamp from an untrusted time", "The timestamp was made at a time when the trust root did not trust its authority.", _OTHER_ROOT),
    ("timestamp.certificate", "timestamp authority's certificate does not hold", "The authority's certificate has no path to what the trust root names, or was not valid at the time.", _OTHER_ROOT),
    ("timestamp.unknown-authority", "timestamp authority is not known", "The timestamp is by an authority that the trust root does not name.", _OTHER_ROOT),
    ("log.missing", "no log entry", "The bundle has no entry of a transparency log, so nobody else can see that this signature was made.", _ASK),
    ("log.unknown", "transparency log is not known", "The entry was made by a log that the trust root does not name.", _OTHER_ROOT),
    ("log.unknown-kind", "log entry of an unknown kind", "What the log recorded is of a kind, or uses a digest, that is not known here.", _ASK),
    ("log.malformed", "log entry cannot be read", "What the log recorded lacks a field, or has one of the wrong kind.", _ASK),
    ("log.duplicate-key", "log entry has one key twice", "A key stands twice in one object of what the log recorded.", _ASK),
    ("log.too-large", "log entry is larger than its limit", "What the log recorded is larger than any honest entry.", _ASK),
    ("log.promise", "log's promise does not hold", "The log's signature is not over this entry with this index and time.", _ASK),
    ("log.inclusion-missing", "no inclusion proof", "The entry brings no proof, under a signed checkpoint, that it is in the log.", _ASK),
    ("log.inclusion", "inclusion proof does not hold", "The proof does not lead from this entry to the root it states.", _ASK),
    ("log.checkpoint", "checkpoint does not hold", "The checkpoint is malformed, about another tree, or not signed by the log.", _ASK),
    ("log.outside-validity", "log entry from an untrusted time", "The entry was made at a time when the trust root did not trust the log's key.", _OTHER_ROOT),
    ("log.other-entry", "log entry of something else", "The log recorded other bytes, another signature or another signer than the bundle has.", _ASK),
)  # fmt: skip

CHECKS = tuple(
    Check(id=name, title=title, meaning=meaning, remedy=remedy) for name, title, meaning, remedy in _ROWS
)
