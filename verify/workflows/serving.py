"""`modseal serve`: a layout folder, or a folder of them, over HTTP until somebody says stop.

1. A folder that holds `oci-layout` is one layout, served under every name or under `name`. Any other folder is
   a tree: the repository `example.com/net` is the layout `example.com/net/` below it.
2. It can only be read, unless writing is asked for. One layout is written under one name: pushed under two,
   the tags of two repositories would be mixed in it.
3. It listens on this machine alone, unless an address says otherwise, and then warns.
4. SIGINT and SIGTERM end it, and that is its normal end.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.oci.serve.driver import Driver
from verify.oci.serve.registry import Registry
from verify.oci.serve.repositories import LayoutTree, OneLayout
from verify.oci.serve.uploads import Uploads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verify.oci.serve.repositories import Repositories


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What is served, and where."""

    address: str  # HOST:PORT
    folder: str
    tree: bool
    writable: bool
    name: str | None

    def as_data(self) -> dict[str, object]:
        """For machines."""
        return {
            "schemaVersion": "modseal.serve/1",
            "address": self.address,
            "url": f"http://{self.address}/v2/",
            "folder": self.folder,
            "shape": "tree" if self.tree else "layout",
            "writable": self.writable,
            "name": self.name,
        }


@contextmanager
def serving(
    folder: str,
    *,
    listen: str = "127.0.0.1:0",
    writable: bool = False,
    name: str | None = None,
    hosts: Sequence[str] = (),
    limits: Limits = DEFAULT,
    events: Events = SILENT,
) -> Iterator[Serving]:
    """Serve in threads while the block runs. Raises Misused, Unavailable (the address is taken)."""
    host, port = _address(listen)
    root = Path(folder)
    tree = _is_tree(root, writable=writable, name=name)
    repositories: Repositories = LayoutTree(root, limits=limits)
    if not tree:
        repositories = OneLayout(root, name=name, limits=limits)
    uploads = Uploads(root, limits=limits) if writable else None
    registry = Registry(repositories, uploads=uploads, limits=limits)
    driver = Driver(registry, host, port, hosts=hosts, limits=limits, events=events)
    if not driver.loopback:
        events.note(
            Level.WARNING,
            f"{driver.address} can be reached from other machines, without a password and without TLS",
        )
    thread = threading.Thread(target=driver.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
    thread.start()
    try:
        yield Serving(address=driver.address, folder=folder, tree=tree, writable=writable, name=name)
    finally:
        driver.stop()
        thread.join()
        if uploads is not None:
            uploads.close()


def serve_until_stopped(
    folder: str,
    announce: Callable[[Serving], None],
    *,
    listen: str,
    writable: bool,
    name: str | None,
    hosts: Sequence[str],
    events: Events,
) -> None:
    """Serve until a signal comes. Raises as `serving`."""
    stop = threading.Event()
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        with serving(
            folder, listen=listen, writable=writable, name=name, hosts=hosts, events=events
        ) as served:
            announce(served)
            stop.wait()
            events.note(Level.INFO, "stopping")
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _address(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise Misused(f"listen on {listen!r}: expected HOST:PORT", hint="--listen 127.0.0.1:5000")
    return host, int(port)


def _is_tree(root: Path, *, writable: bool, name: str | None) -> bool:
    if not root.is_dir():
        hint = f"mkdir {root}" if writable else None
        raise Misused(f"{root}: expected a folder", hint=hint)
    tree = not (root / "oci-layout").is_file()
    if tree and name is not None:
        raise Misused(f"{root}: --name is for one layout, and this is a folder of them")
    if not tree and writable and name is None:
        raise Misused(
            f"{root}: is one layout, and writing to it needs the one name it has",
            hint=f"modseal serve --writable --name example.com/net {root}",
        )
    return tree
