"""Statements and bundles as somebody really signs them, for tests that then spoil them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from verify.digest import Digest
from verify.module import Module
from verify.signing.bundle import key_bundle, parse_bundle, render_bundle
from verify.signing.dsse import seal
from verify.signing.keys import Algorithm, PrivateKey
from verify.signing.opening import Artifact
from verify.signing.statement import PAYLOAD_TYPE, Statement, release_statement, render_statement

NET = Module.parse("example.com/net@v1.4.0")
ZIP = b"the archive's bytes"
MANIFEST = b"the manifest's bytes"


def key(name: str = "acme", algorithm: Algorithm = Algorithm.P256) -> PrivateKey:
    """One key per name for the whole run."""
    return _key(name, algorithm)


@cache
def _key(_name: str, algorithm: Algorithm) -> PrivateKey:
    return PrivateKey.generate(algorithm)


def release(module: Module = NET, archive: bytes = ZIP) -> Statement:
    """What `modseal sign` says by default."""
    return release_statement(module, "cue", Digest.of(MANIFEST), Digest.of(archive))


def bundled(
    statement: Statement | bytes | None = None, by: PrivateKey | None = None, payload_type: str = PAYLOAD_TYPE
) -> bytes:
    """A bundle file over a statement."""
    said = statement if isinstance(statement, bytes) else render_statement(statement or release())
    signer = by or key()
    return render_bundle(key_bundle(seal(payload_type, said, signer), signer.public_key.key_id))


def message_bundle(data: bytes, by: PrivateKey | None = None, **changes: Any) -> bytes:
    """A bundle with a signature over bytes as they are."""
    import base64
    import hashlib

    signer = by or key()
    content = {
        "messageDigest": {
            "algorithm": "SHA2_256",
            "digest": base64.b64encode(hashlib.sha256(data).digest()).decode(),
        },
        "signature": base64.b64encode(signer.sign_bytes(data)).decode(),
    }
    return json.dumps(
        {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {"publicKey": {"hint": signer.public_key.key_id}},
            "messageSignature": content | changes,
        }
    ).encode()


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A bundle as JSON that can be changed."""

    top: dict[str, Any]

    @classmethod
    def of(cls, data: bytes) -> Spoiled:
        parse_bundle(data)
        return cls(json.loads(data))

    @property
    def envelope(self) -> dict[str, Any]:
        inner: dict[str, Any] = self.top["dsseEnvelope"]
        return inner

    @property
    def material(self) -> dict[str, Any]:
        inner: dict[str, Any] = self.top["verificationMaterial"]
        return inner

    def data(self) -> bytes:
        return json.dumps(self.top, separators=(",", ":")).encode()


def artifact(data: bytes = ZIP) -> Artifact:
    """Bytes at hand."""
    return Artifact(digest=Digest.of(data), read=lambda: data)
