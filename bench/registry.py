"""Artifacts of 200 MB out of a local registry and into it, against `oras` and `crane`; 50 small ones from afar.

    python bench/registry.py [pull | publish | latency | memory]…

The registry is CNCF distribution on loopback, on a folder below build/bench that is emptied. What is pulled is
kept as one file by all of them; `modseal pull` also proves the zip's contents and writes through to the disk,
which the others do not. Into the registry goes a zip that is there already; it is empty before each run.

`latency` puts a proxy before the registry that holds every answer back by 40 ms. No command fetches many
references at once, so that this is the library: a `RegistryStore` each, eight threads, one client. The least
that could be had is a manifest and its blob, one after the other: two answers for each module, and with eight
at once ceil(50 / 8) rounds of two.
"""

from __future__ import annotations

import compileall
import io
import json
import math
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = corpus.PLACE / "registry"
STORE = PLACE / "store"
MODULES, AT_ONCE, DELAY = 50, 8, 0.04
START = "from verify.__main__ import main; main()"
OUT = str(PLACE / "out.zip")


def zip_of(megabytes: int) -> Path:
    """A canonical zip of noise in files of 10 MB, made once."""
    target = corpus.PLACE / f"noise{megabytes}.zip"
    if not target.is_file():
        source = random.Random(megabytes)
        folder = corpus.PLACE / f"noise{megabytes}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for number in range(megabytes // 10):
            with (folder / f"part{number:03}.bin").open("wb") as file:
                for _ in range(10):  # what this process holds counts as the peak of what it starts
                    file.write(source.randbytes(corpus.MB))
        ours("pack", "-q", str(folder), "-o", str(target)).run()
        shutil.rmtree(folder)
    return target


def ours(*words: str) -> ratio.Side:
    """As the installed command starts."""
    return ratio.command("modseal", sys.executable, "-c", START, *words)


def theirs(name: str, *words: str, out: str = str(PLACE / "told")) -> ratio.Side:
    """A peer. What it writes to stdout goes into the file that is named; it must not talk."""
    found = ratio.peers.find(ratio.peers.load()[name], ratio.peers.cache_folder())
    if found is None:
        sys.exit(f"needs {name}: run tools/peers {name}")
    quiet = 'out="$1"; shift; exec "$@" > "$out" 2> "$out.said"'
    return ratio.command(name, "sh", "-c", quiet, "sh", out, str(found), *words)


def fresh(side: ratio.Side, *paths: str) -> ratio.Side:
    """Without what an earlier run left there."""

    def run() -> ratio.Run:
        for path in paths:
            shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink(missing_ok=True)
        os.sync()  # nobody pays for what another wrote
        return side.run()

    return ratio.Side(side.name, run)


