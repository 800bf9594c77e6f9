"""What we accept as data, CUE accepts, with the same value; what CUE accepts beyond that is counted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from tests.support.cue_documents import Documents
from tests.support.cue_peer import ask, exported
from verify.cuedata.merging import merge
from verify.cuedata.parser import parse
from verify.cuedata.position import Fault
from verify.cuedata.renderer import render

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.cuedata.syntax import Struct


def ours(document: bytes) -> Struct | str:
    """The merged document, or the check that refused it."""
    try:
        return merge(parse(document))
    except Fault as fault:
        return f"{fault.check}: {fault}"


def corpus(count: int) -> list[bytes]:
    return [Documents(seed, near=(0.0, 0.03, 0.15)[seed % 3]).document() for seed in range(count)]


def exact(value: object) -> object:
    """Python calls True and 1 equal; CUE does not."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return ("bool", value) if isinstance(value, bool) else value


@pytest.mark.peer("cuemodfile")
@pytest.mark.parametrize("operation", ["export", "data"])
def test_every_accepted_document_has_the_same_value_in_cue(
    operation: str, peer: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    documents = corpus(12_000)
    if operation == "data":  # asked inside another document, where neither can stand
        documents = [
            each for each in documents if not each.startswith(b"\xef\xbb\xbf") and b"package p" not in each
        ]
    count: Counter[str] = Counter()
    for document, theirs in zip(
        documents, ask(peer("cuemodfile"), ((operation, d) for d in documents)), strict=True
    ):
        mine = ours(document)
        if isinstance(mine, str):
            count["refused by both" if theirs.error else "refused by us alone"] += 1
        else:
            assert not theirs.error, (document, theirs.error)
            if operation == "export":  # the other way numbers pass through a machine float
                assert exact(exported(mine)) == exact(theirs.value), document
            count["accepted by both"] += 1
    with capsys.disabled():
        sys.stdout.write(f"\n{operation}: {dict(count)}\n")
    assert count["accepted by both"] > 3000
    assert count["refused by both"] > 1000
    assert count["refused by us alone"] < 0.1 * len(documents)


@pytest.mark.peer("cuemodfile")
def test_what_we_render_means_the_same_to_cue(peer: Callable[[str], str]) -> None:
    structs = [mine for mine in map(ours, corpus(2000)) if not isinstance(mine, str)]
    rendered = [render(struct).encode() for struct in structs]
    answers = ask(peer("cuemodfile"), (("export", text) for text in rendered))
    for struct, text, theirs in zip(structs, rendered, answers, strict=True):
        assert not theirs.error, (text, theirs.error)
        assert exact(exported(struct)) == exact(theirs.value)


@pytest.mark.peer("cue")
def test_the_command_itself_exports_the_same(peer: Callable[[str], str], tmp_path: Path) -> None:
    """Many documents in one run: each is a field of its own file."""
    structs = {
        f"d{number}": mine
        for number, document in enumerate(corpus(300))
        if not document.startswith(b"\xef\xbb\xbf")
        and b"package p" not in document
        and not isinstance(mine := ours(document), str)
    }
    documents = {name: corpus(300)[int(name[1:])] for name in structs}
    file = tmp_path / "all.cue"
    file.write_bytes(b"".join(b"%s: {\n%s\n}\n" % (name.encode(), text) for name, text in documents.items()))
    done = subprocess.run(
        [peer("cue"), "export", str(file)], capture_output=True, check=False, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout, parse_float=Decimal, parse_int=Decimal)
    assert exact({name: exported(struct) for name, struct in structs.items()}) == exact(theirs)
