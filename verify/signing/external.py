"""A signer that is a program: for keys in a KMS, a smart card or a PKCS#11 module. docs/formats/signer-protocol.md

One process per request, one JSON object each way, both at most `limits.key_bytes` plus the data to sign. The
program is named as a list of words and started without a shell; what it says on stderr goes to the person.

    {"protocol":"modseal.signer/1","request":"public-key"}
    {"publicKey":"-----BEGIN PUBLIC KEY-----…"}

    {"protocol":"modseal.signer/1","request":"sign","keyId":…,"scheme":…,"data":…,"sha256":…}
    {"signature":…}

An answer `{"error":"…"}` is told to the person. A signature is checked against the public key before it is used.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from verify.errors import Misused, Unavailable
from verify.limits import DEFAULT
from verify.oci.jsondoc import render_json
from verify.signing.document import encode, parse
from verify.signing.keyfile import parse_public_key
from verify.signing.keys import Algorithm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.limits import Limits
    from verify.oci.jsondoc import Json
    from verify.signing.document import Fields
    from verify.signing.keys import PublicKey

PROTOCOL = "modseal.signer/1"
_SCHEMES = {
    Algorithm.P256: "ecdsa-p256-sha256-der",
    Algorithm.P384: "ecdsa-p384-sha256-der",
    Algorithm.ED25519: "ed25519",
    Algorithm.RSA: "rsa-pkcs1v15-sha256",
}


@dataclass(frozen=True, slots=True)
class ExternalSigner:
    """A program, and the key it said it has."""

    command: tuple[str, ...]
    public_key: PublicKey
    limits: Limits = field(default=DEFAULT, repr=False)

    @classmethod
    def start(cls, command: tuple[str, ...], *, limits: Limits = DEFAULT) -> Self:
        """Ask it for its public key. Raises Unavailable, Malformed, Misused."""
        if not command:
            raise Misused("signer: expected a program", hint="--signer 'my-signer --key projects/…'")
        answer = _ask(command, {"protocol": PROTOCOL, "request": "public-key"}, limits)
        key = parse_public_key(answer.text("publicKey").encode("utf-8"), limits=limits)
        return cls(command, key, limits)

    def sign_bytes(self, data: bytes) -> bytes:
        """Raises Unavailable, Refuted when the signature is not by the key it named."""
        answer = _ask(
            self.command,
            {
                "protocol": PROTOCOL,
                "request": "sign",
                "keyId": self.public_key.key_id,
                "scheme": _SCHEMES[self.public_key.algorithm],
                "data": encode(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            },
            self.limits,
        )
        signature = answer.blob("signature")
        self.public_key.check_signature(signature, data)
        return signature


def _ask(command: tuple[str, ...], request: Mapping[str, Json], limits: Limits) -> Fields:
    name = command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the caller names the program; no shell is involved
            command,
            input=render_json(request) + b"\n",
            stdout=subprocess.PIPE,
            timeout=limits.signer_seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise Misused(f"signer {name}: no such program", check="signer.absent") from error
    except OSError as error:
        raise Unavailable(f"signer {name}: {error.strerror or error}", check="signer.failed") from error
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"signer {name}: no answer within {limits.signer_seconds:.0f} s", check="signer.failed"
        ) from error
    if done.returncode and not done.stdout:
        raise Unavailable(f"signer {name}: exit {done.returncode}", check="signer.failed")
    answer = parse(done.stdout, room="signer", most=limits.key_bytes)
    if answer.get("error") is not None:
        raise Unavailable(f"signer {name}: {answer.text('error')}", check="signer.failed")
    if done.returncode:
        raise Unavailable(f"signer {name}: exit {done.returncode}", check="signer.failed")
    return answer
