"""The files of a commit, and what a repository says of itself."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import MadeRepository
from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted
from verify.limits import Limits
from verify.tree.checkout import list_changes, require_clean
from verify.tree.commit import GitTree
from verify.tree.git import Repository
from verify.tree.port import Entry, Irregular, Oddity

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"b.cue": b"b", "a/x.cue": b"x: 1\n", "a.cue": b"", "a-b": b"\r\n" * 70_000, "ü": b"u"}


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "repository")


def test_entries_are_in_byte_order_of_whole_names_with_sizes_and_modes(made: MadeRepository) -> None:
    made.write(FILES)
    (made.folder / "b.cue").chmod(0o755)
    made.commit({})
    tree = GitTree.of(made.folder, "HEAD")
    assert tree.entries() == (
        Entry("a-b", 140_000, executable=False),
        Entry("a.cue", 0, executable=False),
        Entry("a/x.cue", 5, executable=False),
        Entry("b.cue", 1, executable=True),
        Entry("ü", 1, executable=False),
    )
    assert tree.irregulars() == ()


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_bytes_and_measures_are_the_objects(tmp_path: Path, format_: str) -> None:
    made = MadeRepository(tmp_path / "repository", f"--object-format={format_}")
    made.commit(FILES)
    tree = GitTree.of(made.folder, "main")
    found = {entry.name: (found.size, found.sha256) for entry, found in tree.measures()}
    assert found == {name: (len(data), hashlib.sha256(data).digest()) for name, data in FILES.items()}
    with tree.open("a-b") as one, tree.open("a/x.cue") as other:  # two at a time
        assert one.read(10) == b"\r\n" * 5
        assert other.read() == b"x: 1\n"
        assert one.read() == FILES["a-b"][10:]


def test_the_working_tree_does_not_count(made: MadeRepository) -> None:
    made.commit({"a": b"committed"})
    made.write({"a": b"changed", "b": b"new"})
    tree = GitTree.of(made.folder, "HEAD")
    assert [entry.name for entry in tree.entries()] == ["a"]
    assert tree.open("a").read() == b"committed"


def test_subdir_is_the_root_and_says_so_when_missing(made: MadeRepository) -> None:
    made.commit({"m/n/a": b"1", "m/b": b"2", "c": b"3"})
    assert [entry.name for entry in GitTree.of(made.folder, "HEAD", "m/").entries()] == ["b", "n/a"]
    for missing in ("x", "c", "m/x"):
        with pytest.raises(Absent) as caught:
            GitTree.of(made.folder, "HEAD", missing).entries()
        assert caught.value.check == "git.no-revision"
    for wrong in ("../m", "/m", "m//n", "."):
        with pytest.raises(Misused):
            GitTree.of(made.folder, "HEAD", wrong)


def test_links_gitlinks_and_odd_names_are_irregular(made: MadeRepository) -> None:
    blob = made("hash-object", "-w", "--stdin", stdin=b"target")
    raw = bytes.fromhex(blob)
    inner = bytes.fromhex(made.mktree(b"100644 f\0" + raw))
    tree = made.mktree(
        b"40000 bad\xff\0" + inner,
        b"100644 l\nf\0" + raw,
        b"120000 link\0" + raw,
        b"160000 sub\0" + raw,
        b"100644 \xe9\0" + raw,
    )
    found = GitTree.of(made.folder, made.commit_tree(tree))
    assert found.entries() == ()
    assert found.irregulars() == (
        Irregular("bad\\xff", Oddity.NAME_ENCODING),
        Irregular("l\nf", Oddity.NAME_NEWLINE),
        Irregular("link", Oddity.SYMLINK, "target"),
        Irregular("sub", Oddity.GITLINK, blob),
        Irregular("\\xe9", Oddity.NAME_ENCODING),
    )


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"a/b", b""])
def test_a_name_that_no_git_writes_is_malformed(made: MadeRepository, name: bytes) -> None:
    raw = bytes.fromhex(made("hash-object", "-w", "--stdin", stdin=b"x"))
    commit = made.commit_tree(made.mktree(b"100644 " + name + b"\0" + raw))
    with pytest.raises(Malformed) as caught:
        GitTree.of(made.folder, commit).entries()
    assert caught.value.check == "git.object-malformed"


def test_one_name_twice_is_malformed(made: MadeRepository) -> None:
    raw = bytes.fromhex(made("hash-object", "-w", "--stdin", stdin=b"x"))
    commit = made.commit_tree(made.mktree(b"100644 a\0" + raw, b"100755 a\0" + raw))
    with pytest.raises(Malformed) as caught:
        GitTree.of(made.folder, commit).entries()
    assert caught.value.check == "git.object-malformed"


def test_trees_that_multiply_without_files_meet_a_limit(made: MadeRepository) -> None:
    tree = made.mktree()
    for _ in range(12):
        raw = bytes.fromhex(tree)
        tree = made.mktree(*(b"40000 %d\0" % each + raw for each in range(8)))
    with pytest.raises(Exhausted) as caught:
        GitTree.of(made.folder, made.commit_tree(tree), limits=Limits(tree_files=500)).entries()
    assert caught.value.check == "limit.files"


def test_tags_on_tags_are_followed(made: MadeRepository) -> None:
    commit = made.commit({"a": b"1"})
    made("tag", "-a", "-m", "one", "v1")
    made("tag", "-a", "-m", "two", "v2", "v1")
    repository = Repository(made.folder)
    assert repository.resolve("v2").oid == repository.resolve("refs/tags/v2").oid == commit
    assert repository.commit_time("v2") == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.mark.parametrize("revision", ["-h", "--all", "", "--upload-pack=x", "a\nb"])
def test_what_is_no_revision_is_misused(made: MadeRepository, revision: str) -> None:
    with pytest.raises(Misused):
        GitTree.of(made.folder, revision)


@pytest.mark.parametrize("revision", ["nowhere", "0" * 40, "HEAD~9", "HEAD:a"])
def test_a_revision_that_is_not_there(made: MadeRepository, revision: str) -> None:
    made.commit({"a": b"1"})
    with pytest.raises(Absent) as caught:
        GitTree.of(made.folder, revision)
    assert caught.value.check == "git.no-revision"


def test_a_name_of_branch_and_tag_is_refused_and_the_full_ref_is_not(made: MadeRepository) -> None:
    made.commit({"a": b"1"})
    made("branch", "v1")
    made.commit({"a": b"2"})
    made("tag", "v1")
    with pytest.raises(Refuted) as caught:
        GitTree.of(made.folder, "v1")
    assert caught.value.check == "git.ambiguous-revision"
    assert GitTree.of(made.folder, "refs/heads/v1").open("a").read() == b"1"


def test_no_repository_is_absent(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(Absent) as caught:
            GitTree.of(folder, "HEAD")
        assert caught.value.check == "git.no-repository"


def test_bare_repositories_and_linked_working_trees(made: MadeRepository, tmp_path: Path) -> None:
    commit = made.commit({"a": b"1"})
    made("clone", "-q", "--bare", str(made.folder), str(tmp_path / "bare.git"))
    made("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD")
    bare, linked = Repository(tmp_path / "bare.git"), Repository(tmp_path / "linked")
    assert bare.resolve("main").oid == linked.resolve("HEAD").oid == commit
    assert linked.top == (tmp_path / "linked").resolve()
    assert list_changes(linked) == ()
    with pytest.raises(Absent) as caught:
        _ = bare.top
    assert caught.value.check == "git.no-repository"


def test_objects_of_an_alternate_are_proved_like_any(made: MadeRepository, tmp_path: Path) -> None:
    made.commit({"a": b"1"})
    made("clone", "-q", "--shared", str(made.folder), str(tmp_path / "shared"))
    assert GitTree.of(tmp_path / "shared", "HEAD").open("a").read() == b"1"


def test_ls_files_and_prefix(made: MadeRepository) -> None:
    made.commit({"m/b": b"1", "m/a": b"2", "c": b"3", "mm/z": b"4"})
    made.write({"m/untracked": b""})
    assert Repository(made.folder / "m").prefix == "m"
    assert Repository(made.folder / "m").ls_files("m") == ("a", "b")
    assert Repository(made.folder).ls_files() == ("c", "m/a", "m/b", "mm/z")


def test_changes_are_told_with_their_codes(made: MadeRepository) -> None:
    made.commit(dict.fromkeys(("edited", "gone", "staged", "dropped", "run", "m/a", ".gitignore"), b"1"))
    made.commit({".gitignore": b"ignored\n", "ignored": b""})
    assert list_changes(Repository(made.folder)) == ()
    made.write({"edited": b"2", "staged": b"2", "added": b"1", "new": b"", "ignored": b"2"})
    made("add", "staged", "added")
    made("rm", "-q", "dropped")
    (made.folder / "gone").unlink()
    (made.folder / "run").chmod(0o755)
    changes = list_changes(Repository(made.folder))
    assert [str(each) for each in changes] == [
        "A  added", "D  dropped", " M edited", " D gone", "?? new", " M run", "M  staged",
    ]  # fmt: skip
    require_clean(Repository(made.folder), "m")
    with pytest.raises(Refuted) as caught:
        require_clean(Repository(made.folder))
    assert caught.value.check == "git.unclean"


def test_hidden_changes_are_changes(made: MadeRepository) -> None:
    made.commit({"a": b"1", "b": b"1"})
    made("update-index", "--assume-unchanged", "a")
    made("update-index", "--skip-worktree", "b")
    made.write({"a": b"2", "b": b"2"})
    assert [str(each) for each in list_changes(Repository(made.folder))] == [" M a", " M b"]


def test_before_the_first_commit_all_is_new(made: MadeRepository) -> None:
    made.write({"a": b"1", "b": b"2"})
    made("add", "a")
    assert [str(each) for each in list_changes(Repository(made.folder))] == ["A  a", "?? b"]


def test_a_git_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.tree import git

    program = tmp_path / "git"
    for version in ("2.38.9", "2.39.3", "2.43.3", "1.8"):
        program.write_text(f"#!/bin/sh\necho git version {version}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        git._check_version.cache_clear()
        git._executable.cache_clear()
        with pytest.raises(Exception, match=r"expected 2\.45 or later") as caught:
            GitTree.of(tmp_path, "HEAD")
        assert caught.value.check == "git.unusable"  # type: ignore[attr-defined]
    git._check_version.cache_clear()
    git._executable.cache_clear()


def test_output_and_time_have_limits(made: MadeRepository) -> None:
    made.commit({"a": b"1"})
    with pytest.raises(Exhausted) as caught:
        Repository(made.folder, Limits(git_output=3)).resolve("HEAD")
    assert caught.value.check == "limit.size"
