"""Builds and installs the real tools that the tests hold modseal against.

    tools/peers                  whatever of tools/peers.toml is not there yet, at its pinned version
    tools/peers NAME…            only these
    tools/peers --list           what there is, what is installed, what it is for
    tools/peers --path           the folder of the built ones, for PATH
    tools/peers --check          nothing is built; fail when a required one is not there

Built tools go to `${MODSEAL_PEERS:-${XDG_CACHE_HOME:-~/.cache}/modseal-peers}`, never into the checkout, each
in a folder named for what it was built from: a tool is built again only when that changes, and checkouts with
different pins share the cache in peace. `bin` there links to those of the latest run. Go's own caches
live there too, unless GOCACHE and GOMODCACHE say otherwise. Debian's packages are installed by apt-get, as
root, or (`deb`) only unpacked, so that a server among them is never started.

A Go command is built from its module exactly as published: the module's `h1:` is compared with the pin, and
its own go.sum vouches for everything it needs. Absence of an optional peer is one line; of a required one, a
failure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "peers.toml"
PROGRAMS = HERE / "gopeers"


class PeerError(Exception):
    """A tool could not be had; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One row of the table."""

    name: str
    why: str
    required: bool = True
    program: str = ""
    module: str = ""
    package: str = "."  # within the module
    version: str = ""
    sum: str = ""
    test: bool = False  # built by `go test -c`
    tags: str = ""
    toolchain: str = "local"
    apt: str = ""
    deb: str = ""
    binary: str = ""

    @property
    def command(self) -> str:
        """What its file is called."""
        return self.binary or self.name

    def fingerprint(self) -> str:
        """What it is built from: another text means another build."""
        row = {key: getattr(self, key) for key in self.__slots__ if key not in {"why", "required"}}
        row = {key: value for key, value in row.items() if value}
        state = hashlib.sha256(json.dumps(row, sort_keys=True).encode())
        if self.program:
            for file in sorted((PROGRAMS / self.program).iterdir()):
                state.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
        return state.hexdigest()

    def place(self, cache: Path) -> Path:
        """Where it is once it is built. It arrives there whole, by a rename: to be there is to be finished."""
        return cache / "built" / f"{self.name}-{self.fingerprint()[:16]}" / self.command


def load() -> dict[str, Peer]:
    """The table, in its order."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: Peer(name=name, **row) for name, row in rows.items()}


def cache_folder() -> Path:
    """Where built tools live."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("MODSEAL_PEERS") or f"{home}/modseal-peers").absolute()


def find(peer: Peer, cache: Path) -> Path | None:
    """The tool, if it is there at its pinned version."""
    if peer.apt:
        found = shutil.which(peer.command)
        return Path(found) if found else None
    place = peer.place(cache)
    return place if place.is_file() else None


def make(peer: Peer, cache: Path) -> None:
    """Make one tool and put it in its place."""
    place = peer.place(cache)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache) as scratch:
        made = unpack(peer, Path(scratch)) if peer.deb else build(peer, Path(scratch), cache)
        made.replace(place)


def link(peers: list[Peer], cache: Path) -> None:
    """Let `bin` hold them, for a PATH."""
    folder = cache / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for peer in peers:
        if not peer.apt and peer.place(cache).is_file():
            fresh = folder / f".{peer.command}.{os.getpid()}"
            fresh.symlink_to(peer.place(cache))
            fresh.replace(folder / peer.command)


def build(peer: Peer, scratch: Path, cache: Path) -> Path:
    """One Go tool, from a copy of its source."""
    if shutil.which("go") is None:
        raise PeerError("needs a Go toolchain")
    settings = environment(peer, cache)
    source, made = scratch / "source", scratch / "made"
    shutil.copytree(PROGRAMS / peer.program if peer.program else fetch(peer, settings), source)
    # what the module cache holds is read-only, folders too
    for folder in (source, *(path for path in source.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    run([*go_build(peer, made), f"./{peer.package}"], source, settings)
    return made


def unpack(peer: Peer, scratch: Path) -> Path:
    """One command out of a Debian package that is not installed."""
    if shutil.which("apt-get") is None:
        raise PeerError("needs apt-get")
    run(["apt-get", "update", "-qq"], scratch, dict(os.environ))
    # apt's sandbox user cannot write into a private folder; as root it need not
    run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", peer.deb], scratch, dict(os.environ))
    (package,) = scratch.glob("*.deb")
    run(["dpkg-deb", "-x", str(package), str(scratch / "root")], scratch, dict(os.environ))
    return scratch / "root" / "usr" / "bin" / peer.command


def go_build(peer: Peer, made: Path) -> list[str]:
    """The compiler's command line. `-mod=readonly` keeps to go.sum and off vendor folders."""
    verb = ["go", "test", "-c"] if peer.test else ["go", "build"]
    tags = [f"-tags={peer.tags}"] if peer.tags else []
    return [*verb, "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", *tags, "-o", str(made)]


