"""Real registries on loopback, each with the credentials that it wants."""

from __future__ import annotations

import base64
import datetime as dt
import json
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.registry import Ask, Reply, as_json, error, running
from tests.support.server import free_port, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.peers import Peers

USER, PASSWORD = "ada", "correct horse"


@contextmanager
def distribution(peer: Peers, folder: Path, auth: str = "none") -> Iterator[str]:
    """CNCF distribution: without credentials, with a password file, or with a token server."""
    folder.mkdir(parents=True)
    port = free_port()
    config: dict[str, object] = {
        "version": 0.1,
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {
            "filesystem": {"rootdirectory": str(folder / "store")},
            "delete": {"enabled": True},
        },
        "http": {"addr": f"127.0.0.1:{port}"},
    }
    if auth == "basic":
        made = subprocess.run(
            [peer("htpasswd"), "-Bbn", USER, PASSWORD], check=True, capture_output=True, timeout=20
        )
        (folder / "passwords").write_bytes(made.stdout)
        config["auth"] = {"htpasswd": {"realm": "tests", "path": str(folder / "passwords")}}
    issuer = TokenServer()
    if auth == "token":
        (folder / "root.pem").write_bytes(issuer.certificate_pem)
    with running(issuer) as host:
        if auth == "token":
            config["auth"] = {
                "token": {
                    "realm": f"http://{host}/token",
                    "service": "tests",
                    "issuer": "tests",
                    "rootcertbundle": str(folder / "root.pem"),
                }
            }
        path = folder / "config.yml"
        path.write_text(json.dumps(config))  # JSON is YAML
        with serving([peer("docker-registry"), "serve", str(path)], port, folder / "log"):
            yield f"127.0.0.1:{port}"


@contextmanager
def olareg(peer: Peers, folder: Path, *options: str) -> Iterator[str]:
    """With the referrers API, unless an option says otherwise."""
    folder.mkdir(parents=True)
    port = free_port()
    command = [peer("olareg"), "serve", "--addr", "127.0.0.1", "--port", str(port)]
    command += ["--store-type", "mem", "--api-delete", *options]
    with serving(command, port, folder / "log"):
        yield f"127.0.0.1:{port}"


@contextmanager
def crane(peer: Peers, folder: Path) -> Iterator[str]:
    """In memory, and without ranges, mounts and referrers."""
    folder.mkdir(parents=True)
    port = free_port()
    with serving(
        [peer("crane"), "registry", "serve", "--address", f"127.0.0.1:{port}"], port, folder / "log"
    ):
        yield f"127.0.0.1:{port}"


class TokenServer:
    """Signs tokens as the distribution project's token specification says."""

    base = ""

    def __init__(self) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
        now = dt.datetime.now(dt.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self._key.public_key())
            .serial_number(1)
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.certificate_pem = certificate.public_bytes(serialization.Encoding.PEM)
        self._der = certificate.public_bytes(serialization.Encoding.DER)

    def answer(self, ask: Ask) -> Reply:
        wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if ask.headers.get("authorization") != wanted:
            return error(401, "UNAUTHORIZED")
        access = []
        for scope in ask.query.get("scope", ()):
            kind, _, rest = scope.partition(":")
            name, _, actions = rest.rpartition(":")
            access.append({"type": kind, "name": name, "actions": actions.split(",")})
        now = int(time.time())
        claims = {
            "iss": "tests",
            "sub": USER,
            "aud": "tests",
            "exp": now + 300,
            "nbf": now - 10,
            "iat": now,
            "jti": "1",
            "access": access,
        }
        header = {"typ": "JWT", "alg": "ES256", "x5c": [base64.b64encode(self._der).decode()]}
        return as_json({"token": self._sign(header, claims), "expires_in": 300})

    def _sign(self, header: object, claims: object) -> str:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        head, body = (_encode(json.dumps(each).encode()) for each in (header, claims))
        text = f"{head}.{body}"
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
