"""The release predicate: this `path@version` is exactly these digests. It is what `modseal sign` says.

Version 0.2 of in-toto's text still shows the type URI of 0.1, and what we write (`purl`) is the same in both, so
0.1 is written and either is read.

The purl's name is the module's path, element by element, so a path has one spelling:

>>> purl(Module.parse("example.com/Net+x@v1.4.0+b"), "cue")
'pkg:generic/example.com/Net%2Bx@v1.4.0%2Bb?ecosystem=cue'
>>> parse_purl("pkg:generic/example.com/Net%2Bx@v1.4.0%2Bb?ecosystem=cue")
(Module(path='example.com/Net+x', version='v1.4.0+b'), 'cue')
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from verify.errors import Malformed
from verify.module import Module

RELEASE = "https://in-toto.io/attestation/release/v0.1"
RELEASES = (RELEASE, "https://in-toto.io/attestation/release/v0.2")
_TYPE = "pkg:generic/"


def purl(module: Module, ecosystem: str) -> str:
    """The one spelling of a module's identity."""
    path = "/".join(quote(element, safe="") for element in module.path.split("/"))
    return f"{_TYPE}{path}@{quote(module.version, safe='')}?ecosystem={quote(ecosystem, safe='')}"


def parse_purl(text: str) -> tuple[Module, str]:
    """The module and its ecosystem, from the one spelling. Raises Malformed."""
    body, _, ecosystem = text.removeprefix(_TYPE).partition("?ecosystem=")
    path, _, version = body.rpartition("@")
    module = Module.of("/".join(unquote(each) for each in path.split("/")), unquote(version))
    if purl(module, unquote(ecosystem)) != text:
        raise Malformed(
            f"purl {text!r}: expected {_TYPE}PATH@VERSION?ecosystem=NAME", check="predicate.malformed"
        )
    return module, unquote(ecosystem)
