"""Key files: what they may be, and what each is not.

Public keys: PEM (`PUBLIC KEY`, `RSA PUBLIC KEY`) or one OpenSSH line. Private keys: PEM PKCS#8, encrypted or
not, SEC 1, OpenSSH, and cosign's two kinds (`ENCRYPTED SIGSTORE PRIVATE KEY`, `ENCRYPTED COSIGN PRIVATE KEY`), in
which a JSON document names scrypt parameters and holds a secretbox. Those parameters are bounded before anything
is derived from them.

A file holds exactly one key. A certificate, a private key where a public one is expected, or the reverse, is
refused by name: what somebody meant by it is not guessed.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, TypeAlias

from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
    load_pem_private_key,
    load_pem_public_key,
    load_ssh_private_key,
    load_ssh_public_key,
)

from verify.errors import Exhausted, Malformed, Misused, Refuted
from verify.limits import DEFAULT
from verify.signing.document import decode, parse
from verify.signing.keys import PrivateKey, PublicKey
from verify.signing.pkcs8 import armour, encrypt_pkcs8
from verify.signing.secretbox import open_secretbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.limits import Limits

    Passphrase: TypeAlias = Callable[[], bytes]

_LABEL = re.compile(rb"^-----BEGIN ([A-Z0-9 ]+)-----\s*$", re.MULTILINE)
_COSIGN = {b"ENCRYPTED SIGSTORE PRIVATE KEY", b"ENCRYPTED COSIGN PRIVATE KEY"}
_PUBLIC = {b"PUBLIC KEY", b"RSA PUBLIC KEY"}
_PRIVATE = {b"PRIVATE KEY", b"EC PRIVATE KEY", b"RSA PRIVATE KEY"}
_PKCS8_SECRET, _OPENSSH = b"ENCRYPTED PRIVATE KEY", b"OPENSSH PRIVATE KEY"
_SCRYPT_MOST = 1 << 18
_SCRYPT_MEMORY = 512 << 20


def parse_public_key(data: bytes, *, limits: Limits = DEFAULT) -> PublicKey:
    """The key in a file. Raises Malformed (`key.*`), Exhausted."""
    label = _label(data, limits)
    if label is None:
        return PublicKey.of(
            _loaded(lambda: load_ssh_public_key(data.strip()), "an OpenSSH or PEM public key")
        )
    if label == b"CERTIFICATE":
        raise Malformed(
            "expected a public key, got a certificate: it says who signs, a key does not",
            check="key.is-certificate",
        )
    if label in {*_PRIVATE, *_COSIGN, _PKCS8_SECRET, _OPENSSH}:
        raise Malformed(
            "expected a public key, got a private one", check="key.is-private", hint="modseal key public FILE"
        )
    if label not in _PUBLIC:
        raise _other(label)
    return PublicKey.of(_loaded(lambda: load_pem_public_key(data), "a PEM public key"))


def parse_private_key(data: bytes, passphrase: Passphrase, *, limits: Limits = DEFAULT) -> PrivateKey:
    """The key in a file; the passphrase is asked for only where one is needed.

    Raises Malformed (`key.*`), Misused for a wrong passphrase, Exhausted.
    """
    label = _label(data, limits)
    if label is None or label in _PUBLIC:
        raise Malformed("expected a private key, got something else", check="key.malformed")
    if label == b"CERTIFICATE":
        raise Malformed("expected a private key, got a certificate", check="key.is-certificate")
    if label in _COSIGN:
        return _cosign(data, label, passphrase, limits)
    if label in _PRIVATE:
        return PrivateKey.of(_loaded(lambda: load_pem_private_key(data, None), "an unencrypted PEM key"))
    if label == _PKCS8_SECRET:
        return PrivateKey.of(_unlocked(lambda secret: load_pem_private_key(data, secret), passphrase))
    if label == _OPENSSH:
        return _openssh(data, passphrase)
    raise _other(label)


def is_encrypted(data: bytes) -> bool | None:
    """Whether a file asks for a passphrase; None where only trying tells (OpenSSH)."""
    found = _LABEL.search(data)
    label = found[1] if found else b""
    return None if label == _OPENSSH else label in {_PKCS8_SECRET, *_COSIGN}


def render_private_key(
    key: PrivateKey, passphrase: bytes | None, *, randomness: Callable[[int], bytes]
) -> bytes:
    """PKCS#8: encrypted, or bare where the owner asked for that with None. Raises Misused for an empty one."""
    if passphrase is None:
        return armour("PRIVATE KEY", key.pkcs8)
    if not passphrase:
        raise Misused("passphrase is empty", hint="choose one, or say --no-passphrase")
    return encrypt_pkcs8(key.pkcs8, passphrase, randomness=randomness)


