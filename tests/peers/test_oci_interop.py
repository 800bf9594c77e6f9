"""What we publish and attach, others find; what others push, we pull: in layout folders and in real registries."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import modseal
from tests.support.modules import cue_files, cue_module, plain_module, tofu_module, zipped
from tests.support.repositories import MadeRepository
from tests.support.servers import LAYOUT, REGISTRIES, Home, Homes
from tests.support.tree_on_disk import write_tree
from verify.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.peers import Peers

TYPE = "application/vnd.example.bill"
TOFU = "application/vnd.opentofu.modulepkg"
# cue's registry stores what cue needs, and is tried where cue is
GENERAL = [
    pytest.param(LAYOUT),
    *(
        pytest.param(name, marks=pytest.mark.peer(tool))
        for name, (tool, _) in REGISTRIES.items()
        if name != "cue"
    ),
]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory, peer: Peers) -> Iterator[Homes]:
    with ExitStack() as stack:
        yield Homes(tmp_path_factory.mktemp("homes"), stack, peer)


@pytest.fixture(params=GENERAL)
def home(request: pytest.FixtureRequest, homes: Homes) -> Home:
    return homes(request.param)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SOURCE_DATE_EPOCH", "CUE_REGISTRY", "DOCKER_AUTH_CONFIG", "REGISTRY_AUTH_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "home" / ".docker"))
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CUE_CONFIG_DIR", str(tmp_path / "home" / "cue"))
    (tmp_path / "bill.json").write_text('{"bill": 1}\n')
    return tmp_path


def run(*command: str, at: str = ".", **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=at,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ours(*argv: str) -> Any:
    ran = modseal(*argv, "--json")
    assert ran.code == 0, ran.err
    return ran.data()


# what we write, others read


@pytest.mark.peer("oras")
def test_oras_pulls_what_we_publish(home: Home, work: Path, peer: Peers) -> None:
    tofu_module(work / "source")
    made = ours("publish", "source", "--to", f"{home.ours}:1.0.0", "--tag", "latest")
    assert made["type"] == "opentofu"
    run(peer("oras"), *home.oras("pull", tag="latest"), "-o", "theirs")
    assert Digest.of((work / "theirs" / "module.zip").read_bytes()).text == made["archive"]
    manifest = run(peer("oras"), *home.oras("manifest", "fetch", tag="1.0.0"))
    assert manifest == made["document"]


@pytest.mark.peer("oras")
def test_oras_finds_and_pulls_what_we_attach(home: Home, work: Path, peer: Peers) -> None:
    plain_module(work / "source")
    ours("publish", "source", "--to", f"{home.ours}:v1.0.0")
    made = ours("attach", f"{home.ours}:v1.0.0", "bill.json", "--type", TYPE, "--annotation", "who=net")
    tree = json.loads(run(peer("oras"), *home.oras("discover", tag="v1.0.0"), "--format", "json"))
    (found,) = tree.get("referrers") or tree["manifests"]
    assert (found["digest"], found["artifactType"]) == (made["manifest"], TYPE)
    at = [word.replace(":v1.0.0", f"@{made['manifest']}") for word in home.oras("pull", tag="v1.0.0")]
    run(peer("oras"), *at, "-o", "theirs")
    assert (work / "theirs" / "bill.json").read_bytes() == (work / "bill.json").read_bytes()


@pytest.mark.peer("regctl")
def test_regctl_lists_what_we_attach(home: Home, work: Path, peer: Peers) -> None:
    plain_module(work / "source")
    ours("publish", "source", "--to", f"{home.ours}:v1.0.0")
    made = ours("attach", f"{home.ours}:v1.0.0", "bill.json", "--type", TYPE, "--annotation", "who=net")
    listed = run(
        peer("regctl"), *home.regctl("artifact", "list"), "--format", "{{json .}}", f"{home.name}:v1.0.0"
    )
    (found,) = json.loads(listed)["descriptors"]
    assert (found["digest"], found["artifactType"], found["annotations"]["who"]) == (
        made["manifest"],
        TYPE,
        "net",
    )


@pytest.mark.peer("regctl")
def test_regctl_copies_what_we_publish_with_what_is_attached(home: Home, work: Path, peer: Peers) -> None:
    plain_module(work / "source")
    ours("publish", "source", "--to", f"{home.ours}:v1.0.0")
    made = ours("attach", f"{home.ours}:v1.0.0", "bill.json", "--type", TYPE)
    copy = home.regctl("image", "copy", "--referrers")
    run(peer("regctl"), *copy, f"{home.name}:v1.0.0", "ocidir://theirs:v1.0.0")
    tree = ours("referrers", "ocidir://./theirs:v1.0.0")
    assert [each["digest"] for each in tree["attached"]] == [made["manifest"]]
    assert ours("pull", "ocidir://./theirs:v1.0.0", "-o", "back")["files"] == 2


@pytest.mark.peer("crane")
@pytest.mark.parametrize("kind", [each for each in GENERAL if each.values[0] != LAYOUT])
def test_crane_reads_what_we_publish(homes: Homes, kind: str, work: Path, peer: Peers) -> None:
    home = homes(kind)
    cue_module(work / "source")
    made = ours("publish", "source", "--to", f"{home.ours}:v1.4.0")
    assert run(peer("crane"), "manifest", f"{home.name}:v1.4.0") == made["document"]
    assert run(peer("crane"), "digest", f"{home.name}:v1.4.0").strip() == made["manifest"]
    assert run(peer("crane"), "ls", home.name).split() == ["v1.4.0"]
    run(peer("crane"), "pull", "--format=oci", f"{home.name}:v1.4.0", "theirs")
    assert ours("pull", "ocidir://./theirs", "-o", "back")["h1"] == made["h1"]


# what others write, we read


@pytest.mark.peer("oras")
def test_we_pull_what_oras_pushes(home: Home, work: Path, peer: Peers) -> None:
    (work / "net.zip").write_bytes(zipped({"main.tf": b"# nothing\n", "sub/": b"", "sub/x.tf": b""}))
    typed = ("--artifact-type", TOFU, "net.zip:archive/zip")
    run(peer("oras"), *home.oras("push", tag="1.0.0"), *typed)
    explained = ours("inspect", f"{home.ours}:1.0.0")
    assert (explained["shape"], explained["attached"]) == ("opentofu module", 0)
    done = ours("pull", f"{home.ours}:1.0.0", "-o", "back", "--keep-archive", "back.zip")
    assert (done["files"], (work / "back" / "main.tf").read_bytes()) == (2, b"# nothing\n")
    assert (work / "back.zip").read_bytes() == (work / "net.zip").read_bytes()


@pytest.mark.peer("oras")
def test_we_find_what_oras_attaches(home: Home, work: Path, peer: Peers) -> None:
    plain_module(work / "source")
    made = ours("publish", "source", "--to", f"{home.ours}:v1.0.0")
    assert modseal("referrers", f"{home.ours}:v1.0.0").out.endswith("none attached\n")
    run(peer("oras"), *home.oras("attach", tag="v1.0.0"), "--artifact-type", TYPE, "bill.json:text/plain")
    first = ours("attach", f"{home.ours}:v1.0.0", "bill.json", "--type", TYPE)
    (work / "bill.json").write_text("{}\n")
    run(peer("oras"), *home.oras("attach", tag="v1.0.0"), "--artifact-type", TYPE, "bill.json:text/plain")
    tree = ours("referrers", f"{home.ours}:v1.0.0")
    assert tree["complete"]
    assert [each["artifactType"] for each in tree["attached"]] == [TYPE] * 3
    assert first["manifest"] in {each["digest"] for each in tree["attached"]}
    assert tree["digest"] == made["manifest"]


@pytest.mark.peer("regctl")
def test_we_find_what_regctl_attaches(home: Home, work: Path, peer: Peers) -> None:
    plain_module(work / "source")
    ours("publish", "source", "--to", f"{home.ours}:v1.0.0")
    put = (
        "artifact",
        "put",
        "--artifact-type",
        TYPE,
        "--file",
        "bill.json",
        "--file-media-type",
        "text/plain",
    )
    run(peer("regctl"), *home.regctl(*put), "--subject", f"{home.name}:v1.0.0")
    tree = ours("referrers", f"{home.ours}:v1.0.0")
    assert ([each["artifactType"] for each in tree["attached"]], tree["complete"]) == ([TYPE], True)


@pytest.mark.peer("crane")
@pytest.mark.parametrize("kind", [each for each in GENERAL if each.values[0] != LAYOUT])
def test_we_explain_and_copy_what_crane_pushes(homes: Homes, kind: str, work: Path, peer: Peers) -> None:
    home = homes(kind)
    run("tar", "-cf", "layer.tar", "bill.json")
    run(peer("crane"), "append", "-f", "layer.tar", "-t", f"{home.name}:v1")
    explained = ours("inspect", f"{home.ours}:v1")
    assert explained["shape"].startswith("unknown ")
    assert modseal("pull", f"{home.ours}:v1", "-o", "back").code == 2
    ours("copy", f"{home.ours}:v1", "ocidir://./mirror")
    assert ours("inspect", "ocidir://./mirror:v1")["parts"] == explained["parts"]


# between stores


@pytest.mark.peer("oras")
def test_there_and_back_again(home: Home, work: Path, peer: Peers) -> None:
    cue_module(work / "source")
    made = ours("publish", "source", "--to", "ocidir://./first:v1.4.0", "--tag", "latest")
    bill = ours("attach", "ocidir://./first:v1.4.0", "bill.json", "--type", TYPE)
    on_it = ours("attach", f"ocidir://./first@{bill['manifest']}", "bill.json", "--type", TYPE)
    for _ in range(2):  # repeated, it converges
        done = ours("copy", "--all-tags", "ocidir://./first", home.ours)
        assert (done["complete"], done["copies"][0]["tags"]) == (True, ["latest", "v1.4.0"])
    ours("copy", "--all-tags", home.ours, "ocidir://./second")
    for place in (f"{home.ours}:latest", "ocidir://./second:v1.4.0"):
        tree = ours("referrers", place)
        assert tree["digest"] == made["manifest"]
        (child,) = tree["attached"]
        assert (child["digest"], child["attached"][0]["digest"]) == (bill["manifest"], on_it["manifest"])
    assert ours("pull", "ocidir://./second:v1.4.0", "-o", "back")["h1"] == made["h1"]


def test_a_version_does_not_move_in_a_registry_either(home: Home, work: Path) -> None:
    cue_module(work / "source")
    ours("publish", "source", "--to", f"{home.ours}:v1.4.0")
    assert ours("publish", "source", "--to", f"{home.ours}:v1.4.0")["stored"] == 0
    (work / "source" / "more.cue").write_text("package net\n")
    ran = modseal("publish", "source", "--to", f"{home.ours}:v1.4.0")
    assert (ran.code, "[publish.tag-exists]" in ran.err) == (1, True)
    ours("publish", "source", "--to", f"{home.ours}:v1.4.0", "--force")


def test_repair_rebuilds_the_list(home: Home, work: Path) -> None:
    plain_module(work / "source")
    subject = ours("publish", "source", "--to", f"{home.ours}:v1.0.0")["manifest"]
    made = ours("attach", f"{home.ours}:v1.0.0", "bill.json", "--type", TYPE)
    mended = ours("referrers", f"{home.ours}:v1.0.0", "--repair", "--known", made["manifest"])
    assert mended["subject"].endswith(subject)
    # olareg lists by itself, the others by the tag
    assert (mended["needed"], mended["kept"]) == (
        (False, []) if home.kind == "olareg" else (True, [made["manifest"]])
    )


# cue


def cue_layout(peer: Peers, source: Path, out: str, version: str = "v1.4.0") -> None:
    run(
        peer("cue"),
        "mod",
        "publish",
        version,
        "--out",
        out,
        at=str(source),
        TZ="Asia/Tokyo",
        CUE_REGISTRY="localhost:1",
    )


@pytest.mark.peer("cue")
@pytest.mark.parametrize("kind", ["self", "git"])
def test_the_manifest_is_cues_own(work: Path, peer: Peers, kind: str) -> None:
    source = write_tree(work / "source", cue_files(kind=kind))
    if kind == "git":
        repository = MadeRepository(source)
        repository("add", "-A")
        repository("commit", "-qm", "one")
    cue_layout(peer, source, str(work / "theirs"))
    theirs = ours("inspect", "ocidir://./theirs:v1.4.0")
    assert theirs["shape"] == "cue module"
    pulled = ours("pull", "ocidir://./theirs:v1.4.0", "-o", "back", "--keep-archive", "theirs.zip")
    said = [word for pair in theirs["annotations"].items() for word in ("--annotation", "=".join(pair))]
    made = ours("publish", "theirs.zip", "--to", "ocidir://./ours:v1.4.0", *said)
    assert made["manifest"] == pulled["manifest"]
    # from the folder the zip has other bytes and the same content, and the annotations are cue's but for the zone
    from_folder = json.loads(ours("publish", "source", "--to", "ocidir://./folder:v1.4.0")["document"])
    noted = from_folder.get("annotations", {})
    assert noted.keys() == theirs["annotations"].keys()
    assert {key: noted[key] for key in noted if not key.endswith("time")} == {
        key: value for key, value in theirs["annotations"].items() if not key.endswith("time")
    }
    assert ours("pull", "ocidir://./folder:v1.4.0", "-o", "again")["h1"] == pulled["h1"]


@pytest.mark.peer("cue")
@pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=pytest.mark.peer(tool)) for name, (tool, _) in REGISTRIES.items()]
)
@pytest.mark.parametrize("encoding", [(), ("--deflate",)], ids=["stored", "deflated"])
def test_cue_evaluates_what_we_publish(
    homes: Homes,
    work: Path,
    peer: Peers,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    encoding: tuple[str, ...],
) -> None:
    registry = f"{homes.host(kind)}/{'deflated' if encoding else 'stored'}"
    monkeypatch.setenv("CUE_REGISTRY", registry)
    cue_module(work / "net")
    made = ours("publish", "net", "--to", "example.com/net@v1.4.0", *encoding)
    assert made["target"] == f"{registry}/example.com/net"
    needs = b'deps: "example.com/net@v1": {v: "v1.4.0", default: true}\n'
    files = cue_files("example.com/app@v0", extra={})
    app = write_tree(
        work / "app",
        {
            "cue.mod/module.cue": files["cue.mod/module.cue"] + needs,
            "app.cue": b'package app\n\nimport "example.com/net"\n\nport: net.port\n',
        },
    )
    assert run(peer("cue"), "eval", ".", at=str(app)).strip() == "port: 8080"
    # and by name, what cue would fetch is what we pull
    assert ours("pull", "example.com/net@v1.4.0", "-o", "back")["h1"] == made["h1"]
    cue_module(work / "other", "example.com/other@v1")
    run(peer("cue"), "mod", "publish", "v1.0.0", at=str(work / "other"))
    assert ours("pull", "example.com/other@v1.0.0", "-o", "their")["ecosystem"] == "cue"
    missing = modseal("pull", "example.com/other@v1.0.1", "-o", "none")
    assert (missing.code, "[oci.manifest-unknown]" in missing.err) == (3, True)


@pytest.mark.peer("cue")
def test_a_registry_that_serves_another_module_under_the_name(
    homes: Homes, work: Path, peer: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = homes("cue")
    cue_module(work / "net")
    ours("publish", "net", "--to", f"{home.ours}:v1.4.0")
    monkeypatch.setenv(
        "CUE_REGISTRY",
        f'inline:moduleRegistries: "example.com/other": {{registry: "{home.name}", stripPrefix: true}}',
    )
    ran = modseal("pull", "example.com/other@v1.4.0", "-o", "back")
    assert (ran.code, "[publish.identity]" in ran.err, (work / "back").exists()) == (1, True, False)
