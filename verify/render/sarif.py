"""A report as SARIF 2.1.0, for code scanning.

1. Failed findings are results of level `error`, excepted ones too but suppressed with their reason, unknown
   ones `warning`, noted ones `note`. Passed ones are no results.
2. An undecided run must not close alerts: everything unknown stands among the tool's notifications as well,
   and `executionSuccessful` is false. When the verdict is not passed there is always a result.
3. The account, the basis and every weakening flag are notifications in every run.
4. A location is the place in lock data, else the file inside the subject, else the subject itself, because
   some readers refuse a result that has none. URIs are relative and percent-encoded.
5. `partialFingerprints` are made of check, subject, file and message, so a moved line is no new alert.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from verify.digest import Digest
from verify.render.escape import encodable, terminal
from verify.render.json import dump
from verify.render.telling import Status, status, told

if TYPE_CHECKING:
    from verify.report import Check, Finding, Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {
    Status.FAILED: "error",
    Status.UNKNOWN: "warning",
    Status.EXCEPTED: "error",
    Status.NOTED: "note",
}


def render(report: Report) -> str:
    """One run."""
    findings = told(report)
    checks = {each.check.id: each.check for each in findings}
    rules = {check: index for index, check in enumerate(sorted(checks))}
    seen: Counter[str] = Counter()
    results = [_result(each, rules, seen) for each in findings if status(each) in _LEVEL]
    driver = {"name": "modseal", "rules": [_rule(checks[check]) for check in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, findings)],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"verdict": report.verdict.value, "basis": str(report.basis)},
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(check: Check) -> dict[str, Any]:
    help_text = "\n\n".join(filter(None, (check.meaning, check.remedy))) or check.id
    return {
        "id": check.id,
        "shortDescription": {"text": check.title or check.id},
        "fullDescription": {"text": check.meaning or check.id},
        "help": {"text": help_text},
    }


def _invocation(report: Report, findings: list[Finding]) -> dict[str, Any]:
    unknown = [each for each in findings if status(each) is Status.UNKNOWN]
    notes = [
        {
            "level": "error",
            "descriptor": {"id": each.check.id},
            "message": {"text": _message(each)},
        }
        for each in unknown
    ]
    notes += [
        {"level": "warning", "message": {"text": _plain(f"weakened: {flag}")}}
        for flag in sorted(report.weakened)
    ]
    notes.append({"level": "note", "message": {"text": _plain(f"basis: {report.basis}")}})
    notes.append({"level": "note", "message": {"text": _plain(str(report.account))}})
    return {
        "executionSuccessful": not unknown,
        "exitCode": report.verdict.exit_code,
        "toolExecutionNotifications": notes,
    }


def _plain(text: str) -> str:
    # SARIF reads `[text](target)` as a link even in plain messages
    return terminal(text).replace("](", "]\\x28")


def _message(finding: Finding) -> str:
    parts = [finding.message or finding.check.title or finding.check.id]
    if finding.subject is not None:
        parts.insert(0, finding.subject)
    if finding.file is not None:
        parts.insert(-1, finding.file)
    lines = [": ".join(map(_plain, parts))]
    lines += [f"{_plain(each.label)}: {_plain(each.text)}" for each in finding.details]
    lines += [f"hint: {_plain(hint)}" for hint in finding.hints]
    return "\n".join(lines)


def _result(finding: Finding, rules: dict[str, int], seen: Counter[str]) -> dict[str, Any]:
    result = {
        "ruleId": finding.check.id,
        "ruleIndex": rules[finding.check.id],
        "level": _LEVEL[status(finding)],
        "message": {"text": _message(finding)},
        "locations": [_location(finding)],
        "partialFingerprints": {"modseal/v1": _fingerprint(finding, seen)},
    }
    if finding.exception is not None and status(finding) is Status.EXCEPTED:
        accepted = {"kind": "external", "status": "accepted", "justification": _plain(finding.exception)}
        result["suppressions"] = [accepted]
    return result


def _location(finding: Finding) -> dict[str, Any]:
    path = finding.place.path if finding.place else finding.file or finding.subject or "."
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if finding.place and finding.place.line:
        physical["region"] = {"startLine": finding.place.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.subject is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": _plain(finding.subject), "kind": "module"}]
    return location


def _uri(path: str) -> str:
    # a colon is encoded as well: the first segment must not read as a scheme
    quoted = quote(encodable(path), safe="/")
    return "file:///" + quoted.lstrip("/") if quoted.startswith("/") else quoted or "."


def _fingerprint(finding: Finding, seen: Counter[str]) -> str:
    parts = (finding.check.id, finding.subject, finding.file, finding.message)
    key = dump([encodable(part) if part is not None else None for part in parts])
    seen[key] += 1
    # two findings that are alike in all of this stay two alerts
    return f"{Digest.of(key.encode()).hex}:{seen[key]}"
