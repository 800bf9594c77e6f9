r"""Proofs that a transparency log holds an entry: the log's promise, and an inclusion proof under a checkpoint.

*Promise* (Rekor v1's SET): the log's signature over `{"body":…,"integratedTime":…,"logID":…,"logIndex":…}`, keys
sorted, no spaces. It is what makes the integrated time believable.

*Inclusion*: the hash of the leaf, `SHA-256(0x00 ‖ body)`, combined with the proof's hashes (`SHA-256(0x01 ‖ left ‖
right)`, RFC 9162 2.1.3.2) gives the root of a tree of the stated size, which a checkpoint signed by the log names:

    origin \n size \n base64(root) \n  (more lines) \n — name base64(4 bytes of key id ‖ signature) \n

A checkpoint may carry signatures by others; one by this log's own key, under this log's name, is needed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Malformed, Refuted
from verify.signing.document import decode, encode

if TYPE_CHECKING:
    from verify.signing.bundle import LogEntry
    from verify.signing.document import Fields
    from verify.signing.trust import Log

_HASH = 32
_DEEPEST = 64  # a tree of 2**64 entries
_LINE = re.compile("\u2014 ([^ \n]+) ([A-Za-z0-9+/=]+)")
_SIZE = re.compile(r"0|[1-9]\d{0,18}", re.ASCII)
_SIGNATURES = 32  # by witnesses


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """An inclusion proof as a bundle carries it, unproved."""

    index: int
    size: int
    root: bytes
    hashes: tuple[bytes, ...]
    checkpoint: str  # empty where there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a log states about its tree, unproved."""

    origin: str
    size: int
    root: bytes
    note: bytes
    signatures: tuple[tuple[str, bytes, bytes], ...]  # name, key hint, signature


def parse_inclusion(fields: Fields) -> Inclusion:
    """The `inclusionProof` of a log entry. Raises Malformed."""
    fields.known("logIndex", "rootHash", "treeSize", "hashes", "checkpoint")
    checkpoint = ""
    if fields.get("checkpoint") is not None:
        child = fields.child("checkpoint")
        child.known("envelope")
        checkpoint = child.text("envelope", "")
    hashes = []
    for each in fields.values("hashes", _DEEPEST):
        if not isinstance(each, str):
            raise fields.refuse("expected strings", "hashes")
        hashes.append(decode(each, f"{fields.place}.hashes", fields.room))
    return Inclusion(
        index=fields.number("logIndex") or 0,
        size=fields.number("treeSize") or 0,
        root=fields.blob("rootHash"),
        hashes=tuple(hashes),
        checkpoint=checkpoint,
    )


def check_promise(entry: LogEntry, promise: bytes, log_id: bytes, log: Log) -> None:
    """Raises Refuted (`log.promise`)."""
    said = (
        f'{{"body":"{encode(entry.body)}","integratedTime":{entry.integrated or 0},'
        f'"logID":"{log_id.hex()}","logIndex":{entry.index or 0}}}'
    )
    try:
        log.key.check_signature(promise, said.encode("ascii"))
    except Refuted as error:
        raise Refuted(
            "log entry: the log's promise is not by the log's key over this entry", check="log.promise"
        ) from error


def check_inclusion(body: bytes, proof: Inclusion, log: Log) -> None:
    """Raises Refuted (`log.inclusion`, `log.checkpoint`), Malformed."""
    if root_from(body, proof) != proof.root:
        raise Refuted(
            "log entry: the inclusion proof does not lead to the root it states", check="log.inclusion"
        )
    checkpoint = parse_checkpoint(proof.checkpoint)
    if (checkpoint.size, checkpoint.root) != (proof.size, proof.root):
        raise Refuted(
            "log entry: the checkpoint is about another tree than the inclusion proof", check="log.checkpoint"
        )
    _check_signed(checkpoint, log)


def root_from(body: bytes, proof: Inclusion) -> bytes:
    """The root that a leaf and its proof lead to. Raises Refuted where the proof has the wrong form."""
    node = hashlib.sha256(b"\0" + body).digest()
    index, last = proof.index, proof.size - 1
    if not 0 <= index <= last or any(len(each) != _HASH for each in (*proof.hashes, proof.root)):
        raise _wrong_form()
    for each in proof.hashes:
        if last == 0:
            raise _wrong_form()
        if index & 1 or index == last:
            node = hashlib.sha256(b"\1" + each + node).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\1" + node + each).digest()
        index, last = index >> 1, last >> 1
    if last:
        raise _wrong_form()
    return node


def parse_checkpoint(text: str) -> Checkpoint:
    """A signed note. Raises Malformed (`log.checkpoint`)."""
    note, found, tail = text.partition("\n\n")
    lines = note.split("\n")
    if not found or len(lines) < 3 or not lines[0] or not _SIZE.fullmatch(lines[1]):
        raise _no_checkpoint("expected an origin, a size and a root")
    try:
        root = decode(lines[2], "checkpoint", "log")
    except Malformed as error:
        raise _no_checkpoint("expected the root in base64") from error
    rows = tail.split("\n")
    if rows.pop() or not 1 <= len(rows) <= _SIGNATURES:
        raise _no_checkpoint(f"expected 1 to {_SIGNATURES} lines of signatures, each ended")
    return Checkpoint(
        origin=lines[0],
        size=int(lines[1]),
        root=root,
        note=note.encode("utf-8") + b"\n",
        signatures=tuple(_signature(row) for row in rows),
    )


def _signature(row: str) -> tuple[str, bytes, bytes]:
    match = _LINE.fullmatch(row)
    if match is None:
        raise _no_checkpoint("a line of signatures has another form")
    try:
        blob = decode(match[2], "checkpoint", "log")
    except Malformed as error:
        raise _no_checkpoint("a signature is not base64") from error
    return match[1], blob[:4], blob[4:]


def _check_signed(checkpoint: Checkpoint, log: Log) -> None:
    """One signature under the log's own name, which is how the origin begins, by the log's key."""
    own = checkpoint.origin.split(" ", 1)[0]
    hints = {each[:4] for each in log.key_ids}
    for name, hint, signature in checkpoint.signatures:
        if name != own or hint not in hints:
            continue
        try:
            log.key.check_signature(signature, checkpoint.note)
        except Refuted:
            continue
        return
    raise Refuted("log entry: the checkpoint is not signed by the log", check="log.checkpoint")


def _wrong_form() -> Refuted:
    return Refuted("log entry: the inclusion proof does not fit its tree's size", check="log.inclusion")


def _no_checkpoint(message: str) -> Malformed:
    return Malformed(f"checkpoint: {message}", check="log.checkpoint")
