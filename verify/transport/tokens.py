"""Answers to challenges: Basic, or a token from the realm that a Bearer challenge names.

1. The first Bearer or Basic challenge counts. Anything else is nobody's business here.
2. Basic: user and password, to the origin that asked.
3. Bearer: a registry token is used as it is. Otherwise the realm is judged (`realm`) and asked: by POST where we
   hold an identity token, by GET with Basic where we have a password, and by GET without anything where we are
   nobody. A POST that the server does not know (404, 405) is repeated as a GET.
4. The scopes asked for are those of the challenge and those the caller announced, each once, sorted.
5. A token is kept under (origin, account's credential, service, realm, scopes) and sent only there; it is
   renewed a little before it expires, and when the registry refuses it. Two threads never fetch one at once.
6. What an origin asked for last time is answered before it asks again.
"""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from verify.errors import Exhausted, Unavailable
from verify.transport.challenge import parse_challenges
from verify.transport.complaint import read_complaint
from verify.transport.credentials import Credential, Secret, host_of, normal_key
from verify.transport.message import Follow, Headers, Request
from verify.transport.realm import check_realm

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.transport.address import Address, Origin
    from verify.transport.challenge import Challenge
    from verify.transport.clock import Clock
    from verify.transport.credentials import Keys
    from verify.transport.message import Client, Response

