r"""The files in which Docker and Podman keep credentials: one JSON object.

    {"auths": {"ghcr.io/acme": {"auth": "base64 of user:password"}},
     "credHelpers": {"quay.io": "suffix"}, "credsStore": "suffix"}

An entry of `auths` has `auth`, or `username` and `password`; an `identitytoken`; a `registrytoken`. Where a
program keeps the credentials of a host, entries of that host are not used. The longest key that is the
account or a path above it counts; of two spellings of one key the one written exactly. What else the file
holds is kept when it is written.

>>> file = parse_auth_file(b'{"auths":{"ghcr.io":{"auth":"YWRhOng="},"ghcr.io/acme":{"auth":"Ym9iOnk="}}}', "a.json")
>>> file.find("ghcr.io/acme/net").user, file.find("ghcr.io/other").user, file.find("quay.io/acme")
('bob', 'ada', None)
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verify.errors import Unavailable
from verify.transport.credentials import Credential, Secret, account_keys, host_of, normal_key

if TYPE_CHECKING:
    from collections.abc import Mapping

HELPER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthFile:
    """A file that was read. Its members hold secrets and are not shown."""

    source: str
    members: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def helper(self, account: str) -> str | None:
        """The suffix of the program that keeps this host's credentials. Raises Unavailable."""
        host = normal_key(host_of(account))
        helpers = _object(self.members.get("credHelpers"), self.source, "credHelpers")
        named = next((name for key, name in helpers.items() if normal_key(key) == host), None)
        if named is None:
            named = self.members.get("credsStore") or None
        if named is not None and (not isinstance(named, str) or not HELPER_NAME.fullmatch(named)):
            # a name with a slash would run another program than the one that is meant
            raise _malformed(self.source, "the name of a credential helper is none")
        return named

    def find(self, account: str) -> Credential | None:
        """What `auths` holds for an account. Raises Unavailable (`credentials.malformed`)."""
        auths = _object(self.members.get("auths"), self.source, "auths")
        wanted = account_keys(normal_key(account))
        normal: dict[str, str] = {}
        for key in auths:
            form = normal_key(key)
            if form not in normal or key == form:
                normal[form] = key
        for key in wanted:
            if key in normal:
                found = self._credential(auths[normal[key]], key)
                if found is not None:
                    return found
        return None

    def _credential(self, entry: object, key: str) -> Credential | None:
        members = _object(entry, self.source, f"entry {key}")
        user, password = _text(members, "username"), _text(members, "password")
        if auth := _text(members, "auth"):
            user, password = _decoded(auth, self.source, key)
        identity, registry = _text(members, "identitytoken"), _text(members, "registrytoken")
        if not (password or identity or registry):
            return None  # `auths` lists hosts whose credentials lie elsewhere as empty entries
        return Credential(
            user=user,
            password=Secret(password) if password else None,
            identity_token=Secret(identity) if identity else None,
            registry_token=Secret(registry) if registry else None,
            source=f"{self.source} {key}",
        )

    def with_entry(self, key: str, user: str, password: Secret) -> bytes:
        """The file's bytes with one entry written, in place of every spelling of its key."""
        auths = self._others(key)
        pair = f"{user}:{password.reveal()}".encode()
        auths[key] = {"auth": base64.b64encode(pair).decode("ascii")}
        return self._rendered(auths)

    def without_entry(self, key: str) -> bytes | None:
        """The file's bytes without an entry; None where there is none."""
        auths = self._others(key)
        before = _object(self.members.get("auths"), self.source, "auths")
        return None if len(auths) == len(before) else self._rendered(auths)

    def _others(self, key: str) -> dict[str, Any]:
        auths = _object(self.members.get("auths"), self.source, "auths")
        return {each: entry for each, entry in auths.items() if normal_key(each) != normal_key(key)}

    def _rendered(self, auths: Mapping[str, Any]) -> bytes:
        return (json.dumps({**self.members, "auths": auths}, indent="\t") + "\n").encode("utf-8")


def parse_auth_file(data: bytes, source: str) -> AuthFile:
    """Raises Unavailable (`credentials.malformed`); the message shows nothing of the content."""
    try:
        value = json.loads(data.decode("utf-8-sig")) if data.strip() else {}
    except (ValueError, RecursionError):
        raise _malformed(source, "expected JSON") from None
    return AuthFile(source=source, members=_object(value, source, "file"))


def _object(value: object, source: str, what: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _malformed(source, f"{what}: expected an object")
    return value


def _text(members: Mapping[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""


def _decoded(auth: str, source: str, key: str) -> tuple[str, str]:
    try:
        pair = base64.b64decode(auth.encode("ascii"), validate=True).decode("utf-8")
    except (UnicodeError, binascii.Error):
        raise _malformed(source, f"entry {key}: expected base64 of user:password") from None
    user, colon, password = pair.partition(":")
    if not colon:
        raise _malformed(source, f"entry {key}: expected base64 of user:password")
    return user, password.rstrip("\0")


def _malformed(source: str, problem: str) -> Unavailable:
    return Unavailable(f"credentials in {source}: {problem}", check="credentials.malformed")
