"""The files of a git commit as a tree: what was committed, whatever the working tree holds.

1. The commit's id proves all that is read (`objects.py`); the repository is read as in `git.py`.
2. Files have the bytes of their objects: no line endings are converted, no filter runs, and a pointer to a large
   file stays a pointer.
3. Links and gitlinks are irregulars, and so are names that are not UTF-8 or hold a newline; a folder with such a
   name is one irregular and is not entered. `executable` is the mode's.
4. With `subdir` the tree is that folder of the commit. A link on the way is not followed.
"""

from __future__ import annotations

import io
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from verify.digest import Measure, measure
from verify.errors import Absent, Exhausted, Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.tree import gitchecks
from verify.tree.git import Batch, Repository
from verify.tree.objects import BlobReader, Commit, Item, malformed, parse_tree, read_kind
from verify.tree.port import Entry, Irregular, Oddity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_PIPELINE = 256  # requests at a time: 65 bytes each, well within a pipe
_TASK = "read commit"


class _Pool:
    """`git cat-file` processes that nobody reads from right now; one is kept, so that most trees need one."""

    def __init__(self, start: Callable[[], Batch]) -> None:
        self._start = start
        self._idle: list[Batch] = []

    def take(self) -> Batch:
        return self._idle.pop() if self._idle else self._start()

    def give(self, batch: Batch, finished: bool) -> None:
        if finished and not self._idle:
            self._idle.append(batch)
        else:
            batch.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class GitTree:
    """A Tree over one commit. Processes end with it, or at `close`."""

    def __init__(
        self,
        repository: Repository,
        commit: Commit,
        subdir: str = "",
        limits: Limits = DEFAULT,
        events: Events = SILENT,
    ) -> None:
        self.commit = commit
        self.subdir = subdir
        self.repository = repository
        self._limits = limits
        self._events = events
        self._pool = _Pool(lambda: repository.batch("--batch"))
        self._lists: tuple[tuple[Entry, ...], tuple[Irregular, ...], dict[str, tuple[str, int]]] | None = None
        weakref.finalize(self, self._pool.close)

    @classmethod
    def of(
        cls,
        repository: Path,
        revision: str,
        subdir: str = "",
        limits: Limits = DEFAULT,
        events: Events = SILENT,
    ) -> Self:
        """The folder `subdir` of what `revision` names. Raises as `Repository.resolve`, Misused for `subdir`."""
        parts = subdir.removesuffix("/").split("/") if subdir else []
        if any(part in {"", ".", ".."} for part in parts):
            raise Misused(f"folder {subdir!r}: expected a relative path such as modules/net")
        found = Repository(repository, limits)
        return cls(found, found.resolve(revision), "/".join(parts), limits, events)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what runs; the tree may still be used, and starts anew."""
        self._pool.close()

    def entries(self) -> Sequence[Entry]:
        """Raises Absent (`git.no-revision`, no such folder) and what reading objects raises."""
        return self._listed()[0]

    def irregulars(self) -> Sequence[Irregular]:
        """Raises as `entries`."""
        return self._listed()[1]

    def open(self, name: str) -> BinaryIO:
        """Raises Absent, Refuted (`git.object-mismatch`), which reading may raise too."""
        found = self._listed()[2].get(name)
        if found is None:
            raise Absent(f"{name}: not in commit {self.commit.oid}", check="tree.missing-file")
        return self._blob(*found)

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        """Raises as `open`."""
        entries, _, blobs = self._listed()
        self._events.begin(_TASK, sum(entry.size for entry in entries))
        try:
            for entry in entries:
                with self._blob(*blobs[entry.name]) as stream:
                    found = measure(stream, most=entry.size, chunk=self._limits.chunk)
                self._events.advance(_TASK, entry.size)
                yield entry, found
        finally:
            self._events.end(_TASK)

    def items(self) -> Iterator[Item]:
        """Every file, link and gitlink as the trees have it, with its whole name. Raises as `entries`."""
        batch = self._pool.take()
        finished = False
        try:
            for path, item in self._walk(batch):
                yield replace(item, name=path)
            finished = True
        finally:
            self._pool.give(batch, finished)

    def _blob(self, oid: str, size: int) -> BinaryIO:
        batch = self._pool.take()
        raw = BlobReader(batch.answers, oid, size, lambda finished: self._pool.give(batch, finished))
        return cast("BinaryIO", io.BufferedReader(raw, max(io.DEFAULT_BUFFER_SIZE, 1 << 16)))

    def _listed(self) -> tuple[tuple[Entry, ...], tuple[Irregular, ...], dict[str, tuple[str, int]]]:
        if self._lists is None:
            self._lists = self._list()
        return self._lists

    def _list(self) -> tuple[tuple[Entry, ...], tuple[Irregular, ...], dict[str, tuple[str, int]]]:
        batch = self._pool.take()
        finished = False
        try:
            blobs: list[tuple[bytes, Item]] = []
            odd: list[tuple[bytes, Irregular]] = []
            for path, item in self._walk(batch):
                oddity = _oddity(path, item)
                if oddity is None:
                    blobs.append((path, item))
                else:
                    name = path.decode("utf-8", "backslashreplace")
                    odd.append((path, Irregular(name, oddity, self._detail(batch, item, oddity))))
            finished = True
        finally:
            self._pool.give(batch, finished)
        blobs.sort(key=lambda each: each[0])
        odd.sort(key=lambda each: each[0])
        sizes = self._sizes([item.oid for _, item in blobs])
        entries = tuple(
            Entry(path.decode("utf-8"), size, item.executable)
            for (path, item), size in zip(blobs, sizes, strict=True)
        )
        oids = {entry.name: (item.oid, entry.size) for entry, (_, item) in zip(entries, blobs, strict=True)}
        return entries, tuple(irregular for _, irregular in odd), oids

    def _tree(self, batch: Batch, oid: str) -> Iterator[Item]:
        content = read_kind(batch.answers, oid, "tree", self._limits.git_output)
        return parse_tree(content, len(oid) // 2, oid=oid)

    def _root(self, batch: Batch) -> str:
        oid = self.commit.tree
        for part in filter(None, self.subdir.split("/")):
            below = {item.name: item for item in self._tree(batch, oid)}
            item = below.get(part.encode("utf-8", "surrogateescape"))
            if item is None or item.kind != "tree":
                what = "not there" if item is None else f"expected a folder, got a {item.kind}"
                raise Absent(
                    f"folder {self.subdir!r} of commit {self.commit.oid}: {what}",
                    check=gitchecks.NO_REVISION.id,
                )
            oid = item.oid
        return oid

    def _walk(self, batch: Batch) -> Iterator[tuple[bytes, Item]]:
        """Everything that is no folder, and folders whose names are odd. Folders count: they can be many too."""
        seen = 0
        stack: list[tuple[bytes, str, int]] = [(b"", self._root(batch), 0)]
        while stack:
            prefix, oid, depth = stack.pop()
            if depth > self._limits.tree_depth:
                raise Exhausted(f"tree {oid}: deeper than {self._limits.tree_depth}", check="limit.depth")
            for item in self._tree(batch, oid):
                seen += 1
                path = prefix + item.name
                if seen > self._limits.tree_files:
                    raise Exhausted(
                        f"commit {self.commit.oid}: more than {self._limits.tree_files} files",
                        check="limit.files",
                    )
                if len(path) > self._limits.name_bytes:
                    raise Exhausted(
                        f"{path[:64]!r}…: name longer than {self._limits.name_bytes} bytes",
                        check="limit.name",
                    )
                if item.kind == "tree" and _oddity(path, item) is None:
                    stack.append((path + b"/", item.oid, depth + 1))
                else:
                    yield path, item

    def _detail(self, batch: Batch, item: Item, oddity: Oddity) -> str:
        if oddity is not Oddity.SYMLINK:
            return item.oid if oddity is Oddity.GITLINK else ""
        target = read_kind(batch.answers, item.oid, "blob", self._limits.name_bytes)
        return target.decode("utf-8", "backslashreplace")

    def _sizes(self, oids: list[str]) -> list[int]:
        """As the store says; reading proves them. Many requests at a time: this is what listing waits for."""
        found: list[int] = []
        batch = self.repository.batch("--batch-check")
        try:
            for start in range(0, len(oids), _PIPELINE):
                some = oids[start : start + _PIPELINE]
                batch.answers.ask(*some)
                for oid in some:
                    kind, size = batch.answers.header(oid)
                    if kind != "blob":
                        raise malformed(f"object {oid}", f"expected a blob, got a {kind}")
                    found.append(size)
        finally:
            batch.close()
        return found


def _oddity(path: bytes, item: Item) -> Oddity | None:
    if b"\n" in path:
        return Oddity.NAME_NEWLINE
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        return Oddity.NAME_ENCODING
    return {"link": Oddity.SYMLINK, "gitlink": Oddity.GITLINK}.get(item.kind)
