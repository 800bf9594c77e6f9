"""A small registry in memory on loopback: honest, and with the switches that real ones differ in."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socketserver
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterable, Iterator, Mapping

INDEX = "application/vnd.oci.image.index.v1+json"


@dataclass(frozen=True)
class Ask:
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]  # lower-case names
    body: bytes

    def first(self, name: str) -> str | None:
        return next(iter(self.query.get(name, ())), None)


@dataclass(frozen=True)
class Reply:
    """`raw` writes to the socket itself; otherwise Content-Length is that of the body, unless headers say."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    raw: Callable[[socket.socket], None] | None = None

    def where(self, name: str, value: str | None) -> Reply:
        kept = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        more = () if value is None else ((name, value),)
        return Reply(self.status, (*kept, *more), self.body, self.raw)


@dataclass
class Repository:
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def error(status: int, code: str, message: str = "") -> Reply:
    data = json.dumps({"errors": [{"code": code, "message": message or code.lower()}]}).encode()
    return Reply(status, (("Content-Type", "application/json"),), data)


def as_json(value: object, kind: str = "application/json", **headers: str) -> Reply:
    pairs = ((name.replace("_", "-"), text) for name, text in headers.items())
    return Reply(200, (("Content-Type", kind), *pairs), json.dumps(value).encode())


