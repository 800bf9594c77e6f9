"""Repositories that try to run something, to fetch something, or to show other bytes than were committed."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import MadeRepository
from verify.errors import ModsealError, Refuted, Unavailable
from verify.tree.checkout import list_changes
from verify.tree.commit import GitTree
from verify.tree.git import Repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "repository")


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A command that leaves a mark; no test may find one."""
    command = tmp_path / "trap"
    command.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/sprung\nexit 0\n')
    command.chmod(0o755)
    return command


def sprung(trap: Path) -> bool:
    return (trap.parent / "sprung").exists()


def read_everything(folder: Path) -> dict[str, bytes]:
    """All that the product does with a repository."""
    repository = Repository(folder)
    tree = GitTree.of(folder, "HEAD")
    list(tree.measures())
    repository.commit_time("HEAD")
    repository.ls_files(repository.prefix)
    list_changes(repository)
    return {entry.name: tree.open(entry.name).read() for entry in tree.entries()}


def object_path(made: MadeRepository, oid: str) -> Path:
    return made.folder / ".git" / "objects" / oid[:2] / oid[2:]


def put_object(made: MadeRepository, oid: str, kind: str, content: bytes) -> None:
    path = object_path(made, oid)
    path.unlink()
    path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


@pytest.mark.parametrize("kind", ["blob", "commit"])
def test_replace_refs_are_not_followed(made: MadeRepository, kind: str) -> None:
    made.commit({"a": b"evil"}, "evil")
    evil = {"blob": made("rev-parse", "HEAD:a"), "commit": made("rev-parse", "HEAD")}
    made.commit({"a": b"good"}, "good")
    good = {"blob": made("rev-parse", "HEAD:a"), "commit": made("rev-parse", "HEAD")}
    made("replace", good[kind], evil[kind])
    assert made("cat-file", "-p", "HEAD:a") == "evil"
    assert read_everything(made.folder) == {"a": b"good"}


def test_grafts_do_not_change_ancestors(made: MadeRepository) -> None:
    first = made.commit({"a": b"1"})
    second = made.commit({"a": b"2"})
    third = made.commit({"a": b"3"})
    (made.folder / ".git/info/grafts").write_text(f"{third} {first}\n")
    assert Repository(made.folder).resolve("HEAD~1").oid == second


def test_file_system_monitor_does_not_run(made: MadeRepository, trap: Path) -> None:
    made.commit({"a": b"1"})
    made("config", "core.fsmonitor", str(trap))
    made("status", check=False)
    assert sprung(trap)  # git itself would
    (trap.parent / "sprung").unlink()
    read_everything(made.folder)
    assert not sprung(trap)