def environment(peer: Peer, cache: Path) -> dict[str, str]:
    """No cgo, no workspace, no toolchain but the one the row names."""
    settings = {
        "CGO_ENABLED": "0",
        "GOFLAGS": "",
        "GOWORK": "off",
        "GOTOOLCHAIN": peer.toolchain,
        "GOCACHE": os.environ.get("GOCACHE") or str(cache / "go-build"),
        "GOMODCACHE": os.environ.get("GOMODCACHE") or str(cache / "go-mod"),
    }
    if peer.module:
        settings["GONOSUMDB"] = peer.module  # its sum stands in the table; its go.sum holds the others'
    return os.environ | settings


def fetch(peer: Peer, settings: dict[str, str]) -> Path:
    """The module's folder, once its sum equals the pin."""
    with tempfile.TemporaryDirectory() as nowhere:
        asked = ["go", "mod", "download", "-json", f"{peer.module}@{peer.version}"]
        told = json.loads(run(asked, Path(nowhere), settings))
    if told["Sum"] != peer.sum:
        raise PeerError(
            f"{peer.module}@{peer.version}: expected {peer.sum or 'a pinned sum'}, got {told['Sum']}"
        )
    return Path(told["Dir"])


def run(command: list[str], folder: Path, settings: dict[str, str]) -> str:
    """Run one command quietly; its last words are the error."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = (done.stderr + done.stdout).strip()[-2000:]
        raise PeerError(f"{' '.join(command[:3])}: exit {done.returncode}\n{words}")
    return done.stdout


def install(packages: list[str]) -> None:
    """Debian's packages, all at once."""
    settings = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    if shutil.which("apt-get") is None:
        raise PeerError("needs apt-get")
    run(["apt-get", "update", "-qq"], HERE, settings)
    run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], HERE, settings)


def bring(peers: list[Peer], cache: Path) -> dict[str, str]:
    """Have all of them; what could not be had, with the reason."""
    failed: dict[str, str] = {}
    missing = [peer for peer in peers if find(peer, cache) is None]
    packaged = [peer for peer in missing if peer.apt]
    if packaged:
        started = time.monotonic()
        try:
            install(sorted({package for peer in packaged for package in peer.apt.split()}))
        except PeerError as error:
            failed |= {peer.name: str(error) for peer in packaged}
        say(f"{' '.join(peer.name for peer in packaged)}: {time.monotonic() - started:.0f} s")
    for peer in missing:
        if not peer.apt:
            started = time.monotonic()
            try:
                make(peer, cache)
            except PeerError as error:
                failed[peer.name] = str(error)
            say(f"{peer.name}: {time.monotonic() - started:.0f} s")
    link(peers, cache)
    return failed


def say(line: str) -> None:
    """At once: builds take minutes."""
    print(line, flush=True)


def show(peers: list[Peer], cache: Path) -> None:
    """The list."""
    for peer in peers:
        state = "installed" if find(peer, cache) else "absent"
        need = "required" if peer.required else "optional"
        origin = (
            f"{peer.module}@{peer.version}"
            if peer.module
            else peer.apt or peer.deb or f"gopeers/{peer.program}"
        )
        say(f"{peer.name:16} {state:10} {need:9} {origin}\n{'':16} {peer.why}")


def settle(peers: list[Peer], failed: dict[str, str], cache: Path) -> int:
    """Say what is absent and leave accordingly."""
    absent = [peer for peer in peers if find(peer, cache) is None]
    for peer in absent:
        reason = failed.get(peer.name, "not installed")
        if peer.required:
            say(f"error: {peer.name}: {reason}")
        else:
            say(f"optional peer {peer.name} is absent: {reason.splitlines()[0]}")
    return int(any(peer.required for peer in absent))


def main(argv: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/peers", description="the real tools the tests need")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="what there is and what it is for")
    parser.add_argument("--path", action="store_true", help="print the folder of the built tools")
    parser.add_argument(
        "--check", action="store_true", help="build nothing; fail when a required one is absent"
    )
    asked = parser.parse_args(argv)
    cache, table = cache_folder(), load()
    if unknown := [name for name in asked.names if name not in table]:
        parser.error(f"no such peer: {', '.join(unknown)}")
    peers = [table[name] for name in asked.names] or list(table.values())
    if asked.path:
        say(str(cache / "bin"))
        return 0
    if asked.list:
        show(peers, cache)
        return 0
    failed = {} if asked.check else bring(peers, cache)
    return settle(peers, failed, cache)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
