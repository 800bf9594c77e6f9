"""Trust roots and DER: what is refused, each by its check; Merkle proofs of every size."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fake_sigstore import (
    NOW,
    FakeSigstore,
    b64,
    changed,
    ec_key,
    path_of,
    render,
    spki,
    timestamp,
    tree_root,
    tsa_authority,
    tsa_leaf,
)
from tests.support.fake_sigstore import der as der_of
from verify.errors import Malformed, ModsealError, Refuted
from verify.signing import der
from verify.signing.log_proof import Inclusion, parse_checkpoint, root_from
from verify.signing.timestamp import check_timestamp, parse_timestamp
from verify.signing.trust import Period, parse_trust_root

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = FakeSigstore().trust()
_KEY = ("tlogs", 0, "publicKey")


SPOILT: dict[str, Callable[[], dict[str, Any]]] = {
    "unknown field": lambda: {**ROOT, "extra": 1},
    "unknown field of a log": lambda: changed(ROOT, "tlogs", 0, "extra", to=1),
    "another media type": lambda: {**ROOT, "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json"},
    "log without a start": lambda: changed(ROOT, *_KEY, "validFor", to={"end": "2027-01-01T00:00:00Z"}),
    "log without a period": lambda: changed(ROOT, *_KEY, "validFor", to=None),
    "period that ends before it starts": lambda: changed(
        ROOT, *_KEY, "validFor", to={"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"}
    ),
    "time without a zone": lambda: changed(ROOT, *_KEY, "validFor", to={"start": "2026-01-02T00:00:00"}),
    "time that is none": lambda: changed(ROOT, *_KEY, "validFor", to={"start": "2026-13-02T00:00:00Z"}),
    "log without an id": lambda: changed(ROOT, "tlogs", 0, "logId", to=None),
    "log of another hash": lambda: changed(ROOT, "tlogs", 0, "hashAlgorithm", to="SHA2_512"),
    "key that is none": lambda: changed(ROOT, *_KEY, "rawBytes", to=b64(b"x")),
    "key of an unknown curve": lambda: changed(ROOT, *_KEY, "rawBytes", to=b64(_p521())),
    "certificate that is none": lambda: changed(
        ROOT, "certificateAuthorities", 0, "certChain", "certificates", 0, "rawBytes", to=b64(b"x")
    ),
    "authority without certificates": lambda: changed(
        ROOT, "certificateAuthorities", 0, "certChain", "certificates", to=[]
    ),
}


def _p521() -> bytes:
    from cryptography.hazmat.primitives.asymmetric import ec

    return spki(ec.generate_private_key(ec.SECP521R1()))


@pytest.mark.parametrize("made", SPOILT.values(), ids=list(SPOILT))
def test_a_spoilt_root_is_refused_whole(made: Callable[[], dict[str, Any]]) -> None:
    with pytest.raises(Malformed) as caught:
        parse_trust_root(render(made()))
    assert caught.value.check == "trust.malformed"


def test_both_spellings_of_the_media_type_are_read() -> None:
    for media in ("+json;version=0.1", ".v0.2+json"):
        root = parse_trust_root(
            render({**ROOT, "mediaType": f"application/vnd.dev.sigstore.trustedroot{media}"})
        )
        assert (len(root.logs), len(root.authorities)) == (2, 1)


def test_a_period_holds_both_of_its_ends() -> None:
    period, second = Period(NOW, NOW + timedelta(days=1)), timedelta(seconds=1)
    assert period.holds(NOW)
    assert period.holds(NOW + timedelta(days=1))
    assert not period.holds(NOW - second)
    assert not period.holds(NOW + timedelta(days=1) + second)
    assert Period().holds(NOW)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x02", b"\x02\x02\x01", b"\x02\x81\x01\x05", b"\x02\x80\x05", b"\x1f\x01\x00",
     b"\x02\x02\x00\x05", b"\x02\x02\xff\x85", b"\x02\x00", b"\x02\x85\x00\x00\x00\x00\x01\x05", b"\x04\x01\x05"],
)  # fmt: skip
def test_der_has_one_spelling(data: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        der.Reader(data).integer()
    assert caught.value.check == "timestamp.malformed"


@pytest.mark.parametrize(
    "text", [b"20260301120000", b"20260301120000.10Z", b"20261301120000Z", b"2603011200Z"]
)
def test_a_time_has_one_spelling(text: bytes) -> None:
    with pytest.raises(Malformed):
        der.generalized_time(text)


@given(st.integers(1, 40), st.data())
def test_a_proof_leads_to_the_root_and_a_changed_one_does_not(size: int, data: st.DataObject) -> None:
    leaves = [bytes([n]) for n in range(size)]
    index = data.draw(st.integers(0, size - 1))
    root, hashes = tree_root(leaves), tuple(path_of(index, leaves))
    good = Inclusion(index=index, size=size, root=root, hashes=hashes, checkpoint="")
    assert root_from(leaves[index], good) == root
    other = data.draw(st.integers(0, size + 1))
    if other != index:
        assert not _leads(
            leaves[index], Inclusion(index=other, size=size, root=root, hashes=hashes, checkpoint="")
        )
    assert not _leads(b"another leaf", good)
    assert not _leads(
        leaves[index], Inclusion(index=index, size=size, root=root, hashes=(*hashes, root), checkpoint="")
    )


def _leads(leaf: bytes, proof: Inclusion) -> bool:
    try:
        return root_from(leaf, proof) == proof.root
    except Refuted:
        return False


@pytest.mark.parametrize(
    "text",
    ["", "a\n1\nAAAA\n", "a\n01\nAAAA\n\n\u2014 a AAAAAAAA\n", "a\n1\nAAA\n\n\u2014 a AAAAAAAA\n",
     "a\n1\nAAAA\n\n- a AAAAAAAA\n", "a\n1\nAAAA\n\n\u2014 a AAAAAAAA", "a\n-1\nAAAA\n\n\u2014 a AAAAAAAA\n",
     "a\n1\nAAAA\n\n" + "\u2014 a AAAAAAAA\n" * 33],
)  # fmt: skip
def test_a_checkpoint_in_another_form_is_malformed(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_checkpoint(text)
    assert caught.value.check == "log.checkpoint"


def test_every_bit_of_a_timestamp_counts() -> None:
    root, over = parse_trust_root(render(ROOT)), b"the signature"
    stamp = timestamp(over, NOW, embed=False)
    assert check_timestamp(stamp, over, root) == NOW
    held = []
    for at in range(len(stamp)):
        spoilt = stamp[:at] + bytes([stamp[at] ^ 1]) + stamp[at + 1 :]
        try:
            moment = check_timestamp(spoilt, over, root)
        except ModsealError:
            continue
        held.append(at)
        assert moment == NOW
    # what is not signed: the status (granted, with modifications), versions, the list of digest algorithms
    assert len(held) < 60


def test_a_timestamper_whose_purpose_is_not_critical_is_refused() -> None:
    loose = [tsa_leaf("tsa", critical=False), tsa_authority("tsa").certificate("root")]
    chain = [{"rawBytes": b64(der_of(each))} for each in loose]
    root = parse_trust_root(
        render(changed(ROOT, "timestampAuthorities", 0, "certChain", "certificates", to=chain))
    )
    with pytest.raises(Refuted) as caught:
        check_timestamp(timestamp(b"x", NOW, critical=False), b"x", root)
    assert caught.value.check == "timestamp.invalid"
    assert "timestamps alone" in str(caught.value)


def test_a_timestamp_says_what_it_is_about() -> None:
    stamp = parse_timestamp(timestamp(b"x", NOW))
    assert (stamp.moment, stamp.algorithm) == (NOW, "sha256")
    assert stamp.imprint == hashlib.sha256(b"x").digest()
    assert ec_key("tsa leaf").public_key() == stamp.certificates[0].public_key()