def test_hooks_aliases_and_helpers_do_not_run(made: MadeRepository, trap: Path) -> None:
    made.commit({"a": b"1"})
    hooks = made.folder / ".git" / "hooks"
    for name in (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ):
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
    for key in ("core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
                "diff.external", "alias.ls-files", "alias.cat-file", "pager.rev-parse", "pager.ls-files"):  # fmt: skip
        made("config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    made.write({"a": b"2"})
    made("add", "a")
    assert (trap.parent / "sprung").exists()  # post-index-change, by git itself
    (trap.parent / "sprung").unlink()
    read_everything(made.folder)
    assert not sprung(trap)


def test_filters_do_not_run_and_bytes_are_the_objects(made: MadeRepository, trap: Path) -> None:
    pointer = b"version https://git-lfs.example/spec/v1\noid sha256:00\nsize 5\n"
    made.commit({"big.bin": pointer, "a.txt": b"1\n2\n", "i.c": b"$Id$\n"})
    made.commit({".gitattributes": b"*.bin filter=lfs\n*.txt text eol=crlf\n*.c ident\n"})
    for key in ("clean", "smudge", "process"):
        made("config", f"filter.lfs.{key}", str(trap))
    made("config", "filter.lfs.required", "true")
    made("config", "core.autocrlf", "true")
    os.utime(made.folder / "big.bin", (1, 1))
    made.write({"a.txt": b"1\r\n2\r\n"})
    made("status", check=False)
    assert sprung(trap)  # status runs the clean filter
    (trap.parent / "sprung").unlink()
    found = read_everything(made.folder)
    assert not sprung(trap)
    assert (found["big.bin"], found["a.txt"], found["i.c"]) == (pointer, b"1\n2\n", b"$Id$\n")
    assert [str(each) for each in list_changes(Repository(made.folder))] == [" M a.txt"]


def test_nothing_is_fetched_from_a_promisor(tmp_path: Path, made: MadeRepository, trap: Path) -> None:
    made.commit({"a": b"1"})
    blob = made("rev-parse", "HEAD:a")
    object_path(made, blob).unlink()
    made("config", "remote.origin.url", f"ext::{trap}")
    made("config", "remote.origin.promisor", "true")
    made("config", "remote.origin.partialclonefilter", "blob:none")
    made("config", "extensions.partialClone", "origin")
    made("config", "core.repositoryformatversion", "1")
    made("config", "protocol.ext.allow", "always")
    made("cat-file", "-p", blob, check=False)
    assert sprung(trap)  # git itself would fetch
    (trap.parent / "sprung").unlink()
    with pytest.raises(Unavailable) as caught:
        read_everything(made.folder)
    assert caught.value.check == "git.object-missing"
    assert not sprung(trap)


def test_the_environment_does_not_count(
    made: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({"a": b"good"})
    evil = MadeRepository(tmp_path / "evil")
    evil.commit({"a": b"evil"})
    there = evil.folder / ".git"
    for name, value in {
        "GIT_DIR": there,
        "GIT_WORK_TREE": evil.folder,
        "GIT_INDEX_FILE": there / "index",
        "GIT_OBJECT_DIRECTORY": there / "objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": there / "objects",
        "GIT_CEILING_DIRECTORIES": tmp_path,
        "GIT_NAMESPACE": "evil",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": evil.folder,
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert read_everything(made.folder) == {"a": b"good"}
    assert list_changes(Repository(made.folder)) == ()


def test_a_blob_changed_in_the_store_is_a_mismatch(made: MadeRepository) -> None:
    made.commit({"a": b"good" * 100_000})
    put_object(made, made("rev-parse", "HEAD:a"), "blob", b"evil" * 100_000)
    tree = GitTree.of(made.folder, "HEAD")
    with pytest.raises(Refuted) as caught, tree.open("a") as stream:
        stream.read()
    assert caught.value.check == "git.object-mismatch"
    with pytest.raises(Refuted) as caught:
        list(tree.measures())
    assert caught.value.check == "git.object-mismatch"


def test_not_even_an_exact_read_gets_the_last_bytes_of_a_changed_blob(made: MadeRepository) -> None:
    made.commit({"a": b"good"})
    put_object(made, made("rev-parse", "HEAD:a"), "blob", b"evil")
    with pytest.raises(Refuted) as caught, GitTree.of(made.folder, "HEAD").open("a") as stream:
        stream.read(4)
    assert caught.value.check == "git.object-mismatch"


@pytest.mark.parametrize("where", ["HEAD", "HEAD^{tree}"])
def test_a_commit_or_tree_changed_in_the_store_is_a_mismatch(made: MadeRepository, where: str) -> None:
    made.commit({"a": b"evil"}, "evil")
    kind = made("cat-file", "-t", where)
    content = (zlib.decompress(object_path(made, made("rev-parse", where)).read_bytes())).partition(b"\0")[2]
    made.commit({"a": b"good"}, "good")
    put_object(made, made("rev-parse", where), kind, content)
    with pytest.raises(ModsealError) as caught:
        GitTree.of(made.folder, "HEAD").entries()
    assert caught.value.check == "git.object-mismatch"


def test_a_working_tree_elsewhere_is_refused_and_the_commit_still_reads(
    made: MadeRepository, tmp_path: Path
) -> None:
    made.commit({"a": b"1"})
    (tmp_path / "elsewhere").mkdir()
    made("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(Refuted) as caught:
        list_changes(Repository(made.folder))
    assert caught.value.check == "git.worktree-elsewhere"
    assert GitTree.of(made.folder, "HEAD").open("a").read() == b"1"


def test_a_file_behind_a_link_is_not_the_committed_one(made: MadeRepository, tmp_path: Path) -> None:
    made.commit({"m/a": b"1"})
    (made.folder / "m").rename(tmp_path / "outside")
    (made.folder / "m").symlink_to(tmp_path / "outside")
    assert " D m/a" in [str(each) for each in list_changes(Repository(made.folder))]


def test_a_submodule_is_not_entered(made: MadeRepository, trap: Path) -> None:
    inner = MadeRepository(made.folder / "sub")
    inner.commit({"x": b"1"})
    made.commit({"a": b"1"})
    inner("config", "core.fsmonitor", str(trap))
    tree = GitTree.of(made.folder, "HEAD")
    assert [(each.name, each.oddity.value) for each in tree.irregulars()] == [("sub", "gitlink")]
    assert read_everything(made.folder) == {"a": b"1"}
    assert not sprung(trap)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_another_users_repository_is_refused_until_it_is_trusted_by_name(
    made: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.tree import git

    made.commit({"a": b"1"})
    for path in (made.folder, made.folder / ".git"):
        os.chown(path, 12345, 12345)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    git._trusted.cache_clear()
    with pytest.raises(Unavailable) as caught:
        GitTree.of(made.folder, "HEAD")
    assert caught.value.check == "git.ownership"
    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {made.folder}\n")
    git._trusted.cache_clear()
    assert GitTree.of(made.folder, "HEAD").open("a").read() == b"1"
    git._trusted.cache_clear()
