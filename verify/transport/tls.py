"""Whom we trust to be the host, and how we prove who we are: authorities and client certificates.

1. The system's authorities, unless a file of authorities is named: then those as well.
2. For a host with a folder of certificates (`certs.d/HOST[:PORT]`, as Docker and Podman have it), every `*.crt`
   in it is an authority for this host alone, and `X.cert` with `X.key` is our own certificate.
3. A client certificate that is named goes only to the hosts it is named for.

There is no switch that turns checking off, and nothing falls back to plain HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.errors import Misused

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping
    from pathlib import Path

    from verify.transport.address import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCertificate:
    """Files in PEM. The key may lie in the certificate's file."""

    certificate: Path
    key: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """Files are read when the first connection to a host is made."""

    authorities: Path | None = None
    clients: Mapping[str, ClientCertificate] = field(default_factory=dict)  # by host[:port]
    folders: tuple[Path, ...] = ()  # of certs.d, the first that has the host counts

    def per_host(self, origin: Origin) -> bool:
        """Whether this host needs a context of its own."""
        return origin.scheme == "https" and (
            origin.netloc in self.clients or self._folder(origin) is not None
        )

    def context(self, origin: Origin) -> ssl.SSLContext:
        """Raises Misused (`transport.certificate`)."""
        import ssl  # noqa: PLC0415 - plain hashing never needs it

        context = ssl.create_default_context()
        paths = ssl.get_default_verify_paths()
        if not (paths.cafile or paths.capath) and not context.cert_store_stats()["x509_ca"]:
            # a Python built to be moved may know no authorities of the system's
            import certifi  # noqa: PLC0415

            context.load_verify_locations(certifi.where())
        if self.authorities is not None:
            _load_authority(context, self.authorities)
        folder = self._folder(origin)
        for each in sorted(folder.glob("*.crt")) if folder is not None else ():
            _load_authority(context, each)
        client = self.clients.get(origin.netloc) or _pair(folder)
        if client is not None and origin.scheme == "https":
            try:
                context.load_cert_chain(client.certificate, client.key)
            except (OSError, ssl.SSLError) as error:
                raise _unusable(client.certificate) from error
        return context

    def _folder(self, origin: Origin) -> Path | None:
        found = (folder / origin.netloc for folder in self.folders)
        return next((each for each in found if each.is_dir()), None)


def _pair(folder: Path | None) -> ClientCertificate | None:
    for certificate in sorted(folder.glob("*.cert")) if folder is not None else ():
        key = certificate.with_suffix(".key")
        if key.is_file():
            return ClientCertificate(certificate=certificate, key=key)
    return None


def _load_authority(context: ssl.SSLContext, path: Path) -> None:
    try:
        context.load_verify_locations(path)
    except OSError as error:  # SSLError is one
        raise _unusable(path) from error


def _unusable(path: Path) -> Misused:
    return Misused(f"certificate {path}: expected readable PEM", check="transport.certificate")
