"""The wire over real sockets on loopback: what must not happen at this level, and TLS."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import logging
import os
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.registry import Ask, Registry, Reply, running
from verify.errors import Misused, Unavailable
from verify.limits import Limits
from verify.transport.address import Address
from verify.transport.client import HttpClient
from verify.transport.message import Request
from verify.transport.tls import ClientCertificate, Tls
from verify.transport.wire import UrllibWire, _proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE_TRY = Limits(http_tries=1, http_connect=2, http_read=2)


def get(wire: UrllibWire, url: str, path: str = "/v2/") -> bytes:
    with closing(HttpClient(wire, limits=ONE_TRY)) as client:
        return client.send(Request(method="GET", address=Address.parse(f"{url}{path}"))).read_all(1000, "x")


def test_netrc_and_cookies_add_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login ada password hunter2\ndefault login ada password hunter2\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))

    class Cookies(Registry):
        def answer(self, ask: Ask) -> Reply:
            return super().answer(ask).where("Set-Cookie", "a=b; Path=/")

    registry = Cookies()
    with running(registry) as host:
        wire = UrllibWire()
        for _ in range(2):
            get(wire, f"http://{host}")
    assert [set(ask.headers) & {"authorization", "cookie"} for ask in registry.asked] == [set(), set()]


def test_connection_is_used_again() -> None:
    ports = set()

    class Ports(Registry):
        def answer(self, ask: Ask) -> Reply:
            ports.add(threading.get_ident())  # one thread for each connection
            return super().answer(ask)

    with running(Ports()) as host, closing(HttpClient(UrllibWire())) as client:
        for _ in range(5):
            request = Request(method="GET", address=Address.parse(f"http://{host}/v2/"))
            client.send(request).read_all(1000, "x")
    assert len(ports) == 1


def test_connection_outlives_a_challenge_and_a_redirect() -> None:
    from tests.support.registry_stores import OneKey

    ports = set()

    class Ports(Registry):
        def answer(self, ask: Ask) -> Reply:
            ports.add(threading.get_ident())
            made = super().answer(ask)
            if ask.path == "/v2/" and made.status == 200:
                return Reply(307, (("Location", "/v2/x/tags/list"),), b"moved")
            return made

    registry = Ports(auth="basic")
    registry.at("x")
    with running(registry) as host, closing(HttpClient(UrllibWire(), keys=OneKey())) as client:
        request = Request(method="GET", address=Address.parse(f"http://{host}/v2/"), account=host)
        assert b"tags" in client.send(request).read_all(1000, "x")
    assert (len(registry.asked), len(ports)) == (3, 1)


def test_offline_opens_no_socket_and_starts_no_process(tmp_path: Path) -> None:
    """Seen from below: every event of the interpreter that could be one of the two."""
    program = """
import sys
seen = []
sys.addaudithook(lambda name, _: seen.append(name) if name.startswith(("socket.", "subprocess.", "os.exec")) else None)
from verify.oci.reference import Reference
from verify.oci.registry import RegistryStore
from verify.workflows.connection import Connection, connected
with connected(Connection(offline=True)) as client:
    store = RegistryStore(Reference.parse("r.example/a/b"), client)
    for ask in (store.tags, lambda: store.get_manifest("v1")):
        try:
            ask()
        except Exception as error:
            print(error.check)
