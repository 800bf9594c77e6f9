"""A report as one HTML file: no script, no link, nothing fetched.

The style is inline and allowed by its hash; the content security policy forbids everything else. The JSON
report stands in the element `pre#report` as text, for whoever wants to read it back.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.render import json
from verify.render.escape import html
from verify.render.telling import status, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.report import Finding, Report

_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{font-family:monospace;overflow-wrap:anywhere;white-space:pre-wrap}"
    "li{margin:.4rem 0}.failed>b{color:#b00020}.unknown>b{color:#8a5a00}.passed>b{color:#1b6e2d}"
)


def render(report: Report) -> str:
    """The whole page."""
    verdict = report.verdict.value
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>modseal: {verdict}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>modseal {html(report.command)}: {verdict}</h1>",
        f'<p id="account">{html(str(report.account))}</p>',
        f"<p>basis: {html(str(report.basis))}</p>",
        "<ul>",
        *(f"<li>weakened: <code>{html(flag)}</code></li>" for flag in sorted(report.weakened)),
        *(f"<li>{html(each.label)}: <code>{html(each.text)}</code></li>" for each in report.facts),
        *(_item(each) for each in told(report)),
        "</ul>",
        # escaped, not in a script element: there is then only one way to read it
        f'<details><summary>JSON</summary><pre id="report">{_embedded(report)}</pre></details>',
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _policy() -> str:
    digest = base64.b64encode(bytes.fromhex(Digest.of(_STYLE.encode()).hex)).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _embedded(report: Report) -> str:
    # line by line: newlines are the layout of JSON that is otherwise free of controls
    return "\n".join(map(html, json.render(report).split("\n")))


def _item(finding: Finding) -> str:
    kind = status(finding).value
    subject = f" <code>{html(finding.subject)}</code>" if finding.subject is not None else ""
    rows = "".join(f"<li>{label}: <code>{html(text)}</code></li>" for label, text in _rows(finding))
    inner = f"<ul>{rows}</ul>" if rows else ""
    return f'<li class="{kind}"><b>{kind}</b> <code>{html(finding.check.id)}</code>{subject}{inner}</li>'


def _rows(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.file is not None:
        yield "file", finding.file
    if finding.message:
        yield "why", finding.message
    if finding.place is not None:
        yield "at", str(finding.place)
    yield from ((html(each.label), each.text) for each in finding.details)
    if finding.exception is not None:
        yield "except", finding.exception
    yield from (("hint", hint) for hint in finding.hints)
