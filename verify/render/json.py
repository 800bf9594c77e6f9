r"""A report as JSON: everything in it, for machines. The schema is `docs/reference/report.schema.json`.

Keys are sorted, indentation is two spaces, the encoding is UTF-8 with a final newline. Lists that have no
order of their own are sorted, so the same findings give the same bytes. Within `modseal.report/1` fields
are only ever added; the values of enumerations are closed.

A lone surrogate, which is how Python carries a byte that is not UTF-8, is not text that JSON readers agree
on: it is spelt out as the six characters `\udcXX`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from verify.render.escape import encodable, json_text
from verify.render.telling import gaps, ordered, status

if TYPE_CHECKING:
    from verify.report import Account, Detail, Finding, Report

VERSION = "modseal.report/1"


def render(report: Report) -> str:
    """The whole report."""
    return dump(document(report))


def dump(value: object) -> str:
    """Any JSON value in our rendering: no raw control, no invisible character, no lone surrogate."""
    text = json.dumps(_clean(value), ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return json_text(text) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain values, apart from the classes that carry it inside: those may change."""
    standings = sorted(report.standings, key=lambda pair: pair[0].name)
    return {
        "schemaVersion": VERSION,
        "command": report.command,
        "verdict": report.verdict.value,
        "exitCode": report.verdict.exit_code,
        "basis": {"kind": report.basis.kind.value, "detail": report.basis.detail},
        "account": _account(report.account),
        "subjects": [
            {
                "name": subject.name,
                "kind": subject.kind.value,
                "standing": standing.value,
                "requires": sorted(subject.requires),
            }
            for subject, standing in standings
        ],
        "findings": [_finding(each) for each in ordered(report.findings)],
        "gaps": [_finding(each) for each in ordered(gaps(report))],
        "notLocked": sorted(report.not_locked),
        "weakened": sorted(report.weakened),
        "facts": [_detail(each) for each in report.facts],
        "emptyLock": report.empty_lock,
        "allowEmpty": report.allow_empty,
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "text": str(account),
        "noun": account.noun,
        "subjects": account.subjects,
        "verified": account.verified,
        "failed": account.failed,
        "unknown": account.unknown,
        "excepted": account.excepted,
        "notLocked": account.not_locked,
        "unknownBecause": list(account.unknown_because),
    }


def _detail(detail: Detail) -> dict[str, Any]:
    return {"label": detail.label, "text": detail.text}


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "check": finding.check.id,
        "title": finding.check.title,
        "outcome": finding.outcome.value,
        "status": status(finding).value,
        "subject": finding.subject,
        "message": finding.message,
        "file": finding.file,
        "place": None if place is None else {"path": place.path, "line": place.line},
        "details": [_detail(each) for each in finding.details],
        "hints": list(finding.hints),
        "exception": finding.exception,
    }


def _clean(value: object) -> object:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value