@contextmanager
def registry() -> Iterator[str]:
    """A registry's host and port until the block ends."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    found = ratio.peers.find(ratio.peers.load()["docker-registry"], ratio.peers.cache_folder())
    if found is None:
        sys.exit("needs docker-registry: run tools/peers docker-registry")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{probe.getsockname()[1]}"
    config = {
        "version": 0.1,
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(STORE)}},
        "http": {"addr": host},
    }
    (PLACE / "config.yml").write_text(json.dumps(config))
    with (
        (PLACE / "log").open("wb") as log,
        subprocess.Popen(
            [found, "serve", str(PLACE / "config.yml")], stdin=subprocess.DEVNULL, stdout=log, stderr=log
        ) as process,
    ):
        try:
            await_port(host)
            yield host
        finally:
            process.terminate()
    shutil.rmtree(PLACE)


def await_port(host: str) -> None:
    """Until somebody listens."""
    name, _, port = host.partition(":")
    for _ in range(400):
        with socket.socket() as probe:
            if probe.connect_ex((name, int(port))) == 0:
                return
        time.sleep(0.02)
    sys.exit(f"nobody listens at {host}")


def pull(host: str) -> None:
    """One layer of 200 MB, kept as a file."""
    reference, folder = f"{host}/bench/noise:v1.0.0", str(PLACE / "oras")
    layer = put(zip_of(200), reference)
    mine = fresh(ours("pull", "-q", reference, "--keep-archive", OUT), OUT)
    for side, target in (
        (theirs("oras", "pull", "--plain-http", "--no-tty", "-o", folder, reference), folder),
        (theirs("crane", "blob", f"{host}/bench/noise@{layer}", out=f"{OUT}.crane"), f"{OUT}.crane"),
    ):
        title = f"pull of 200 MB, kept as a file: modseal pull / {side.name}"
        ratio.compare(title, mine, fresh(side, target), target="≤ 1.1")


def publish(host: str) -> None:
    """A zip of 200 MB that is packed already, into a registry that is empty."""
    archive, reference, layout = zip_of(200), f"{host}/bench/noise:v1.0.0", str(PLACE / "layout")
    ours("publish", "-q", str(archive), "--to", f"ocidir://{layout}:v1.0.0", "--type", "generic").run()
    mine = ours("publish", "-q", str(archive), "--to", reference, "--type", "generic")
    content = f"{archive}:application/zip"
    for side in (
        theirs("oras", "push", "--plain-http", "--no-tty", "--disable-path-validation", reference, content),
        theirs("crane", "push", layout, reference),
    ):
        title = f"publish of a zip of 200 MB: modseal publish / {side.name} push"
        kept = str(STORE / "docker")
        ratio.compare(title, fresh(mine, kept), fresh(side, kept), target="≤ 1.1")


def memory(host: str) -> None:
    """Peaks for blobs of 20, 200 and 800 MB: they must not grow with the blob."""
    print("\npeak memory")
    for size in (20, 200, 800):
        reference = f"{host}/bench/of{size}:v1.0.0"
        there = ours("publish", "-q", str(zip_of(size)), "--to", reference, "--type", "generic").run()
        back = fresh(ours("pull", "-q", reference, "--keep-archive", OUT), OUT).run()
        print(
            f"  {size:4} MB   publish {there.rss / 1e6:6.1f} MB   pull {back.rss / 1e6:6.1f} MB", flush=True
        )


def put(archive: Path, reference: str) -> str:
    """Publish it and tell the digest of its layer."""
    done = ours("publish", "-q", str(archive), "--to", reference, "--type", "generic", "--json").run()
    return str(json.loads(done.said)["archive"])


def latency(host: str) -> None:
    """Fifty modules through the slow proxy, against the round trips that it takes at least."""
    from verify.workflows.publishing import Order
    from verify.workflows.publishing import publish as put_one

    places = []
    for number in range(MODULES):
        archive = PLACE / f"small{number}.zip"
        folder = PLACE / f"small{number}"
        folder.mkdir()
        (folder / "a.txt").write_text(corpus.text(random.Random(number), 20_000).decode())
        places.append(f"bench/small{number}:v1.0.0")
        pack_small(folder, archive)
        put_one(Order(source=str(archive), to=f"{host}/{places[-1]}", kind="generic"), connection())
    rounds = math.ceil(MODULES / AT_ONCE) * 2
    with Slow(host) as slow:
        fetch_all([f"{slow}/{each}" for each in places])  # warm
        taken = [fetch_all([f"{slow}/{each}" for each in places]) for _ in range(ratio.PAIRS)]
        least = statistics.median(bare_rounds(slow, rounds) for _ in range(3))
    middle = statistics.median(taken)
    print(f"\n{MODULES} modules, answers {DELAY * 1000:.0f} ms late, {AT_ONCE} at once")
    print(f"  {middle:.3f} s, from {min(taken):.3f} to {max(taken):.3f}")
    print(
        f"  {rounds} rounds of {DELAY * 1000:.0f} ms are {rounds * DELAY:.3f} s; bare questions take {least:.3f} s"
    )
    print(f"  ratio {middle / (rounds * DELAY):.2f}, to bare questions {middle / least:.2f}  (target ≤ 1.5)")


def pack_small(folder: Path, archive: Path) -> None:
    """In this process: fifty starts of a command would be most of the bench."""
    from verify.archive.writer import write_archive
    from verify.tree.directory import DirectoryTree

    with archive.open("w+b") as file:
        write_archive(DirectoryTree(folder), file)


def connection() -> object:
    """As without any flag."""
    from verify.workflows.connection import Connection

    return Connection(plain_http=True)


def fetch_all(references: list[str]) -> float:
    """Manifest and archive of each, checked as `modseal pull` checks them; seconds from first to last."""
    from verify.limits import DEFAULT
    from verify.workflows.connection import connected, registry_store

    limits = replace(DEFAULT, http_per_host=AT_ONCE)
    flags = connection()
    with connected(flags, limits=limits) as client, ThreadPoolExecutor(AT_ONCE) as pool:
        started = time.perf_counter()
        list(pool.map(lambda each: check_one(*registry_store(each, client, flags)), references))
        return time.perf_counter() - started


def check_one(store: object, reference: object) -> object:
    """The bytes against their digests, the zip against itself, and its tree hash."""
    from verify.archive.reader import read_archive
    from verify.tree.hashing import hash_tree

    layer = store.get_manifest(reference.tag).document().layers[0]
    with store.open_blob(layer.digest, size=layer.size) as reader:
        return hash_tree(read_archive(io.BytesIO(reader.read())))


def bare_rounds(host: str, rounds: int) -> float:
    """The same number of questions with nothing done about the answers, on as many connections."""
    from http.client import HTTPConnection

    def ask(_: int) -> None:
        connection = HTTPConnection(host)
        for _ in range(rounds):
            connection.request("GET", "/v2/")
            connection.getresponse().read()
        connection.close()

    started = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(ask, range(AT_ONCE)))
    return time.perf_counter() - started


class Slow:
    """A proxy on loopback whose every answer begins `DELAY` late; what follows its first bytes does not wait."""

    def __init__(self, host: str) -> None:
        self._host, _, port = host.partition(":")
        self._port = int(port)
        self._ear = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> str:
        threading.Thread(target=self._listen, daemon=True).start()
        return f"127.0.0.1:{self._ear.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._ear.close()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._ear.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        far = socket.create_connection((self._host, self._port))
        for each in (near, far):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked = threading.Event()
        threading.Thread(target=self._forth, args=(near, far, asked), daemon=True).start()
        with suppress(OSError), near:  # the other direction has ended
            while block := far.recv(1 << 18):
                if asked.is_set():  # the first bytes since a question
                    asked.clear()
                    time.sleep(DELAY)
                near.sendall(block)

    def _forth(self, near: socket.socket, far: socket.socket, asked: threading.Event) -> None:
        with suppress(OSError), far:
            while block := near.recv(1 << 18):
                asked.set()
                far.sendall(block)
            far.shutdown(socket.SHUT_RDWR)


PARTS = {"pull": pull, "publish": publish, "latency": latency, "memory": memory}


def main(names: list[str]) -> None:
    """Each part with a registry of its own."""
    # as an installer does; a checkout may run where nothing is ever cached
    compileall.compile_dir(ratio.ROOT / "verify", quiet=1)
    for name in names or PARTS:
        with registry() as host:
            PARTS[name](host)


if __name__ == "__main__":
    main(sys.argv[1:])
