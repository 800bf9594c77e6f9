r"""Git objects: their ids, their formats, and a reader that believes nothing but the ids.

An object's id is a hash (SHA-1, or SHA-256 where the id has 64 digits) over its kind, a space, its size in
decimal, a zero byte and its content. A commit names a tree, a tree names blobs and trees, so from a commit's id
every byte of every file can be proved, whatever the store answers.

>>> object_id("blob", b"x: 1\n")
'd508cf756344aaf9123c531122a9d2d410c4ecfa'
>>> [(item.name, item.kind) for item in parse_tree(b"100644 a.cue\0" + bytes(20), 20)]
[(b'a.cue', 'blob')]

A SHA-1 id is worth what SHA-1 is worth: two chosen files can share one. Whoever cares uses SHA-256 repositories
or the tree hash itself.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from verify.errors import Exhausted, Malformed, Refuted, Unavailable
from verify.tree import gitchecks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HEADER = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) (0|[1-9][0-9]{0,18})\n")
_TREE = re.compile(rb"tree ([0-9a-f]+)\n")
_TAG = re.compile(rb"object ([0-9a-f]+)\ntype (blob|tree|commit|tag)\n")
_COMMITTER = re.compile(rb"^committer [^\n]*> ([0-9]{1,12}) [+-][0-9]{4}$", re.MULTILINE)
KINDS = {
    b"40000": "tree",
    b"100644": "blob",
    b"100664": "blob",  # git of 2005 wrote it
    b"100755": "blob",
    b"120000": "link",
    b"160000": "gitlink",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a tree. `kind` is blob, tree, link or gitlink."""

    name: bytes
    kind: str
    executable: bool
    oid: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit says that anybody here needs."""

    oid: str
    tree: str
    time: int  # of the committer, seconds since 1970


def _state(oid: str, kind: str, size: int) -> Any:
    state = hashlib.sha256() if len(oid) == 64 else hashlib.sha1(usedforsecurity=False)
    state.update(f"{kind} {size}\0".encode("ascii"))
    return state


def object_id(kind: str, content: bytes, *, like: str = "") -> str:
    """The id of an object in memory, in the algorithm of the id `like`."""
    state = _state(like, kind, len(content))
    state.update(content)
    return str(state.hexdigest())


def blob_id(reader: BinaryIO, size: int, *, like: str, chunk: int) -> str:
    """The id that a file of `size` bytes has as a blob; of another size it is no id at all, but empty."""
    state = _state(like, "blob", size)
    left = size
    while block := reader.read(min(chunk, left + 1)):
        left -= len(block)
        if left < 0:
            return ""
        state.update(block)
    return "" if left else str(state.hexdigest())


def parse_commit(oid: str, content: bytes) -> Commit:
    """Raises Malformed (`git.object-malformed`)."""
    head = content.partition(b"\n\n")[0]
    tree = _TREE.match(content)
    committer = _COMMITTER.search(head + b"\n")
    if tree is None or committer is None or len(tree[1]) != len(oid):
        raise malformed(f"commit {oid}", "expected a tree and a committer")
    return Commit(oid, tree[1].decode("ascii"), int(committer[1]))


def parse_tag(oid: str, content: bytes) -> str:
    """The id of what an annotated tag stands for. Raises Malformed (`git.object-malformed`)."""
    match = _TAG.match(content)
    if match is None or len(match[1]) != len(oid):
        raise malformed(f"tag {oid}", "expected an object and its type")
    return match[1].decode("ascii")


def parse_tree(content: bytes, width: int, *, oid: str = "") -> Iterator[Item]:
    """The lines of a tree whose ids have `width` bytes. Raises Malformed (`git.object-malformed`)."""
    seen: set[bytes] = set()
    at = 0
    while at < len(content):
        space, zero = content.find(b" ", at, at + 8), content.find(b"\0", at)
        if space < 0 or zero < space or len(content) < zero + 1 + width:
            raise malformed(f"tree {oid}", "cut short")
        mode, name = content[at:space], content[space + 1 : zero]
        kind = KINDS.get(mode)
        if kind is None:
            raise malformed(f"tree {oid}", f"mode {mode!r} of {name!r}")
        # a name that a checkout would turn into something else, or twice the same one: no honest git wrote it
        if name in {b"", b".", b".."} or b"/" in name or name.lower() == b".git" or name in seen:
            raise malformed(f"tree {oid}", f"name {name!r}")
        seen.add(name)
        at = zero + 1 + width
        yield Item(name, kind, mode == b"100755", content[zero + 1 : at].hex())


def malformed(what: str, why: str) -> Malformed:
    return Malformed(f"{what}: {why}", check=gitchecks.OBJECT_MALFORMED.id, hint="git fsck")


def _mismatch(oid: str) -> Refuted:
    return Refuted(
        f"object {oid}: content does not hash to its id", check=gitchecks.OBJECT_MISMATCH.id, hint="git fsck"
    )


class Answers:
    """The two ends of one `git cat-file --batch` or `--batch-check`: one request, one answer, in turn."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO, why: Callable[[], str]) -> None:
        self._requests = requests
        self._answers = answers
        self._why = why  # what to say when the other end is gone

    def ask(self, *oids: str) -> None:
        """Send requests; few enough to fit a pipe."""
        try:
            self._requests.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
            self._requests.flush()
        except OSError as error:
            raise self._gone() from error

    def header(self, oid: str) -> tuple[str, int]:
        """Kind and size, as the store says. Raises Unavailable (`git.object-missing`)."""
        line = self._answers.readline(256)
        if line == b"%b missing\n" % oid.encode("ascii"):
            raise Unavailable(
                f"object {oid}: not in the repository",
                check=gitchecks.OBJECT_MISSING.id,
                hint="git fetch the commit whole; nothing is fetched on the side",
            )
        match = _HEADER.fullmatch(line)
        if match is None or match[1].decode("ascii") != oid:
            raise self._gone()
        return match[2].decode("ascii"), int(match[3])

    def read(self, size: int) -> bytes:
        """At least one and at most `size` bytes of content. Raises Unavailable."""
        block = self._answers.read(size)
        if not block:
            raise self._gone()
        return block

    def end(self) -> None:
        """The newline after content."""
        if self._answers.read(1) != b"\n":
            raise self._gone()

    def _gone(self) -> Unavailable:
        why = self._why() or "gave no sensible answer"
        return Unavailable(f"git cat-file: {why}", check=gitchecks.UNUSABLE.id)