@dataclass
class Registry:
    """`answer` is the whole of it; everything that was asked is in `asked`."""

    referrers: bool = True
    auth: str = "none"  # none, basic, token
    user: str = "ada"
    password: str = "correct horse"
    page: int = 0  # entries on a page of tags or referrers; 0: all
    ranges: bool = True
    mounts: bool = True
    relative: bool = False  # Locations
    immutable: bool = False
    token_seconds: int = 300
    base: str = ""
    asked: list[Ask] = field(default_factory=list)
    repositories: dict[str, Repository] = field(default_factory=dict)
    tokens: dict[str, set[str]] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def answer(self, ask: Ask) -> Reply:
        with self.lock:
            self.asked.append(ask)
            if ask.path == "/token":
                return self._token(ask)
            refused = self._refuse(ask)
            if refused is not None:
                return refused
            if ask.path == "/v2/":
                return as_json({})
            return self._route(ask)

    def at(self, name: str) -> Repository:
        return self.repositories.setdefault(name, Repository())

    # --- who asks

    def _refuse(self, ask: Ask) -> Reply | None:
        given = ask.headers.get("authorization", "")
        if self.auth == "basic":
            wanted = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
            if given != wanted:
                return error(401, "UNAUTHORIZED", "authentication required").where(
                    "WWW-Authenticate", 'Basic realm="tests"'
                )
        if self.auth == "token":
            needed = self._scopes(ask)
            if not needed <= self.tokens.get(given.removeprefix("Bearer "), {""} if needed else set()) or (
                given.removeprefix("Bearer ") not in self.tokens
            ):
                scope = f',scope="{" ".join(sorted(needed))}"' if needed else ""
                return error(401, "UNAUTHORIZED", "authentication required").where(
                    "WWW-Authenticate", f'Bearer realm="{self.base}/token",service="tests"{scope}'
                )
        return None

    def _scopes(self, ask: Ask) -> set[str]:
        match = re.match(r"/v2/(.+)/(?:blobs|manifests|tags|referrers)/", ask.path)
        if match is None:
            return set()
        actions = "pull" if ask.method in {"GET", "HEAD"} and "/uploads/" not in ask.path else "pull,push"
        found = {f"repository:{match[1]}:{actions}"}
        if source := ask.first("from"):
            found.add(f"repository:{source}:pull")
        return found

    def _token(self, ask: Ask) -> Reply:
        given = ask.headers.get("authorization", "")
        wanted = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        form = parse_qs(ask.body.decode())
        if given != wanted and form.get("refresh_token") != [self.password]:
            return error(401, "UNAUTHORIZED", "wrong password")
        scopes = {
            part for scope in [*ask.query.get("scope", ()), *form.get("scope", ())] for part in scope.split()
        }
        scopes |= {scope.replace("pull,push", "pull") for scope in scopes}
        token = f"token-{len(self.tokens)}"
        self.tokens[token] = scopes
        return as_json({"token": token, "expires_in": self.token_seconds})

    # --- what is asked

    def _route(self, ask: Ask) -> Reply:
        match = re.fullmatch(r"/v2/(.+)/(blobs/uploads|blobs|manifests|tags|referrers)/(.*)", ask.path)
        if match is None:
            return Reply(404, (("Content-Type", "text/plain"),), b"404 page not found\n")
        name, kind, rest = match[1], match[2], unquote(match[3])
        if kind == "blobs/uploads":
            return self._upload(ask, name, rest)
        if kind == "blobs":
            return self._blob(ask, name, rest)
        if kind == "manifests":
            return self._manifest(ask, name, rest)
        if name not in self.repositories and kind == "tags":
            return error(404, "NAME_UNKNOWN")
        return self._tags(ask, name) if kind == "tags" else self._referrers(ask, name, rest)

    def _blob(self, ask: Ask, name: str, wanted: str) -> Reply:
        data = self.at(name).blobs.get(wanted)
        if data is None:
            return error(404, "BLOB_UNKNOWN")
        reply = Reply(200, (("Content-Type", "application/octet-stream"),), data)
        asked = re.fullmatch(r"bytes=([0-9]+)-", ask.headers.get("range", ""))
        if asked is None:
            return reply
        if not self.ranges:
            return error(416, "RANGE_INVALID")
        first = int(asked[1])
        return Reply(206, (("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}"),), data[first:])

    def _manifest(self, ask: Ask, name: str, which: str) -> Reply:
        here = self.at(name)
        if ask.method == "PUT":
            return self._put_manifest(ask, name, which)
        found = here.manifests.get(here.tags.get(which, which))
        if found is None or found[1] not in ask.headers.get("accept", ""):
            return error(404, "MANIFEST_UNKNOWN", "OCI manifest found, but accept header does not support it")
        data, kind = found
        return Reply(200, (("Content-Type", kind), ("Docker-Content-Digest", digest(data))), data)

    def _put_manifest(self, ask: Ask, name: str, which: str) -> Reply:
        here = self.at(name)
        made = digest(ask.body)
        if which.startswith("sha256:"):
            if which != made:
                return error(400, "DIGEST_INVALID")
        elif self.immutable and here.tags.get(which, made) != made:
            return error(403, "DENIED", "cannot overwrite tag")
        else:
            here.tags[which] = made
        here.manifests[made] = (ask.body, ask.headers["content-type"])
        reply = Reply(201, (("Location", f"/v2/{name}/manifests/{made}"), ("Docker-Content-Digest", made)))
        subject = json.loads(ask.body).get("subject")
        return reply.where("OCI-Subject", subject["digest"]) if subject and self.referrers else reply

    def _upload(self, ask: Ask, name: str, rest: str) -> Reply:
        here = self.at(name)
        if ask.method == "POST":
            source, mounted = ask.first("from"), ask.first("mount")
            if self.mounts and source and mounted in self.at(source).blobs:
                here.blobs[str(mounted)] = self.at(source).blobs[str(mounted)]
                return Reply(201, (("Location", f"/v2/{name}/blobs/{mounted}"),))
            key = f"u{len(here.uploads)}-{len(self.asked)}"
            here.uploads[key] = b""
            return self._session(202, name, key)
        if rest not in here.uploads:
            return error(404, "BLOB_UPLOAD_UNKNOWN")
        if ask.method == "GET":
            return self._session(204, name, rest)
        if ask.method == "PATCH":
            first = int(ask.headers.get("content-range", "0-").partition("-")[0])
            if first != len(here.uploads[rest]):
                return self._session(416, name, rest)
            here.uploads[rest] += ask.body
            return self._session(202, name, rest)
        data = here.uploads.pop(rest) + ask.body
        if digest(data) != ask.first("digest"):
            return error(400, "DIGEST_INVALID")
        here.blobs[digest(data)] = data
        return Reply(201, (("Location", f"/v2/{name}/blobs/{digest(data)}"),))

    def _session(self, status: int, name: str, key: str) -> Reply:
        here = "" if self.relative else self.base
        size = len(self.at(name).uploads[key])
        location = f"{here}/v2/{name}/blobs/uploads/{key}?_state=x%2By"
        return Reply(status, (("Location", location), ("Range", f"0-{max(0, size - 1)}")))

    def _tags(self, ask: Ask, name: str) -> Reply:
        found = sorted(self.at(name).tags)
        page, link = self._cut(ask, found, ask.path)
        reply = as_json({"name": name, "tags": page or None})
        return reply.where("Link", link)

    def _referrers(self, ask: Ask, name: str, subject: str) -> Reply:
        if not self.referrers:
            return Reply(404, (("Content-Type", "text/plain"),), b"404 page not found\n")
        found = []
        for key, (data, kind) in sorted(self.at(name).manifests.items()):
            document = json.loads(data)
            if (document.get("subject") or {}).get("digest") != subject:
                continue
            entry: dict[str, Any] = {"mediaType": kind, "digest": key, "size": len(data)}
            if made := document.get("artifactType") or (document.get("config") or {}).get("mediaType"):
                entry["artifactType"] = made
            if document.get("annotations"):
                entry["annotations"] = document["annotations"]
            found.append(entry)
        wanted = ask.first("artifactType")
        if wanted is not None:
            found = [entry for entry in found if entry.get("artifactType") == wanted]
        page, link = self._cut(ask, found, ask.path)
        reply = as_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": page}, INDEX)
        reply = reply if wanted is None else reply.where("OCI-Filters-Applied", "artifactType")
        return reply.where("Link", link)

    def _cut(self, ask: Ask, found: list[Any], path: str) -> tuple[list[Any], str | None]:
        if not self.page:
            return found, None
        first = int(ask.first("at") or 0)
        later = first + self.page
        kept = "".join(f"&{key}={quote(text[0], safe='')}" for key, text in ask.query.items() if key != "at")
        link = f"<{path}?at={later}{kept}>; rel=next" if later < len(found) else None
        return found[first:later], link


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _run(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        ask = Ask(
            self.command,
            parts.path,
            parse_qs(parts.query),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
        )
        server: Any = self.server
        reply: Reply = server.registry.answer(ask)
        if reply.raw is not None:
            self.close_connection = True
            with suppress(OSError):  # whoever asked may have heard enough
                reply.raw(self.connection)
            return
        self.send_response(reply.status)
        names = {name.lower() for name, _ in reply.headers}
        for name, value in reply.headers:
            self.send_header(name, value)
        if "content-length" not in names and reply.status != 204:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD" and reply.status != 204:
            with suppress(OSError):
                self.wfile.write(reply.body)

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = _run  # noqa: N815 - the names it looks for

    def log_message(self, *args: Any) -> None:
        pass


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the tests."""


@contextmanager
def running(registry: Any, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve until the block ends; gives host:port."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.registry = registry  # type: ignore[attr-defined]
        if tls is not None:
            # the handshake belongs to the connection's own thread
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        host = f"127.0.0.1:{server.server_address[1]}"
        registry.base = f"http://{host}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield host
        finally:
            server.shutdown()
            thread.join()


def header_bytes(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    """The head of an answer, for replies that are written by hand."""
    lines = [f"HTTP/1.1 {status} Made By Hand", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")