def _label(data: bytes, limits: Limits) -> bytes | None:
    if len(data) > limits.key_bytes:
        raise Exhausted(f"key file: longer than {limits.key_bytes} bytes", check="key.too-large")
    labels = _LABEL.findall(data)
    # a key beside its parameters is how openssl writes SEC 1
    labels = [bytes(each) for each in labels if each != b"EC PARAMETERS"]
    if len(labels) > 1:
        raise Malformed(f"key file: expected one key, got {len(labels)}", check="key.several")
    return labels[0] if labels else None


def _openssh(data: bytes, passphrase: Passphrase) -> PrivateKey:
    try:
        return PrivateKey.of(load_ssh_private_key(data, None))
    except (ValueError, TypeError):
        return PrivateKey.of(_unlocked(lambda secret: load_ssh_private_key(data, secret), passphrase))


def _cosign(data: bytes, label: bytes, passphrase: Passphrase, limits: Limits) -> PrivateKey:
    body = re.fullmatch(
        rb"\s*-----BEGIN %b-----\s*([A-Za-z0-9+/=\s]+?)-----END %b-----\s*" % (label, label), data
    )
    if body is None:
        raise Malformed("key file: not the PEM it begins as", check="key.malformed")
    raw = decode(b"".join(body[1].split()).decode("ascii"), "key file", "key")
    top = parse(raw, room="key", most=limits.key_bytes)
    kdf, cipher = top.child("kdf"), top.child("cipher")
    params = kdf.child("params")
    n, r, p = (params.number(name) or 0 for name in ("N", "r", "p"))
    if (kdf.text("name"), cipher.text("name")) != ("scrypt", "nacl/secretbox"):
        raise top.refuse("expected scrypt and nacl/secretbox")
    if n & (n - 1) or not 2 <= n <= _SCRYPT_MOST or r != 8 or p != 1:
        raise params.refuse(f"expected r=8, p=1 and N a power of two up to {_SCRYPT_MOST}")
    salt, nonce, box = kdf.blob("salt"), cipher.blob("nonce"), top.blob("ciphertext")
    derived = hashlib.scrypt(passphrase(), salt=salt, n=n, r=r, p=p, maxmem=_SCRYPT_MEMORY, dklen=32)
    try:
        der = open_secretbox(derived, nonce, box)
    except Refuted:
        raise _wrong_passphrase() from None
    return PrivateKey.of(_loaded(lambda: load_der_private_key(der, None), "a key in PKCS#8"))


def _unlocked(load: Callable[[bytes], object], passphrase: Passphrase) -> object:
    secret = passphrase()
    if not secret:
        raise _wrong_passphrase()
    try:
        return load(secret)
    except Exception as error:  # a wrong passphrase looks like any other damage to the library
        raise _wrong_passphrase() from error


def _loaded(load: Callable[[], object], what: str) -> object:
    try:
        return load()
    except Exception as error:  # the library raises several kinds, and more with every release
        raise Malformed(f"key file: expected {what}", check="key.malformed") from error


def _other(label: bytes) -> Malformed:
    return Malformed(
        f"key file: expected a key, got {label.decode('ascii', 'replace')}", check="key.malformed"
    )


def _wrong_passphrase() -> Misused:
    return Misused("key file: the passphrase does not open it", check="key.passphrase")