def read_object(answers: Answers, oid: str, most: int) -> tuple[str, bytes]:
    """Kind and content of a small object, proved by its id. Raises Refuted, Unavailable, Exhausted."""
    answers.ask(oid)
    kind, size = answers.header(oid)
    if size > most:
        raise Exhausted(f"{kind} {oid}: {size} bytes, more than {most}", check="limit.size")
    parts = bytearray()
    while len(parts) < size:
        parts += answers.read(size - len(parts))
    answers.end()
    content = bytes(parts)
    if object_id(kind, content, like=oid) != oid:
        raise _mismatch(oid)
    return kind, content


def read_kind(answers: Answers, oid: str, kind: str, most: int) -> bytes:
    """The content of an object that must be of one kind. Raises also Malformed (`git.object-malformed`)."""
    found, content = read_object(answers, oid, most)
    if found != kind:
        raise malformed(f"object {oid}", f"expected a {kind}, got a {found}")
    return content


class BlobReader(io.RawIOBase):
    """One blob as a stream. The last bytes are handed out only when all of them hash to the id."""

    def __init__(self, answers: Answers, oid: str, size: int, done: Callable[[bool], None]) -> None:
        super().__init__()
        self._answers = answers
        self._oid = oid
        self._done = done
        self._finished = False
        answers.ask(oid)
        kind, found = answers.header(oid)
        self._state = _state(oid, kind, found)
        self._left = found
        if kind != "blob" or found != size:
            self.close()
            raise malformed(f"object {oid}", f"expected a blob of {size} bytes, got a {kind} of {found}")
        if not found:
            self._finish()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Raises Refuted (`git.object-mismatch`), Unavailable."""
        wanted = min(len(buffer), self._left)
        if not wanted:
            return 0
        block = self._answers.read(wanted)
        self._state.update(block)
        self._left -= len(block)
        if not self._left:
            self._finish()
        buffer[: len(block)] = block
        return len(block)

    def _finish(self) -> None:
        self._answers.end()
        if self._state.hexdigest() != self._oid:
            raise _mismatch(self._oid)
        self._finished = True

    def close(self) -> None:
        """The process goes back to its pool, if all was read; else it is of no more use."""
        if not self.closed:
            self._done(self._finished)
        super().close()
