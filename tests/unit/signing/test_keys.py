"""Keys and key files: which are read, what each is refused as, and that signatures are what they claim."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256, SHA384
from cryptography.hazmat.primitives.poly1305 import Poly1305
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from tests.support.signing import key
from verify.errors import Exhausted, Malformed, Misused, Refuted, Undecidable
from verify.limits import MIB
from verify.signing import secretbox
from verify.signing.keyfile import (
    is_encrypted,
    parse_private_key,
    parse_public_key,
    render_private_key,
)
from verify.signing.keys import Algorithm, PrivateKey, PublicKey
from verify.signing.pkcs8 import armour, encrypt_pkcs8

EC = ec.generate_private_key(ec.SECP256R1())
MADE = [Algorithm.P256, Algorithm.P384, Algorithm.ED25519]


def nobody() -> bytes:
    raise AssertionError("no passphrase is needed here")


def pem(raw: Any, form: PrivateFormat, secret: bytes | None = None) -> bytes:
    encryption = BestAvailableEncryption(secret) if secret else NoEncryption()
    made: bytes = raw.private_bytes(Encoding.PEM, form, encryption)
    return made


@pytest.mark.parametrize("algorithm", MADE)
def test_a_made_key_signs_and_its_file_gives_it_back(algorithm: Algorithm) -> None:
    made = PrivateKey.generate(algorithm)
    made.public_key.check_signature(made.sign_bytes(b"data"), b"data")
    data = encrypt_pkcs8(made.pkcs8, b"secret", randomness=secrets.token_bytes, rounds=10)
    assert parse_private_key(data, lambda: b"secret").public_key == made.public_key
    assert (
        parse_public_key(made.public_key.pem) == made.public_key == PublicKey.from_spki(made.public_key.spki)
    )


@pytest.mark.parametrize("algorithm", MADE)
def test_a_signature_over_other_bytes_is_refused(algorithm: Algorithm) -> None:
    made = key("acme", algorithm)
    for signature in (made.sign_bytes(b"other"), b"", b"\0" * 64, key("eve", algorithm).sign_bytes(b"data")):
        with pytest.raises(Refuted) as caught:
            made.public_key.check_signature(signature, b"data")
        assert caught.value.check == "signature.invalid"


def test_the_id_of_a_key_is_the_hash_of_its_der() -> None:
    public = PublicKey.of(EC.public_key())
    der = EC.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert public.key_id == base64.b64encode(hashlib.sha256(der).digest()).decode()


def test_the_schemes_that_others_use_are_read() -> None:
    raw = rsa.generate_private_key(65537, 2048)
    public = PublicKey.of(raw.public_key())
    public.check_signature(raw.sign(b"x", padding.PKCS1v15(), SHA256()), b"x")
    public.check_signature(raw.sign(b"x", padding.PSS(padding.MGF1(SHA256()), 32), SHA256()), b"x")
    public.check_hashed(raw.sign(b"x", padding.PKCS1v15(), SHA256()), hashlib.sha256(b"x").digest())
    p384 = ec.generate_private_key(ec.SECP384R1())
    PublicKey.of(p384.public_key()).check_signature(p384.sign(b"x", ec.ECDSA(SHA384())), b"x")
    with pytest.raises(Refuted):
        public.check_signature(raw.sign(b"x", padding.PKCS1v15(), SHA384()), b"x")


def test_a_digest_is_enough_only_where_the_scheme_hashes_first() -> None:
    sha256 = hashlib.sha256(b"x").digest()
    hashing = PrivateKey.of(EC)
    hashing.public_key.check_hashed(hashing.sign_bytes(b"x"), sha256)
    made = key("acme", Algorithm.ED25519)
    with pytest.raises(Undecidable) as caught:
        made.public_key.check_hashed(made.sign_bytes(b"x"), sha256)
    assert caught.value.check == "signature.needs-bytes"


@pytest.mark.parametrize(
    "raw",
    [
        ec.generate_private_key(ec.SECP256K1()),
        ec.generate_private_key(ec.SECP521R1()),
        dsa.generate_private_key(2048),
        rsa.generate_private_key(65537, 1024),  # noqa: S505 - that is what is refused
    ],
    ids=["secp256k1", "p521", "dsa", "short-rsa"],
)
def test_other_kinds_of_keys_are_named_and_refused(raw: Any) -> None:
    public = raw.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(Malformed) as caught:
        parse_public_key(public)
    assert caught.value.check == "key.unsupported"


@pytest.mark.parametrize(
    "data",
    [
        pem(EC, PrivateFormat.PKCS8),
        pem(EC, PrivateFormat.TraditionalOpenSSL),
        pem(EC, PrivateFormat.OpenSSH),
        b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        + pem(EC, PrivateFormat.TraditionalOpenSSL),
    ],
    ids=["pkcs8", "sec1", "openssh", "sec1-with-parameters"],
)
def test_unencrypted_files_ask_for_no_passphrase(data: bytes) -> None:
    assert parse_private_key(data, nobody).public_key == PublicKey.of(EC.public_key())


def test_an_encrypted_openssh_or_pkcs8_key_opens_with_its_passphrase_only() -> None:
    for data in (
        pem(EC, PrivateFormat.PKCS8, b"secret"),
        encrypt_pkcs8(PrivateKey.of(EC).pkcs8, b"secret", randomness=secrets.token_bytes, rounds=10),
    ):
        assert is_encrypted(data) is True
        assert parse_private_key(data, lambda: b"secret").public_key == PublicKey.of(EC.public_key())
        for wrong in (b"", b"Secret"):
            with pytest.raises(Misused) as caught:
                parse_private_key(data, lambda wrong=wrong: wrong)  # type: ignore[misc]
            assert caught.value.check == "key.passphrase"


def test_a_public_openssh_line_is_a_key() -> None:
    line = EC.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH) + b" acme\n"
    assert parse_public_key(line) == PublicKey.of(EC.public_key())


CERTIFICATE = armour("CERTIFICATE", b"\x30\x00")
PUBLIC = PublicKey.of(EC.public_key()).pem


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (CERTIFICATE, "key.is-certificate"),
        (pem(EC, PrivateFormat.PKCS8), "key.is-private"),
        (pem(EC, PrivateFormat.OpenSSH), "key.is-private"),
        (PUBLIC + PUBLIC, "key.several"),
        (PUBLIC + CERTIFICATE, "key.several"),
        (armour("PUBLIC KEY", b"\x30\x00"), "key.malformed"),
        (armour("DH PARAMETERS", b""), "key.malformed"),
        (b"", "key.malformed"),
        (b"ssh-rsa", "key.malformed"),
    ],
)
def test_what_is_no_public_key_is_refused_by_name(data: bytes, check: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_public_key(data)
    assert caught.value.check == check


@pytest.mark.parametrize(
    ("data", "check"),
    [(CERTIFICATE, "key.is-certificate"), (PUBLIC, "key.malformed"), (b"x", "key.malformed")],
)
def test_what_is_no_private_key_is_refused_by_name(data: bytes, check: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_private_key(data, nobody)
    assert caught.value.check == check


def test_a_file_too_large_for_a_key_is_not_parsed() -> None:
    with pytest.raises(Exhausted) as caught:
        parse_public_key(PUBLIC + b"\n" * MIB)
    assert caught.value.check == "key.too-large"


def test_rsa_is_read_and_not_made() -> None:
    with pytest.raises(Misused):
        PrivateKey.generate(Algorithm.RSA)
    with pytest.raises(Misused):
        PrivateKey.of(rsa.generate_private_key(65537, 2048))


def test_no_key_shows_itself() -> None:
    made = PrivateKey.of(EC)
    secret = EC.private_numbers().private_value
    assert str(secret) not in repr(made)
    assert made.pkcs8.hex() not in repr(made)


def test_an_unencrypted_file_is_only_made_when_asked_for() -> None:
    made = PrivateKey.of(EC)
    assert load_pem_private_key(render_private_key(made, None, randomness=secrets.token_bytes), None)
    with pytest.raises(Misused):
        render_private_key(made, b"", randomness=secrets.token_bytes)


def test_ours_costs_a_guesser_600000_rounds() -> None:
    data = render_private_key(PrivateKey.of(EC), b"secret", randomness=secrets.token_bytes)
    assert (600_000).to_bytes(3, "big") in base64.b64decode(b"".join(data.splitlines()[1:-1]))
    assert parse_private_key(data, lambda: b"secret").public_key == PublicKey.of(EC.public_key())


# --- cosign's encrypted keys, boxed by the test with the same primitive, which the peers' tests hold against cosign


def boxed(
    der: bytes, passphrase: bytes, *, n: int = 2, r: int = 8, kdf: str = "scrypt", label: str = "SIGSTORE"
) -> bytes:
    salt, nonce = b"s" * 32, b"n" * 24
    derived = hashlib.scrypt(passphrase, salt=salt, n=n, r=8, p=1, dklen=32)
    stream = secretbox._stream(secretbox._hsalsa20(derived, nonce[:16]), nonce[16:], 32 + len(der))
    secret = bytes(a ^ b for a, b in zip(der, stream[32:], strict=True))
    document = {
        "kdf": {"name": kdf, "params": {"N": n, "r": r, "p": 1}, "salt": base64.b64encode(salt).decode()},
        "cipher": {"name": "nacl/secretbox", "nonce": base64.b64encode(nonce).decode()},
        "ciphertext": base64.b64encode(Poly1305.generate_tag(stream[:32], secret) + secret).decode(),
    }
    return armour(f"ENCRYPTED {label} PRIVATE KEY", json.dumps(document).encode())


@pytest.mark.parametrize("label", ["SIGSTORE", "COSIGN"])
def test_cosigns_two_kinds_of_files_are_read(label: str) -> None:
    data = boxed(PrivateKey.of(EC).pkcs8, b"secret", label=label)
    assert parse_private_key(data, lambda: b"secret").public_key == PublicKey.of(EC.public_key())
    with pytest.raises(Misused) as caught:
        parse_private_key(data, lambda: b"wrong")
    assert caught.value.check == "key.passphrase"


@pytest.mark.parametrize(
    "changes", [{"n": 1 << 19}, {"n": 3}, {"n": 0}, {"r": 1 << 30}, {"kdf": "none"}], ids=str
)
def test_parameters_that_would_exhaust_the_machine_are_refused_first(changes: dict[str, Any]) -> None:
    n = changes.pop("n", 2)
    document = boxed(b"x", b"y", **changes) if changes else boxed(b"x", b"y")
    raw = base64.b64decode(b"".join(document.splitlines()[1:-1])).replace(b'"N": 2', b'"N": %d' % n)
    with pytest.raises(Malformed) as caught:
        parse_private_key(armour("ENCRYPTED SIGSTORE PRIVATE KEY", raw), nobody)
    assert caught.value.check == "key.malformed"


def test_salsa20_gives_the_stream_of_its_authors_example() -> None:
    # the ECRYPT project's first vector for 256-bit keys: key 80 00 …, nonce 0
    stream = secretbox._stream(b"\x80" + b"\0" * 31, b"\0" * 8, 16)
    assert stream.hex() == "e3be8fdd8beca2e3ea8ef9475b29a6e7"


@pytest.mark.parametrize("place", [0, 16, 40])
def test_a_box_that_was_touched_does_not_open(place: int) -> None:
    secret, nonce, text = b"k" * 32, b"n" * 24, b"the plaintext of a key file"
    stream = secretbox._stream(secretbox._hsalsa20(secret, nonce[:16]), nonce[16:], 32 + len(text))
    sealed = bytes(a ^ b for a, b in zip(text, stream[32:], strict=True))
    box = bytearray(Poly1305.generate_tag(stream[:32], sealed) + sealed)
    assert secretbox.open_secretbox(secret, nonce, bytes(box)) == text
    box[place] ^= 1
    with pytest.raises(Refuted):
        secretbox.open_secretbox(secret, nonce, bytes(box))


def test_ed25519_keys_are_refused_for_ecdsa_signatures() -> None:
    other = ed25519.Ed25519PrivateKey.generate()
    with pytest.raises(Refuted):
        PublicKey.of(other.public_key()).check_signature(PrivateKey.of(EC).sign_bytes(b"x"), b"x")