print(seen)
"""
    (tmp_path / "auth.json").write_text('{"credsStore": "x"}')
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "REGISTRY_AUTH_FILE": str(tmp_path / "auth.json")},
        capture_output=True,
        check=True,
        timeout=30,
        text=True,
    )
    assert done.stdout == "fetch.offline\nfetch.offline\n[]\n"


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening
        with pytest.raises(Unavailable) as caught:
            get(UrllibWire(limits=ONE_TRY), f"http://127.0.0.1:{taken.getsockname()[1]}")
    assert caught.value.check == "fetch.unreachable"


def test_log_shows_no_credential(caplog: pytest.LogCaptureFixture) -> None:
    from tests.support.registry_stores import OneKey

    with caplog.at_level(logging.DEBUG), running(Registry(auth="basic")) as host:
        client = HttpClient(UrllibWire(), keys=OneKey())
        client.send(Request(method="GET", address=Address.parse(f"http://{host}/v2/"), account=host)).close()
        client.close()
    assert "YWRh" not in caplog.text
    assert "correct horse" not in caplog.text


def test_nothing_of_http_is_loaded_before_it_is_used() -> None:
    program = (
        "import sys, json, verify.oci.registry, verify.transport.client, verify.transport.wire, verify.transport.keychain;"
        "print(json.dumps(sorted({'urllib3','requests','http.client','ssl','certifi'} & set(sys.modules))))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, check=True, timeout=30
    )
    assert json.loads(done.stdout) == []


# --- proxies


@pytest.mark.parametrize(
    ("environ", "url", "expected"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://r.example/", "http://p:1"),
        ({"https_proxy": "http://q:1", "HTTPS_PROXY": "http://p:1"}, "https://r.example/", "http://q:1"),
        ({"HTTPS_PROXY": "p:1"}, "https://r.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "https://r.example/", None),
        ({"ALL_PROXY": "http://p:1"}, "https://r.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "http://r.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"}, "http://r.example/", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "r.example"}, "https://r.example/", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example"}, "https://r.example/", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://r.example/", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "ample"}, "https://r.example/", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "r.example:5000"}, "https://r.example/", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "r.example:5000"}, "https://r.example:5000/", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, "https://10.1.2.3/", None),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": ""}, "https://r.example/", "http://p:1"),
        ({}, "https://r.example/", None),
    ],
)  # fmt: skip
def test_proxy(environ: dict[str, str], url: str, expected: str | None) -> None:
    assert _proxy(Address.parse(url).origin, environ) == expected


def test_request_goes_through_the_proxy_with_its_own_credential_and_loopback_does_not() -> None:
    proxy = Registry()
    with running(proxy) as host, running(Registry()) as direct:
        wire = UrllibWire(environ={"HTTP_PROXY": f"http://ada:pw@{host}"})
        get(wire, f"http://{direct}")
        assert proxy.asked == []
        get(wire, "http://r.example")
    (ask,) = proxy.asked
    assert ask.headers["proxy-authorization"].startswith("Basic ")
    assert ask.headers["host"] == "r.example"


def test_proxy_of_another_kind_is_refused() -> None:
    with pytest.raises(Misused) as caught:
        get(UrllibWire(environ={"ALL_PROXY": "socks5://127.0.0.1:1"}), "http://r.example")
    assert caught.value.check == "transport.proxy"


# --- TLS


def issue(folder: Path, name: str, issuer: Any = None) -> tuple[Path, Path, Any]:
    """A certificate for 127.0.0.1 and its key, by itself or by an authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[1] if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
    )
    made = builder.sign(issuer[0] if issuer else key, hashes.SHA256())
    certificate, secret = folder / f"{name}.cert", folder / f"{name}.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, secret, (key, subject)


@contextmanager
def secure(certificate: Path, key: Path, client_authority: Path | None = None) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if client_authority is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_authority)
    with running(Registry(), tls=context) as host:
        yield f"https://{host}"


def test_certificate_must_be_trusted_and_nothing_falls_back(tmp_path: Path) -> None:
    authority, _, issuer = issue(tmp_path, "authority")
    certificate, key, _ = issue(tmp_path, "server", issuer)
    with secure(certificate, key) as url:
        with pytest.raises(Unavailable) as caught:
            get(UrllibWire(limits=ONE_TRY), url)
        assert caught.value.check == "fetch.tls"
        assert get(UrllibWire(tls=Tls(authorities=authority)), url) == b"{}"
        folder = tmp_path / "certs.d" / url.removeprefix("https://")
        folder.mkdir(parents=True)
        (folder / "ca.crt").write_bytes(authority.read_bytes())
        assert get(UrllibWire(tls=Tls(folders=(tmp_path / "certs.d",))), url) == b"{}"
    with running(Registry()) as plain, pytest.raises(Unavailable) as caught:
        get(UrllibWire(tls=Tls(authorities=authority), limits=ONE_TRY), f"https://{plain}")
    assert caught.value.check == "fetch.tls"


def test_client_certificate_goes_to_its_host(tmp_path: Path) -> None:
    authority, _, issuer = issue(tmp_path, "authority")
    certificate, key, _ = issue(tmp_path, "server", issuer)
    ours, our_key, _ = issue(tmp_path, "client", issuer)
    with secure(certificate, key, authority) as url:
        with pytest.raises(Unavailable):
            get(UrllibWire(tls=Tls(authorities=authority), limits=ONE_TRY), url)
        clients = {url.removeprefix("https://"): ClientCertificate(certificate=ours, key=our_key)}
        assert get(UrllibWire(tls=Tls(authorities=authority, clients=clients)), url) == b"{}"


def test_file_that_is_no_certificate_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("no")
    for path in (tmp_path / "x.pem", tmp_path / "missing.pem"):
        with pytest.raises(Misused) as caught:
            get(UrllibWire(tls=Tls(authorities=path)), "https://127.0.0.1:1")
        assert caught.value.check == "transport.certificate"
