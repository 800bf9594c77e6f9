"""What `cue login` keeps: `logins.json` in cue's folder of configuration.

    {"registries": {"registry.cue.works": {"access_token": "…", "token_type": "Bearer", "expiry": "2026-…"}}}

The access token is used as it is. One that has expired is as if it were missing: renewing it is cue's to do,
because cue would not know of a token that we renewed.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from verify.errors import Unavailable
from verify.transport.credentials import Credential, Secret, host_of


def find_cue_login(data: bytes, source: str, account: str, now: float) -> Credential | None:
    """The token of the account's host at `now`. Raises Unavailable (`credentials.malformed`)."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _malformed(source, "expected JSON") from None
    registries = value.get("registries") if isinstance(value, dict) else None
    if not isinstance(registries, dict):
        raise _malformed(source, "expected registries")
    entry = registries.get(host_of(account))
    if entry is None:
        return None
    token = entry.get("access_token") if isinstance(entry, dict) else None
    if not isinstance(token, str) or not token:
        raise _malformed(source, "expected an access_token")
    if _expired(entry, now):
        return None
    return Credential(registry_token=Secret(token), source=source)


def _expired(entry: dict[str, Any], now: float) -> bool:
    expiry = entry.get("expiry")
    if not isinstance(expiry, str) or expiry.startswith("0001-"):
        return False  # Go writes the zero time where a token does not expire
    try:
        then = datetime.fromisoformat(expiry)
    except ValueError:
        return False
    return (then if then.tzinfo is not None else then.replace(tzinfo=UTC)).timestamp() <= now


def _malformed(source: str, problem: str) -> Unavailable:
    return Unavailable(f"credentials in {source}: {problem}", check="credentials.malformed")