_CLIENT_ID = "modseal"
_EARLY = 5.0  # seconds before its end a token is renewed
_LEAST = 60.0  # what the specification of tokens says where a server says less or nothing
_MOST = 24 * 3600.0
_REFUSALS = frozenset({400, 401, 403, 404, 405})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request needs an answer for."""

    address: Address
    account: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Key:
    origin: Origin
    user: str | None
    service: str
    realm: str
    scopes: tuple[str, ...]


@dataclass(slots=True)
class _Token:
    header: Secret
    until: float


@dataclass(slots=True)
class _Known:
    """What an origin asked for, and what it wanted beyond the scopes that were announced."""

    challenge: Challenge
    more: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)


class Tokens:
    """Answers challenges with what `keys` finds. Threads may share it."""

    def __init__(self, keys: Keys, *, clock: Clock, limits: Limits) -> None:
        self._keys = keys
        self._clock = clock
        self._limits = limits
        self._lock = threading.Lock()
        self._known: dict[Origin, _Known] = {}
        self._tokens: dict[_Key, _Token] = {}
        self._fetching: dict[_Key, threading.Lock] = {}

    def ready(self, client: Client, asked: Asked) -> Secret | None:
        """The Authorization header that this origin wants, as far as it is known; None before it ever asked."""
        known = self._known.get(asked.address.origin)
        return None if known is None else self._header(client, asked, known, refused=None)

    def answer(self, client: Client, asked: Asked, response: Response, sent: Secret | None) -> Secret | None:
        """The header that a 401 asks for; None where there is nothing new to say. Raises Unavailable."""
        challenges = parse_challenges(response.headers.all("www-authenticate"))
        challenge = next((each for each in challenges if each.scheme in {"bearer", "basic"}), None)
        if challenge is None:
            return None
        with self._lock:
            known = self._known.setdefault(asked.address.origin, _Known(challenge))
            known.challenge = challenge
            known.more[asked.scopes] = tuple(challenge.get("scope").split())
        header = self._header(client, asked, known, refused=sent)
        return None if header == sent else header

    def renew(self, client: Client, asked: Asked, sent: Secret) -> Secret | None:
        """Another token for the one a 403 refused; None where there is none to get."""
        known = self._known.get(asked.address.origin)
        if known is None or known.challenge.scheme != "bearer":
            return None
        header = self._header(client, asked, known, refused=sent)
        return None if header == sent else header

    def _header(self, client: Client, asked: Asked, known: _Known, refused: Secret | None) -> Secret | None:
        credential = self._credential(asked)
        if known.challenge.scheme == "basic":
            return _basic(credential)
        if credential is not None and credential.registry_token is not None:
            return Secret(f"Bearer {credential.registry_token.reveal()}")
        key = self._key(asked, known, credential)
        with self._lock:
            fetching = self._fetching.setdefault(key, threading.Lock())
        with fetching:
            token = self._tokens.get(key)
            if token is None or token.header == refused or token.until <= self._clock.monotonic():
                token = self._fetch(client, key, credential)
                self._tokens[key] = token
            return token.header

    def _credential(self, asked: Asked) -> Credential | None:
        # a mistake of ours must not become a credential at another's door
        host = normal_key(host_of(asked.account))
        if host != normal_key(asked.address.origin.netloc):
            raise ValueError(f"account {asked.account!r} at {asked.address.origin}")
        return self._keys.find(asked.account)

    def _key(self, asked: Asked, known: _Known, credential: Credential | None) -> _Key:
        challenge = known.challenge
        scopes = {*asked.scopes, *known.more.get(asked.scopes, ())}
        realm = check_realm(asked.address.at("/"), challenge.get("realm"))
        who = None if credential is None else f"{credential.source}\0{credential.user}"
        return _Key(asked.address.origin, who, challenge.get("service"), realm.text, _merged(scopes))

    def _fetch(self, client: Client, key: _Key, credential: Credential | None) -> _Token:
        from verify.transport.address import Address  # noqa: PLC0415

        realm = Address.parse(key.realm)
        response = None
        if credential is not None and credential.identity_token is not None:
            response = client.send(_post(realm, key, credential.identity_token))
            if response.status in {404, 405}:
                response.close()
                response = None
        if response is None:
            response = client.send(_get(realm, key, credential))
        return self._read(response, realm)

    def _read(self, response: Response, realm: Address) -> _Token:
        what = f"token of {realm.origin}"
        try:
            data = response.read_all(self._limits.http_token_bytes, what)
        except Exhausted as error:
            raise _no_token(realm, error.message) from error
        if response.status != 200:
            said = read_complaint(data).text
            raise Unavailable(
                f"{realm.origin}: gives no token" + (f": {said}" if said else ""),
                check="fetch.unauthorized",
                hint="modseal login HOST",
            )
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            raise _no_token(realm, "expected JSON") from None
        members = value if isinstance(value, dict) else {}
        text = members.get("token") or members.get("access_token")
        if not isinstance(text, str) or not text.isascii() or not text.isprintable() or " " in text:
            raise _no_token(realm, "expected a token")
        seconds = members.get("expires_in")
        lasts = float(seconds) if isinstance(seconds, int | float) else _LEAST
        lasts = max(_LEAST, min(lasts, _MOST))
        return _Token(Secret(f"Bearer {text}"), self._clock.monotonic() + lasts - _EARLY)


def _merged(scopes: set[str]) -> tuple[str, ...]:
    """One scope for each resource, with all its actions: some token servers look only at the first."""
    actions: dict[str, set[str]] = {}
    for scope in scopes:
        resource, colon, wanted = scope.rpartition(":")
        if colon:
            actions.setdefault(resource, set()).update(wanted.split(","))
    return tuple(f"{resource}:{','.join(_order(wanted))}" for resource, wanted in sorted(actions.items()))


def _order(actions: set[str]) -> list[str]:
    return sorted(actions, key=lambda each: (each != "pull", each != "push", each))


def _get(realm: Address, key: _Key, credential: Credential | None) -> Request:
    query = [("service", key.service)] if key.service else []
    query += [("client_id", _CLIENT_ID), *(("scope", scope) for scope in key.scopes)]
    basic = _basic(credential)
    headers = Headers() if basic is None else Headers.of([("Authorization", basic.reveal())])
    address = realm.with_query(urlencode(query, quote_via=quote, safe=":/"))
    return Request(method="GET", address=address, headers=headers, give=_REFUSALS, follow=Follow.ORIGIN)


def _post(realm: Address, key: _Key, identity: Secret) -> Request:
    import io  # noqa: PLC0415

    form = {
        "grant_type": "refresh_token",
        "service": key.service,
        "client_id": _CLIENT_ID,
        "scope": " ".join(key.scopes),
        "refresh_token": identity.reveal(),
    }
    data = urlencode({name: value for name, value in form.items() if value}).encode("ascii")
    return Request(
        method="POST",
        address=realm,
        headers=Headers.of([("Content-Type", "application/x-www-form-urlencoded")]),
        body=lambda: io.BytesIO(data),
        length=len(data),
        give=_REFUSALS,
        follow=Follow.NEVER,
    )


def _basic(credential: Credential | None) -> Secret | None:
    if credential is None or credential.password is None:
        return None
    pair = f"{credential.user}:{credential.password.reveal()}".encode()
    return Secret("Basic " + base64.b64encode(pair).decode("ascii"))


def _no_token(realm: Address, problem: str) -> Unavailable:
    return Unavailable(f"{realm.origin}: its token cannot be used: {problem}", check="transport.token")
