"""The git that we run, and the repository it reads, which may be hostile.

1. Git runs with an environment of our own: nothing of `GIT_*`, no system or user configuration, no prompt, no
   pager. What a repository's configuration could start is off: hooks, a file system monitor, transports, lazy
   fetching, replace refs, grafts, the commit graph. No command is used that runs filters, drivers or aliases.
2. Repositories of other users are refused by git itself; only `safe.directory` of the user's own and the
   system's configuration is heard, as git does.
3. A revision becomes an object id. From there on nothing is believed: tags, commit, trees and blobs are read raw
   from one long-lived `git cat-file --batch`, and each must hash to its id (see `objects.py`). Where objects
   come from (packs, alternates, another clone) therefore does not matter.

The files of a commit are in `commit.py`. Whether a working tree equals its commit is asked in `checkout.py`, not
of `git status`, which runs filters that a repository's configuration names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from verify.errors import Absent, Exhausted, Misused, Refuted, Unavailable
from verify.limits import DEFAULT, Limits
from verify.tree import gitchecks, objects
from verify.tree.objects import Answers, Commit, Item, read_object

if TYPE_CHECKING:
    from io import BufferedReader

# the first of each line that knows GIT_NO_LAZY_FETCH
_FIRST = ((2, 39, 4), (2, 40, 2), (2, 41, 1), (2, 42, 2), (2, 43, 4), (2, 44, 1), (2, 45, 0))
_VERSION = re.compile(r"git version (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")
_KEPT = ("PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "TMPDIR")
_OFF = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # stronger than protocol.allow, which a repository may override
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "GIT_EDITOR": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TRACE2": "0",
    "LC_ALL": "C",
}
_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "core.alternateRefsCommand=false"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.askPass=false"),
    *("-c", "core.pager=cat"),
    *("-c", "core.commitGraph=false"),
    *("-c", "core.warnAmbiguousRefs=true"),
    *("-c", "credential.helper="),
    *("-c", "protocol.allow=never"),
    *("-c", "submodule.recurse=false"),
    *("-c", "diff.external="),
)
_MANY_TAGS = 64
_STDERR = 4096


_STAGED = re.compile(rb"([0-7]{6}) ([0-9a-f]+) ([0-3])\t(.+)", re.DOTALL)


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _OFF


@lru_cache(maxsize=8)
def _executable(path: str | None) -> str:
    found = shutil.which("git", path=path)
    if found is None:
        raise Unavailable("git: not found", check=gitchecks.UNUSABLE.id, hint="install git")
    return str(Path(found).absolute())


@lru_cache(maxsize=8)
def _check_version(program: str) -> None:
    told = _run([program, "--version"], None, DEFAULT)[1].decode("ascii", "replace").strip()
    match = _VERSION.match(told)
    major, minor, patch = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    first = {each[:2]: each for each in _FIRST}.get((major, minor), _FIRST[0])
    if (major, minor, patch) < first:
        raise Unavailable(
            f"{told or program}: expected 2.45 or later, or a fixed release of 2.39 to 2.44",
            check=gitchecks.UNUSABLE.id,
            hint="update git",
        )


def _run(
    command: list[str], folder: Path | None, limits: Limits, environment: dict[str, str] | None = None
) -> tuple[int, bytes, str]:
    """Exit status, output and what was said. Raises Exhausted, Unavailable."""
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(  # noqa: S603  # an absolute path and arguments, no shell
                command,
                cwd=folder,
                env=_environment() if environment is None else environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        except OSError as error:
            raise Unavailable(f"git: {error.strerror}", check=gitchecks.UNUSABLE.id) from error
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limits.git_seconds, end)
        timer.start()
        try:
            with process:
                output = cast("BinaryIO", process.stdout).read(limits.git_output + 1)
                if len(output) > limits.git_output:
                    process.kill()
        finally:
            timer.cancel()
        said.seek(0)
        words = said.read(_STDERR).decode("utf-8", "replace").strip()
    if late.is_set():
        raise Exhausted(f"git: no answer within {limits.git_seconds:g} s", check="limit.time")
    if len(output) > limits.git_output:
        raise Exhausted(f"git: more than {limits.git_output} bytes of output", check="limit.size")
    return process.returncode, output, words


class Batch:
    """One `git cat-file` process that answers until it is closed, or has been silent for too long."""

    def __init__(self, command: list[str], folder: Path, seconds: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # an absolute path and arguments, no shell
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._late = False
        self._seconds = seconds
        self._since = time.monotonic()
        self._over = threading.Event()
        requests = cast("BinaryIO", self._process.stdin)
        self._out = cast("BinaryIO", self._process.stdout)
        self.answers = Answers(requests, cast("BinaryIO", self), self._why)
        self._busy = False
        threading.Thread(target=self._watch, daemon=True).start()

    def _why(self) -> str:
        return f"no answer within {self._seconds:g} s" if self._late else ""

    def _watch(self) -> None:
        while not self._over.wait(max(0.05, self._seconds / 8)):
            if self._busy and time.monotonic() - self._since > self._seconds:
                self._late = True
                self._process.kill()
                return

    def read(self, size: int = -1, /) -> bytes:
        """What has come of `size` bytes."""
        self._since, self._busy = time.monotonic(), True
        try:
            return cast("BufferedReader", self._out).read1(size)
        finally:
            self._busy = False

    def readline(self, size: int = -1, /) -> bytes:
        """One line."""
        self._since, self._busy = time.monotonic(), True
        try:
            return self._out.readline(size)
        finally:
            self._busy = False

    def close(self) -> None:
        """The end of the process."""
        self._over.set()
        self._process.kill()
        with suppress(OSError):  # a request may still be in the pipe
            self._process.__exit__(None, None, None)


@lru_cache(maxsize=8)
def _trusted(path: str | None) -> tuple[str, ...]:
    """What the user's and the system's own configuration call safe; git does not hear it from files that are off."""
    home = {
        name: os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME", "USERPROFILE") if name in os.environ
    }
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    places: list[str] = []
    for scope in ("--system", "--global"):
        # these scopes are read from fixed files: no repository is looked for
        command = [_executable(path), "config", "--null", scope, "--get-all", "safe.directory"]
        places += _run(command, None, DEFAULT, kept | home)[1].decode("utf-8", "replace").split("\0")
    return tuple(part for place in places if place for part in ("-c", f"safe.directory={place}"))


@dataclass(frozen=True)
class Repository:
    """The repository that a folder lies in. Raises Unavailable and Exhausted from everything."""

    folder: Path
    limits: Limits = DEFAULT

    @cached_property
    def _options(self) -> tuple[str, ...]:
        """Proves that there is a repository, and that git may read it."""
        path = os.environ.get("PATH")
        _check_version(_executable(path))
        if not self.folder.is_dir():
            raise Absent(f"{self.folder}: not a folder", check=gitchecks.NO_REPOSITORY.id)
        for again in (False, True):
            options = (_executable(path), *_OPTIONS, *(_trusted(path) if again else ()))
            status, _, words = _run([*options, "rev-parse", "--git-dir"], self.folder, self.limits)
            if status == 0:
                return options
            if "dubious ownership" not in words:
                raise Absent(
                    f"{self.folder}: {words or 'not a git repository'}", check=gitchecks.NO_REPOSITORY.id
                )
        raise Unavailable(
            f"{self.folder}: repository of another user",
            check=gitchecks.OWNERSHIP.id,
            hint=f"git config --global --add safe.directory {self.folder.absolute()}",
        )

    def run(self, *arguments: str) -> tuple[int, bytes, str]:
        """Exit status, output and words of one command."""
        return _run([*self._options, *arguments], self.folder, self.limits)

    def batch(self, mode: str) -> Batch:
        """A new `git cat-file` process; `mode` is --batch or --batch-check."""
        return Batch([*self._options, "cat-file", mode], self.folder, self.limits.git_seconds)

    def _output(self, *arguments: str) -> bytes:
        status, output, words = self.run(*arguments)
        if status != 0:
            raise Unavailable(f"git {arguments[0]}: {words}", check=gitchecks.UNUSABLE.id)
        return output

    def resolve(self, revision: str) -> Commit:
        """The commit that a revision names, its content and all tags on the way proved by their ids.

        Raises Misused (no revision at all), Absent (`git.no-revision`), Refuted (`git.ambiguous-revision`,
        `git.object-mismatch`).
        """
        if not revision or revision.startswith("-") or not revision.isprintable():
            raise Misused(f"revision {revision!r}: expected a commit, a tag or a branch")
        status, output, words = self.run("rev-parse", "--verify", "--end-of-options", revision)
        oid = output.decode("ascii", "replace").strip()
        if "ambiguous" in words:
            raise Refuted(
                f"revision {revision}: has more than one meaning",
                check=gitchecks.AMBIGUOUS.id,
                hint=f"refs/tags/{revision} or refs/heads/{revision}, or the full commit id",
            )
        if status != 0 or not objects.ID.fullmatch(oid):
            raise _no_revision(f"revision {revision}: not in {self.folder}")
        batch = self.batch("--batch")
        try:
            return _peel(batch.answers, oid)
        finally:
            batch.close()

    def commit_time(self, revision: str) -> datetime:
        """The committer's time in UTC. Raises as `resolve` does."""
        return datetime.fromtimestamp(self.resolve(revision).time, UTC)

    @cached_property
    def top(self) -> Path:
        """The root of the working tree. Raises Absent (bare), Refuted (`git.worktree-elsewhere`)."""
        folder = self.folder.resolve()
        lies = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
        status, output, words = self.run("rev-parse", "--show-toplevel")
        if status != 0 or lies is None:
            raise Absent(f"{self.folder}: {words or 'no working tree'}", check=gitchecks.NO_REPOSITORY.id)
        told = Path(os.fsdecode(output.removesuffix(b"\n"))).resolve()
        if told != lies:
            raise Refuted(
                f"{lies}: expected its own working tree, got {told}",
                check=gitchecks.WORKTREE_ELSEWHERE.id,
                hint="git config --unset core.worktree",
            )
        return lies

    @property
    def prefix(self) -> str:
        """Where the folder lies below `top`: empty, or with `/` and none at the end."""
        return "/".join(self.folder.resolve().relative_to(self.top).parts)

    def staged(self, subdir: str = "") -> tuple[tuple[Item, int], ...]:
        """What the index lists below a folder of `top`, names from `top`, with the stage of a conflict."""
        found = []
        for line in self._listed("--stage", subdir):
            mode, oid, stage, name = _STAGED.fullmatch(line).groups()  # type: ignore[union-attr]  # git's own format
            item = Item(name, objects.KINDS.get(mode, "tree"), mode == b"100755", oid.decode("ascii"))
            found.append((item, int(stage)))
        return tuple(found)

    def untracked(self, subdir: str = "") -> tuple[bytes, ...]:
        """What lies there, is not in the index and not ignored, names from `top`."""
        return self._listed("--others", subdir, "--exclude-standard")

    def ls_files(self, subdir: str = "") -> tuple[str, ...]:
        """The tracked names below a folder of `top`, from that folder, in byte order; not UTF-8 as surrogates."""
        cut = len(os.fsencode(subdir)) + 1 if subdir else 0
        names = {item.name[cut:] for item, _ in self.staged(subdir)}
        return tuple(name.decode("utf-8", "surrogateescape") for name in sorted(names))

    def _listed(self, what: str, subdir: str, *more: str) -> tuple[bytes, ...]:
        at_top = Repository(self.top, self.limits)
        where = (subdir,) if subdir else ()
        output = at_top._output("ls-files", "-z", what, *more, "--full-name", "--", *where)
        return tuple(output.split(b"\0")[:-1])


def _peel(answers: Answers, oid: str) -> Commit:
    first = oid
    for _ in range(_MANY_TAGS):
        try:
            kind, content = read_object(answers, oid, DEFAULT.document_bytes)
        except Unavailable as error:
            if error.check != gitchecks.OBJECT_MISSING.id or oid != first:
                raise
            raise _no_revision(f"revision {oid}: not in the repository") from error
        if kind == "commit":
            return objects.parse_commit(oid, content)
        if kind != "tag":
            raise _no_revision(f"revision {oid}: expected a commit, got a {kind}")
        oid = objects.parse_tag(oid, content)
    raise Exhausted(f"tag {oid}: more than {_MANY_TAGS} tags on tags", check="limit.depth")


def _no_revision(message: str) -> Absent:
    return Absent(message, check=gitchecks.NO_REVISION.id, hint="git fetch --tags")
