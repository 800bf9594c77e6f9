"""A folder under attack: what lies there is not what it seems, or changes while it is read."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.tree_on_disk import write_tree
from verify.errors import Refuted
from verify.report import Outcome
from verify.tree import folder
from verify.tree.checking import check_tree
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.tree.measuring import LARGE
from verify.tree.memory import MemoryTree
from verify.tree.port import Oddity

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")

BASE = {"a.cue": b"a: 1\n", "d/b.cue": b"b: 2\n", "d/e/c.cue": b"c: 3\n"}
HASH = hash_tree(MemoryTree(BASE))


@pytest.fixture(params=["descriptors", "paths"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "paths":
        monkeypatch.setattr(folder, "DESCRIPTORS", False)
    return write_tree(tmp_path / "tree", BASE)


def failed(root: Path) -> list[tuple[str, str | None]]:
    """The checks that failed; a passed one would be an error of ours."""
    findings = check_tree(DirectoryTree(root), HASH, "m")
    assert not [each for each in findings if each.outcome is Outcome.PASSED]
    return [(each.check.id, each.file) for each in findings if each.outcome is Outcome.FAILED]


def test_a_link_to_equal_content_is_found(root: Path, tmp_path: Path) -> None:
    # a hash that follows links gives the very same h1 here
    (tmp_path / "outside").write_bytes(BASE["a.cue"])
    (root / "a.cue").unlink()
    (root / "a.cue").symlink_to(tmp_path / "outside")
    assert ("tree.symlink", "a.cue") in failed(root)
    (found,) = DirectoryTree(root).irregulars()
    assert found.detail == str(tmp_path / "outside")


def test_a_folder_that_is_a_link_to_an_equal_folder_is_found(root: Path, tmp_path: Path) -> None:
    (root / "d").rename(tmp_path / "elsewhere")
    (root / "d").symlink_to(tmp_path / "elsewhere")
    assert ("tree.symlink", "d") in failed(root)


def test_an_extra_link_is_found_though_the_hash_is_equal(root: Path) -> None:
    (root / "loop").symlink_to(".")
    assert hash_tree(DirectoryTree(root)) == HASH
    assert failed(root) == [("tree.symlink", "loop")]


def test_a_link_on_the_way_to_a_tree_nobody_typed(root: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "other", {"m/a": b""})
    (root / "vendor").symlink_to(tmp_path / "other")
    with pytest.raises(Refuted) as caught:
        DirectoryTree(root, below="vendor/m").entries()
    assert caught.value.check == "tree.symlink"


def test_a_pipe_is_found_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert failed(root) == [("tree.fifo", "pipe")]


def test_a_socket_is_found(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # a socket's path has a short limit
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("s")
        assert failed(root) == [("tree.socket", "s")]


def test_a_device_is_found(root: Path) -> None:
    try:
        os.mknod(root / "null", 0o020666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("making a device takes rights this user does not have")
    assert failed(root) == [("tree.device", "null")]


def test_hard_links_are_noted_and_hashed(root: Path, tmp_path: Path) -> None:
    os.link(root / "a.cue", tmp_path / "other-name")
    findings = check_tree(DirectoryTree(root), HASH, "m")
    assert [(each.check.id, each.outcome.value) for each in findings] == [
        ("tree.hardlink", "noted"),
        ("tree.hash", "passed"),
    ]


def test_a_setuid_file_is_found(root: Path) -> None:
    (root / "a.cue").chmod(0o4755)
    assert failed(root) == [("tree.special-mode", "a.cue")]


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system refuses such names")
def test_names_that_are_not_utf8_are_found(root: Path) -> None:
    os.close(os.open(os.fsencode(root) + b"/x\xff", os.O_CREAT | os.O_WRONLY))
    Path(os.fsdecode(os.fsencode(root) + b"/d/\xfe")).mkdir()
    assert [(each.name, each.oddity) for each in DirectoryTree(root).irregulars()] == [
        ("d/\\xfe", Oddity.NAME_ENCODING),
        ("x\\xff", Oddity.NAME_ENCODING),
    ]
    assert failed(root) == [("tree.name-encoding", "d/\\xfe"), ("tree.name-encoding", "x\\xff")]


def test_a_name_that_forges_a_line_is_found(root: Path) -> None:
    (root / "a\nb").write_bytes(b"")
    (root / "n\nfolder").mkdir()
    assert failed(root) == [("tree.name-newline", "a\nb"), ("tree.name-newline", "n\nfolder")]


def _refuse(monkeypatch: pytest.MonkeyPatch, method: str, refused: str) -> None:
    """A user without rights, also where the tests run as one who has them all."""
    kind = folder.DescriptorFolder if folder.DESCRIPTORS else folder.PathFolder
    original = getattr(kind, method)

    def refuse(self: folder.Folder, name: str, *rest: object) -> object:
        if name == refused:
            raise PermissionError(13, "Permission denied")
        return original(self, name, *rest)

    monkeypatch.setattr(kind, method, refuse)


def test_a_folder_that_cannot_be_read_is_unknown(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "extra").mkdir()
    (root / "extra" / "x").write_bytes(b"")
    _refuse(monkeypatch, "folder", "extra")
    (found,) = check_tree(DirectoryTree(root), HASH, "m")
    assert (found.check.id, found.file, found.outcome) == ("tree.unreadable", "extra", Outcome.UNKNOWN)


def test_a_file_that_cannot_be_read_is_unknown_and_hides_no_failure(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "loop").symlink_to(".")
    _refuse(monkeypatch, "file", "b.cue")
    findings = check_tree(DirectoryTree(root), HASH, "m")
    assert [(each.check.id, each.outcome.value) for each in findings] == [
        ("tree.symlink", "failed"),
        ("tree.unreadable", "unknown"),
    ]


def _link(path: Path) -> None:
    path.rename(path.parent.parent / "moved")
    path.symlink_to(path.parent.parent / "moved")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _other(path: Path) -> None:
    twin = path.with_name("twin")  # made first, so that it is another inode
    twin.write_bytes(path.read_bytes())
    twin.rename(path)


def _gone(path: Path) -> None:
    path.unlink()


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"#")


def _shrunk(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SWAPS: dict[str, Callable[[Path], None]] = {
    "link": _link,
    "pipe": _pipe,
    "another file of equal content": _other,
    "gone": _gone,
    "grown": _grown,
    "shrunk": _shrunk,
    "folder": _folder,
}


@pytest.mark.parametrize("size", [5, LARGE + 5], ids=["small", "large"])
@pytest.mark.parametrize("swap", list(SWAPS))
def test_a_file_exchanged_between_listing_and_opening(root: Path, swap: str, size: int) -> None:
    victim = root / "d" / "victim"
    victim.write_bytes(b"x" * size)
    expected = TreeList.of(DirectoryTree(root))
    tree = DirectoryTree(root)
    tree.entries()
    SWAPS[swap](victim)
    with pytest.raises(Refuted) as caught:
        tree.open("d/victim").close()
    assert caught.value.check == "tree.swapped"
    (found,) = check_tree(tree, expected, "m")
    assert (found.check.id, found.outcome) == ("tree.swapped", Outcome.FAILED)


@pytest.mark.parametrize("name", ["d", "d/e"])
@pytest.mark.parametrize("to_link", [True, False], ids=["link", "another folder"])
def test_a_folder_exchanged_between_listing_and_opening(
    root: Path, tmp_path: Path, name: str, to_link: bool
) -> None:
    tree = DirectoryTree(root)
    tree.entries()
    (root / name).rename(tmp_path / "moved")
    if to_link:
        (root / name).symlink_to(tmp_path / "moved")
    else:
        inside = {
            file.removeprefix(f"{name}/"): data for file, data in BASE.items() if file.startswith(f"{name}/")
        }
        write_tree(root / name, inside)
    with pytest.raises(Refuted) as caught:
        tree.open("d/e/c.cue").close()
    assert caught.value.check == "tree.swapped"
    (found,) = check_tree(tree, HASH, "m")
    assert found.check.id == "tree.swapped"


def test_a_folder_exchanged_while_it_is_walked(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = folder.DescriptorFolder if folder.DESCRIPTORS else folder.PathFolder
    original = kind.folder

    def exchanged(self: folder.Folder, name: str, seen: os.stat_result) -> folder.Folder:
        if name == "d":
            (root / "d").rename(tmp_path / "moved")
            (root / "d").symlink_to(tmp_path / "moved")
        return original(self, name, seen)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "folder", exchanged)
    with pytest.raises(Refuted) as caught:
        DirectoryTree(root).entries()
    assert caught.value.check == "tree.swapped"


AUDITED = """
import sys
allowed = True
def watch(event, args):
    if event.split(".")[0] in {"socket", "subprocess"} or event in {
        "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn", "os.startfile"
    }:
        print(event, args, file=sys.stderr)
        import os
        os._exit(9)
sys.addaudithook(watch)
from verify.tree.checking import check_tree
from verify.tree.directory import DirectoryTree
from verify.tree.listing import TreeList
tree = DirectoryTree(sys.argv[1])
print(TreeList.of(tree).tree_hash, check_tree(tree, TreeList.of(tree), "m")[-1].outcome.value)
if sys.argv[2:] == ["break"]:
    import socket
    socket.socket().close()
"""


def _audited(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-c", AUDITED, str(root), *arguments],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_hashing_opens_no_socket_and_starts_no_process(tmp_path: Path) -> None:
    write_tree(tmp_path, {**BASE, "large": b"x" * (LARGE + 1)})
    done = _audited(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" passed\n")
    assert _audited(tmp_path, "break").returncode == 9, "the watch itself must work"
