"""`modseal verify tree` of 500 vendored modules with 40,000 files, against hashing the same files and `go mod verify`.

The Go side has the same files in modules of the same number, downloaded from a folder into a cache of its own. It hashes
the zip and the extracted folder of each; ours has the vendored tree alone, and with --cache everything that Go has.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time

import corpus
import ratio

sys.path.insert(0, str(corpus.ROOT))

from typing import TYPE_CHECKING

from tests.support.cue_workspaces import module_files, module_text, publish
from verify.ecosystems.cue.sums import RULES
from verify.sums.sumfile import SumFile, parse, render

if TYPE_CHECKING:
    from pathlib import Path

MODULES, FILES = 500, 80
NAMES = [f"example.com/m{number:03}@v1.0.0" for number in range(MODULES)]
LOOP = """
import hashlib, os, sys, time
started = time.perf_counter()
found = []
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "rb", buffering=0) as file:
            found.append((path, hashlib.sha256(file.read()).digest()))
found.sort()
print(len(found), time.perf_counter() - started)
"""


def workspace() -> Path:
    """Locked and vendored by the product itself; made once, under another name until it is whole."""
    done = corpus.PLACE / "workspace"
    if done.is_dir():
        return done
    folder = done.with_name("workspace.partial")
    shutil.rmtree(folder, ignore_errors=True)
    source = random.Random(500)
    for name in NAMES:
        files = {
            f"part{number % 8}/file{number:03}.cue": corpus.text(
                source, min(40_000, int(source.lognormvariate(7.5, 0.9)))
            )
            for number in range(FILES - 3)
        }
        publish(folder / "deps", name, module_files(name, [], files))
    (folder / "work/cue.mod").mkdir(parents=True)
    (folder / "work/cue.mod/module.cue").write_bytes(module_text("example.com/app@v0", NAMES))
    for words in (["lock"], ["vendor"], ["vendor", "--cache", str(folder / "cache")]):
        command = [
            sys.executable,
            "-m",
            "verify",
            words[0],
            str(folder / "work"),
            "--from",
            str(folder / "deps"),
        ]
        subprocess.run([*command, *words[1:]], cwd=corpus.ROOT, check=True, stdout=subprocess.DEVNULL)
    for name in NAMES:
        shutil.copytree(folder / "work/cue.mod/vendor" / name, folder / "cache/mod/extract" / name)
    folder.rename(done)
    return done


def go_cache(folder: Path) -> tuple[Path, dict[str, str]]:
    """The same files as Go modules, downloaded; the folder of the main module and its environment."""
    root, proxy = folder / "go", folder / "proxy"
    environment = os.environ | {
        "GOPROXY": f"file://{proxy}", "GOMODCACHE": str(folder / "gocache"), "GOFLAGS": "-mod=mod",
        "GONOSUMDB": "*", "GONOSUMCHECK": "1", "GOTOOLCHAIN": "local", "GOWORK": "off",
    }  # fmt: skip
    if root.is_dir():
        return root, environment
    requires = []
    for name in NAMES:
        path, _, version = name.partition("@")
        place = proxy / path / "@v"
        place.mkdir(parents=True)
        files = folder / "work/cue.mod/vendor" / name
        (place / "list").write_text(f"{version}\n")
        (place / f"{version}.info").write_text(json.dumps({"Version": version}))
        (place / f"{version}.mod").write_text(f"module {path}\n")
        goarchive = ratio.peer(
            "goarchive", "create", str(files), str(place / f"{version}.zip"), path, version
        )
        goarchive.run()
        requires.append(f"\t{path} {version}\n")
    making = root.with_name("go.partial")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    (making / "go.mod").write_text(f"module example.com/app\n\nrequire (\n{''.join(requires)})\n")
    subprocess.run(["go", "mod", "download"], cwd=making, env=environment, check=True)
    making.rename(root)
    return root, environment


def parsing(folder: Path, whole: float) -> None:
    """5,000 entries, as a share of the verification."""
    found = parse((folder / "work/cue.mod/sum.cue").read_bytes(), RULES).entries[0]
    entries = tuple(
        type(found)(
            f"example.com/n{number:04}@v1.0.0", found.tree, found.modfile, found.archive, found.manifest
        )
        for number in range(5_000)
    )
    data = render(SumFile.of("cue", entries))
    started = time.perf_counter()
    parse(data, RULES)
    took = time.perf_counter() - started
    print(
        f"\nparsing 5,000 entries: {took:.3f} s, {100 * took / whole:.1f} % of that verification (target < 10 %)"
    )


def main() -> None:
    """All ratios; Go's only where there is a Go."""
    folder = workspace()
    work, vendored = str(folder / "work"), str(folder / "work/cue.mod/vendor")
    ours = ratio.modseal("verify", "tree", "-q", "--cache", "none", work)
    loop = ratio.told("hashing alone", sys.executable, "-c", LOOP, vendored)
    whole = ours.run().wall
    # a bare loop follows links, trusts what it opens and forgets what it saw: how far away that is, no target
    ratio.compare("verify tree of 40,000 files / a bare loop over them", ours, loop)
    same = ratio.modseal("hash", "-q", vendored)
    ratio.compare("verify tree of 40,000 files / modseal hash of them", ours, same, target="≤ 1.3")
    parsing(folder, whole)
    if shutil.which("go") is None:
        print("\nno go on this machine: not compared with go mod verify")
        return
    root, environment = go_cache(folder)
    os.environ.update(environment)
    theirs = ratio.command("go mod verify", "go", "-C", str(root), "mod", "verify")
    ratio.compare("verify tree, vendored / go mod verify", ours, theirs, target="≤ 0.5")
    both = ratio.modseal("verify", "tree", "-q", "--cache", str(folder / "cache"), work)
    ratio.compare("verify tree, vendored and cached (zip and folder) / go mod verify", both, theirs, pairs=3)


if __name__ == "__main__":
    main()
