"""`publish`, `pull`, `copy`, `attach`, `referrers` and `inspect` over layout folders, as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import modseal
from tests.support.modules import cue_files, cue_module, plain_module, tofu_module, zipped
from tests.support.oci import SIGNATURE, attachment
from tests.support.repositories import MadeRepository
from tests.support.tree_on_disk import write_tree
from verify.digest import Digest
from verify.ecosystems.cue.artifact import build_cue_artifact
from verify.ecosystems.helm.artifact import CHART
from verify.ecosystems.helm.artifact import CONFIG as HELM
from verify.ecosystems.opentofu.artifact import ARTIFACT_TYPE as TOFU
from verify.oci.artifact import build_artifact
from verify.oci.blob import Content
from verify.oci.fallback import fallback_tag
from verify.oci.layout import SUBJECT, LayoutStore
from verify.oci.manifest import OCI_INDEX, Index, parse_manifest
from verify.oci.push import publish_artifact

if TYPE_CHECKING:
    from tests.support.command import Ran
    from verify.oci.artifact import Artifact

TYPE = "application/vnd.example.sbom"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.delenv("CUE_REGISTRY", raising=False)
    cue_module(tmp_path / "net")
    (tmp_path / "bill.json").write_text("{}\n")
    return tmp_path


def refused(ran: Ran, code: int, check: str) -> None:
    assert ran.code == code, ran.err
    assert f"[{check}]" in ran.err, ran.err
    assert ran.out == ""


def published(*more: str, source: str = "net", to: str = "ocidir://./m:v1.4.0") -> Any:
    ran = modseal("publish", source, "--to", to, "--json", *more)
    assert ran.code == 0, ran.err
    return ran.data()


def state(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def stored(artifact: Artifact, tag: str = "v1.0.0", at: str = "./m") -> Digest:
    return publish_artifact(LayoutStore(at), artifact, tags=(tag,)).descriptor.digest


def blob(at: Path, digest: Any) -> Path:
    return at / "blobs" / "sha256" / str(digest).removeprefix("sha256:")


# publish


@pytest.mark.parametrize("kind", ["cue", "opentofu", "generic"])
@pytest.mark.parametrize("encoding", [(), ("--deflate",)], ids=["stored", "deflated"])
def test_what_is_published_comes_back(work: Path, kind: str, encoding: tuple[str, ...]) -> None:
    {"cue": cue_module, "opentofu": tofu_module, "generic": plain_module}[kind](work / "source")
    mode = ("--keep-exec",) if kind == "opentofu" else ()
    made = published(*encoding, *mode, source="source")
    assert made["type"] == kind
    argv = ("pull", "ocidir://./m:v1.4.0", "-o", "back", "--keep-archive", "back.zip", "--json", *mode)
    ran = modseal(*argv)
    assert ran.code == 0, ran.err
    assert ran.data()["h1"] == made["h1"]
    assert modseal("diff", "./source", "./back").code == 0
    assert modseal("hash", "./back.zip").out.split()[0::2] == [made["h1"], made["archive"]]
    assert modseal("verify", "archive", "--canonical", "./back.zip").code == 0


def test_publishing_again_changes_nothing(work: Path) -> None:
    published()
    before = state(work / "m")
    assert published()["stored"] == 0
    assert state(work / "m") == before


def test_a_version_never_moves_without_force(work: Path) -> None:
    first = published()
    (work / "net" / "more.cue").write_text("package net\n")
    before = state(work / "m")
    refused(modseal("publish", "net", "--to", "ocidir://./m:v1.4.0"), 1, "publish.tag-exists")
    refused(modseal("publish", "net", "--to", "ocidir://./m", "--version", "v1.4.0"), 1, "publish.tag-exists")
    refused(
        modseal("publish", "net", "--to", "ocidir://./m:v1.4.1", "--tag", "v1.4.0"), 1, "publish.tag-exists"
    )
    assert state(work / "m") == before
    assert published("--force")["manifest"] != first["manifest"]


def test_a_moving_tag_moves(work: Path) -> None:
    published("--tag", "latest")
    (work / "net" / "more.cue").write_text("package net\n")
    second = published("--tag", "latest", to="ocidir://./m:v1.4.1")
    assert LayoutStore("./m").resolve("latest").digest.text == second["manifest"]
    assert LayoutStore("./m").tags() == ("latest", "v1.4.0", "v1.4.1")


def test_a_dry_run_prints_the_very_manifest_and_writes_nothing(work: Path) -> None:
    ran = modseal("publish", "net", "--to", "ocidir://./m:v1.4.0", "--dry-run")
    assert (ran.code, (work / "m").exists()) == (0, False)
    document, told, _ = ran.out.splitlines()
    assert told.split()[0] == Digest.of(document.encode()).text == published()["manifest"]
    # nobody is asked, so a registry that does not exist does not matter
    assert modseal(
        "publish", "net", "--to", "oci://localhost:1/net:v1.4.0", "--dry-run"
    ).out == ran.out.replace("ocidir://./m", "localhost:1/net")


def test_a_time_is_recorded_only_where_it_is_asked_for(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_module(work / "plain")
    silent = published(source="plain", to="ocidir://./m:v1")
    assert "created" not in silent["document"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    told = json.loads(published(source="plain", to="ocidir://./m:v2")["document"])
    assert told["annotations"] == {"org.opencontainers.image.created": "1970-01-02T00:00:00Z"}
    assert "annotations" not in json.loads(published()["document"])  # cue writes no time
    flag = published("--created", "2026-01-01T02:00:00+02:00", to="ocidir://./m:v1.5.0")
    assert "2026-01-01T00:00:00Z" in flag["document"]


def test_annotations_stand_in_the_manifest() -> None:
    made = published(
        "--annotation", "team=net=work", "--annotation", "org.opencontainers.image.created=never"
    )
    assert json.loads(made["document"])["annotations"] == {
        "org.opencontainers.image.created": "never",
        "team": "net=work",
    }


def test_the_commit_is_recorded_whatever_the_time_zone(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = MadeRepository(work / "repo")
    write_tree(work / "repo", cue_files(kind="git"))
    repository("add", "-A")
    repository("commit", "-qm", "one")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    from_folder = published(source="repo")
    assert json.loads(from_folder["document"])["annotations"] == {
        "org.cuelang.vcs-commit": repository("rev-parse", "HEAD").strip(),
        "org.cuelang.vcs-commit-time": "2024-05-06T07:08:09Z",
        "org.cuelang.vcs-type": "git",
    }
    monkeypatch.chdir(work / "repo")
    assert published(source="git:HEAD", to="ocidir://../m:v1.4.0")["stored"] == 0
    (work / "repo" / "net.cue").write_text("package net\n")
    refused(modseal("publish", ".", "--to", "ocidir://../m:v1.4.1"), 1, "git.unclean")


def test_a_folders_name_is_no_part_of_a_module(work: Path) -> None:
    plain_module(work / "one")
    plain_module(work / "other")
    assert published(source="one")["manifest"] == published(source="other")["manifest"]


def test_a_packed_zip_is_published_as_it_is(work: Path) -> None:
    assert modseal("pack", "--rules", "cue/1", "net", "-o", "net.zip").code == 0
    assert published(source="net.zip") == published() | {"stored": 3}


@pytest.mark.parametrize(
    ("files", "check"),
    [
        ({"../x": b""}, "name.traversal"),
        ({"a": b"", "A": b""}, "name.case-collision"),
        ({}, "archive.empty"),
    ],
    ids=["escape", "collision", "empty"],
)
def test_a_hostile_zip_is_not_published(work: Path, files: dict[str, bytes], check: str) -> None:
    (work / "x.zip").write_bytes(zipped(cue_files(extra=files) if files else {}))
    ran = modseal("publish", "x.zip", "--to", "ocidir://./m:v1.4.0")
    assert ran.code in (1, 3)
    assert f"[{check}]" in ran.err
    assert not (work / "m").exists()


@pytest.mark.parametrize(
    ("files", "check"),
    [
        (cue_files(extra={"cue.mod/local-module.cue": b""}), "publish.not-a-module"),
        (cue_files(extra={"sub/cue.mod/module.cue": b"", "sub/x": b""}), "publish.not-a-module"),
        ({"net.cue": b"package net\n"}, "cue.no-module-file"),
        (cue_files() | {"cue.mod/module.cue": b'module: "example.com/net@v1"\n'}, "modfile.language"),
        (cue_files(extra={"semi;colon": b""}), "name.character"),
    ],
    ids=["local-module", "nested", "no-module-file", "no-language", "name"],
)
def test_a_zip_that_is_no_cue_module(work: Path, files: dict[str, bytes], check: str) -> None:
    (work / "x.zip").write_bytes(zipped(files))
    refused(modseal("publish", "--type", "cue", "x.zip", "--to", "ocidir://./m:v1.4.0"), 1, check)
    assert not (work / "m").exists()


@pytest.mark.parametrize("tag", ["v2.0.0", "v1.4", "1.4.0", "latest", "v1.4.0_x"])
def test_a_cue_module_has_a_version_of_its_major(tag: str) -> None:
    refused(modseal("publish", "net", "--to", f"ocidir://./m:{tag}"), 1, "publish.identity")


def test_a_cue_module_is_published_under_its_own_name() -> None:
    refused(modseal("publish", "net", "--dry-run", "--to", "example.com/other@v1.4.0"), 1, "publish.identity")
    assert modseal("publish", "net", "--dry-run", "--to", "example.com/net@v1.4.0").code == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--to", "ocidir://./m"), "expected a version"),
        (("--to", "ocidir://./m@sha256:" + "0" * 64), "digest follows from the content"),
        (("--to", "./m"), "expected a registry"),
        (("--to", "ocidir://./m:v1.4.0", "--annotation", "x"), "expected KEY=VALUE"),
        (("--to", "ocidir://./m:v1.4.0", "--annotation", "x=1", "--annotation", "x=2"), "stands twice"),
        (("--to", "ocidir://./m:v1.4.0", "--created", "2026-01-01"), "seconds since 1970"),
        (("--to", "ocidir://./m:v1.4.0", "--tag", "a+b"), "a_b"),
        (("--to", "example.com/net@v1.4.0", "--type", "generic"), "expected --type cue"),
        (("--to", "ocidir://./m:v1.4.0", "--client-key", "k"), "--client-cert"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_misuse_of_publish(work: Path, argv: tuple[str, ...], said: str) -> None:
    ran = modseal("publish", "net", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (work / "m").exists()


@pytest.mark.parametrize("to", ["oci://localhost:1/net:v1.4.0", "example.com/net@v1.4.0"])
def test_offline_is_enforced(to: str) -> None:
    refused(modseal("publish", "net", "--to", to, "--offline"), 3, "fetch.offline")
    refused(modseal("pull", to, "-o", "x", "--offline"), 3, "fetch.offline")
    refused(modseal("referrers", to, "--offline"), 3, "fetch.offline")
    refused(modseal("copy", to, "ocidir://./m", "--offline"), 3, "fetch.offline")


# pull


def test_pull_by_digest_and_the_only_one(work: Path) -> None:
    made = published()
    for number, reference in enumerate((f"ocidir://./m@{made['manifest']}", "ocidir://./m")):
        assert modseal("pull", reference, "-o", f"out{number}").code == 0
    refused(modseal("pull", "ocidir://./m@sha256:" + "0" * 64, "-o", "x"), 3, "oci.manifest-unknown")
    refused(modseal("pull", "ocidir://./m:v9.9.9", "-o", "x"), 3, "oci.manifest-unknown")


@pytest.mark.parametrize("part", ["manifest", "archive"])
@pytest.mark.parametrize("damage", ["flip", "cut", "grow", "remove"])
def test_every_byte_is_checked(work: Path, part: str, damage: str) -> None:
    path = blob(work / "m", published()[part])
    data = path.read_bytes()
    path.unlink()
    if damage != "remove":
        path.write_bytes(
            {"flip": data[:-1] + bytes([data[-1] ^ 1]), "cut": data[:-1], "grow": data + b"x"}[damage]
        )
    ran = modseal("pull", "ocidir://./m:v1.4.0", "-o", "back", "--keep-archive", "back.zip")
    missing = {"manifest": "oci.manifest-unknown", "archive": "oci.blob-unknown"}[part]
    wanted = {"flip": "oci.digest-mismatch", "remove": missing}.get(damage, "oci.size-mismatch")
    refused(ran, 3 if damage == "remove" else 1, wanted)
    assert not (work / "back").exists()
    assert not (work / "back.zip").exists()


def test_two_module_files_are_refused(work: Path) -> None:
    archive = Content.of(zipped(cue_files()), "application/zip")
    stored(build_cue_artifact(archive, b'module: "example.com/net@v1"\n'))
    refused(modseal("pull", "ocidir://./m:v1.0.0", "-o", "back"), 1, "pull.module-file")
    assert not (work / "back").exists()


def test_a_hostile_archive_writes_nothing(work: Path) -> None:
    files = cue_files(extra={"../escaped": b"x"})
    stored(build_cue_artifact(Content.of(zipped(files), "application/zip"), files["cue.mod/module.cue"]))
    before = sorted(work.parent.rglob("*"))
    refused(
        modseal("pull", "ocidir://./m:v1.0.0", "-o", "back", "--keep-archive", "k.zip"), 1, "name.traversal"
    )
    assert sorted(work.parent.rglob("*")) == before


def test_a_module_that_says_it_is_another(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.ecosystems.cue.names import parse_module
    from verify.oci.reference import LayoutReference
    from verify.workflows.stores import Place

    published()
    for name, code in (
        ("example.com/net@v1.4.0", 0),
        ("example.com/other@v1.4.0", 1),
        ("example.com/net@v2.0.0", 1),
    ):
        place = Place(reference=LayoutReference(path="./m", tag="v1.4.0"), module=parse_module(name))
        monkeypatch.setattr("verify.workflows.pulling.locate", lambda _, place=place: place)
        ran = modseal("pull", name, "-o", f"back{code}")
        assert ran.code == code
        assert code == 0 or "[publish.identity]" in ran.err


def test_pull_leaves_a_folder_with_something_in_it_alone(work: Path) -> None:
    published()
    before = state(work / "net")
    assert modseal("pull", "ocidir://./m:v1.4.0", "-o", "net").code == 2
    assert state(work / "net") == before


def test_an_index_is_not_pulled() -> None:
    store = LayoutStore("./m")
    store.put_manifest(Index(manifests=()).render(), OCI_INDEX, tag="v1")
    refused(modseal("pull", "ocidir://./m:v1", "-o", "back"), 1, "pull.index")


def test_what_is_no_zip_is_only_kept(work: Path) -> None:
    chart = Content.of(b"a chart", CHART)
    stored(build_artifact(config=Content.of(b"{}", HELM), layers=(chart,)))
    refused(modseal("pull", "ocidir://./m:v1.0.0", "-o", "back"), 2, "pull.no-archive")
    ran = modseal("pull", "ocidir://./m:v1.0.0", "--keep-archive", "chart.tgz", "--json")
    assert (ran.code, ran.data()["h1"]) == (0, None)
    assert (work / "chart.tgz").read_bytes() == b"a chart"
    assert modseal("pull", "ocidir://./m:v1.0.0").code == 2


def test_an_artifact_without_its_ecosystems_layers() -> None:
    layers = tuple(Content.of(data, "archive/zip") for data in (b"1", b"2"))
    stored(build_artifact(artifact_type=TOFU, layers=layers))
    refused(modseal("pull", "ocidir://./m:v1.0.0", "-o", "back"), 1, "oci.shape")
    stored(build_artifact(artifact_type="example/x", layers=layers), "v2")
    refused(modseal("pull", "ocidir://./m:v2", "-o", "back"), 1, "pull.no-archive")


def test_an_unknown_artifact_with_one_zip_is_unpacked(work: Path) -> None:
    stored(
        build_artifact(
            artifact_type="example/x", layers=(Content.of(zipped({"a": b"1"}), "application/zip"),)
        )
    )
    assert modseal("pull", "ocidir://./m:v1.0.0", "-o", "back").code == 0
    assert (work / "back" / "a").read_bytes() == b"1"


# attach and referrers


def attached(*more: str, to: str = "ocidir://./m:v1.4.0") -> Any:
    ran = modseal("attach", to, "bill.json", "--type", TYPE, "--json", *more)
    assert ran.code == 0, ran.err
    return ran.data()


def test_attach_writes_both_conventions_and_converges(work: Path) -> None:
    subject = published()["manifest"]
    made = attached("--annotation", "who=net")
    before = state(work / "m")
    assert attached("--annotation", "who=net") == made
    assert state(work / "m") == before
    index = json.loads((work / "m" / "index.json").read_text())["manifests"]
    own = next(each for each in index if each["digest"] == made["manifest"])
    assert (own["artifactType"], own["annotations"]["who"], own["annotations"][SUBJECT]) == (
        TYPE,
        "net",
        subject,
    )
    store = LayoutStore("./m")
    listed = json.loads(store.get_manifest(fallback_tag(Digest.parse(subject))).data)["manifests"]
    assert [(each["digest"], each["artifactType"]) for each in listed] == [(made["manifest"], TYPE)]
    manifest = parse_manifest(store.get_manifest(Digest.parse(made["manifest"])).data)
    assert manifest.layers[0].annotations == {"org.opencontainers.image.title": "bill.json"}
    assert "org.opencontainers.image.created" not in manifest.annotations


def test_the_tree_of_what_is_attached(work: Path) -> None:
    published()
    bill = attached()
    signature = attached(to=f"ocidir://./m@{bill['manifest']}")
    ran = modseal("referrers", "ocidir://./m:v1.4.0")
    assert ran.code == 0
    lines = ran.out.splitlines()[1:]
    assert lines == [f"└─ {TYPE}  {bill['manifest']}", f"   └─ {TYPE}  {signature['manifest']}"]
    data = modseal("referrers", "ocidir://./m:v1.4.0", "--json").data()
    assert data["attached"][0]["attached"][0]["digest"] == signature["manifest"]
    assert data["complete"] is True
    filtered = modseal("referrers", "ocidir://./m:v1.4.0", "--type", "example/other")
    assert (filtered.code, filtered.out.splitlines()[1:]) == (0, ["none attached"])
    assert modseal("referrers", "ocidir://./m:v1.4.0", "--type", TYPE).out == ran.out


def test_none_attached_is_an_answer() -> None:
    made = published()
    ran = modseal("referrers", "ocidir://./m:v1.4.0")
    assert (ran.code, ran.out, ran.err) == (0, f"ocidir://./m@{made['manifest']}\nnone attached\n", "")
    assert modseal("referrers", "ocidir://./m:v1.4.0", "--json").data()["attached"] == []


def test_an_incomplete_list_is_another(work: Path) -> None:
    published()
    blob(work / "m", attached()["manifest"]).unlink()
    ran = modseal("referrers", "ocidir://./m:v1.4.0")
    assert ran.code == 3
    assert "none attached" not in ran.out
    assert "list incomplete" in ran.err
    assert "[oci.referrers-incomplete]" in ran.err
    again = modseal("referrers", "ocidir://./m:v1.4.0", "--json")
    assert (again.code, again.data()["complete"]) == (3, False)
    mended = modseal("referrers", "ocidir://./m:v1.4.0", "--repair")
    assert (mended.code, "dropped  oci.referrer-missing" in mended.out) == (0, True)
    assert modseal("referrers", "ocidir://./m:v1.4.0").out.endswith("none attached\n")


def test_a_list_that_cannot_be_had_is_a_third(monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.errors import Unavailable

    def unreachable(*_: object, **__: object) -> None:
        raise Unavailable("the registry answers 503", check="oci.layout-unreadable")

    published()
    monkeypatch.setattr(LayoutStore, "referrers", unreachable)
    ran = modseal("referrers", "ocidir://./m:v1.4.0")
    refused(ran, 3, "oci.layout-unreadable")
    assert "cannot list what is attached" in ran.err
    told = modseal("inspect", "ocidir://./m:v1.4.0")
    assert (told.code, told.out.splitlines()[-1]) == (0, "attached   the registry answers 503")


def test_repair_adds_what_is_known(work: Path) -> None:
    subject = published()["manifest"]
    made = attached()
    tag = fallback_tag(Digest.parse(subject))
    store = LayoutStore("./m")
    store.put_manifest(Index(manifests=()).render(), OCI_INDEX, tag=tag)
    argv = ("referrers", "ocidir://./m:v1.4.0", "--repair", "--known", made["manifest"])
    data = modseal(*argv, "--json").data()
    assert (data["needed"], data["added"], data["kept"]) == (True, [made["manifest"]], [])
    assert [each["digest"] for each in json.loads(store.get_manifest(tag).data)["manifests"]] == [
        made["manifest"]
    ]
    assert modseal(*argv, "--json").data()["kept"] == [made["manifest"]]
    assert modseal("referrers", "ocidir://./m:v1.4.0", "--repair", "--known", "x").code == 2
    assert modseal("referrers", "ocidir://./m:v1.4.0", "--known", made["manifest"]).code == 2


def test_attach_to_nothing(work: Path) -> None:
    published()
    refused(modseal("attach", "ocidir://./m:v9", "bill.json", "--type", TYPE), 3, "oci.manifest-unknown")
    assert modseal("attach", "ocidir://./m:v1.4.0", "bill.json", "--type", "no type").code == 2
    assert modseal("attach", "ocidir://./m:v1.4.0", "none.json", "--type", TYPE).code == 3


def test_attached_and_not_listed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.oci.store import How, ReferrerList

    def forgetful(self: LayoutStore, subject: Digest, *, artifact_type: str | None = None) -> ReferrerList:
        return ReferrerList(subject=subject, entries=(), how=How.API)

    published()
    monkeypatch.setattr(LayoutStore, "referrers", forgetful)
    refused(modseal("attach", "ocidir://./m:v1.4.0", "bill.json", "--type", TYPE), 1, "attach.not-listed")


@pytest.mark.parametrize("lost", ["blob", "tag"])
def test_what_was_published_is_read_back(monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    real = LayoutStore.put_manifest

    def careless(self: LayoutStore, data: bytes, media_type: str, *, tag: str | None = None) -> Any:
        placed = real(self, data, media_type, tag=tag if lost == "blob" else None)
        if lost == "blob":
            digest = parse_manifest(data).layers[0].digest
            Path(f"m/blobs/sha256/{digest.hex}").unlink(missing_ok=True)
        return placed

    monkeypatch.setattr(LayoutStore, "put_manifest", careless)
    refused(modseal("publish", "net", "--to", "ocidir://./m:v1.4.0"), 1, "publish.read-back")


# copy


def test_copy_takes_everything_attached_along(work: Path) -> None:
    made = published("--tag", "latest")
    bill = attached()
    attached(to=f"ocidir://./m@{bill['manifest']}")
    ran = modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./n", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data()["complete"], ran.data()["copies"][0]["referrers"]) == (True, 2)
    assert (
        modseal("referrers", "ocidir://./n").out.replace("/n@", "/m@")
        == modseal("referrers", "ocidir://./m:v1.4.0").out
    )
    lists = {fallback_tag(Digest.parse(each["manifest"])) for each in (made, bill)}
    assert set(LayoutStore("./n").tags()) == lists | {"v1.4.0"}  # latest was not asked for
    before = state(work / "n")
    assert modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./n").code == 0
    assert state(work / "n") == before


def test_copy_without_referrers_and_under_another_name() -> None:
    published()
    attached()
    assert modseal("copy", "--no-referrers", "ocidir://./m:v1.4.0", "ocidir://./n:other").code == 0
    assert LayoutStore("./n").tags() == ("other",)
    assert modseal("referrers", "ocidir://./n").out.endswith("none attached\n")


def test_tags_of_one_manifest_stay_as_many() -> None:
    published("--tag", "latest", "--tag", "v1")
    published(to="ocidir://./m:v1.4.1")  # the same content under another version
    assert modseal("copy", "--all-tags", "ocidir://./m", "ocidir://./n").code == 0
    assert LayoutStore("./n").tags() == ("latest", "v1", "v1.4.0", "v1.4.1")
    # copying one of them again takes none of the others away
    assert modseal("copy", "ocidir://./m:v1.4.1", "ocidir://./n").code == 0
    assert LayoutStore("./n").tags() == ("latest", "v1", "v1.4.0", "v1.4.1")


def test_copy_moves_no_version_and_then_writes_nothing(work: Path) -> None:
    published(to="ocidir://./n:v1.4.1")
    (work / "net" / "more.cue").write_text("package net\n")
    published()
    published(to="ocidir://./m:v1.4.1")
    before = state(work / "n")
    refused(modseal("copy", "--all-tags", "ocidir://./m", "ocidir://./n"), 1, "publish.tag-exists")
    assert state(work / "n") == before
    assert modseal("copy", "--all-tags", "--force", "ocidir://./m", "ocidir://./n").code == 0


def test_a_copy_that_misses_a_blob_fails_and_tags_nothing(work: Path) -> None:
    blob(work / "m", published()["archive"]).unlink()
    refused(modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./n"), 3, "oci.blob-unknown")
    assert not (work / "n" / "index.json").exists() or LayoutStore("./n").tags() == ()


def test_a_push_that_fails_is_a_failure(work: Path) -> None:
    published()
    (work / "file").write_text("not a folder")
    ran = modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./file")
    assert ran.code in (1, 3)
    assert ran.out == ""


def test_an_incomplete_copy_says_so(work: Path) -> None:
    published()
    store = LayoutStore("./m")
    lost = attachment(store.resolve("v1.4.0"), b"lost")
    publish_artifact(store, lost)
    attached()
    blob(work / "m", lost.descriptor.digest).unlink()
    ran = modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./n")
    assert ran.code == 3
    assert "[oci.referrers-incomplete]" in ran.err
    assert "1 attached" in ran.out
    assert lost.manifest.kind == SIGNATURE


def test_copy_to_a_digest_copies_that_digest() -> None:
    made = published()
    assert modseal("copy", "ocidir://./m:v1.4.0", f"ocidir://./n@{made['manifest']}").code == 0
    assert LayoutStore("./n").tags() == ()
    assert modseal("copy", "ocidir://./m:v1.4.0", "ocidir://./n@sha256:" + "0" * 64).code == 2
    assert modseal("copy", "--all-tags", "ocidir://./m:v1.4.0", "ocidir://./n").code == 2


# inspect


def test_inspect_explains_an_artifact_and_escapes_what_it_says() -> None:
    made = published("--annotation", "note=\x1b[2Jx")
    attached()
    ran = modseal("inspect", "ocidir://./m:v1.4.0")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "shape      cue module" in ran.out
    assert ran.out.splitlines()[-1] == "attached   1"
    data = modseal("inspect", "ocidir://./m:v1.4.0", "--json").data()
    assert [part["role"] for part in data["parts"]] == ["config", "archive", "module-file"]
    assert (data["attached"], data["shape"]) == (1, "cue module")
    assert data["reference"].endswith(made["manifest"])


def test_inspect_explains_what_is_refused_elsewhere() -> None:
    stored(build_artifact(artifact_type=TOFU, layers=(Content.of(b"x", "text/plain"),)))
    ran = modseal("inspect", "ocidir://./m:v1.0.0")
    assert (ran.code, "shape      refused: " in ran.out) == (0, True)


def test_inspect_lists_tags_where_there_are_several(work: Path) -> None:
    published("--tag", "latest")
    attached()
    (work / "net" / "more.cue").write_text("package net\n")
    published(to="ocidir://./m:v1.5.0")
    data = modseal("inspect", "ocidir://./m", "--json").data()
    assert [each["tag"] for each in data["tags"]] == ["latest", "v1.4.0", "v1.5.0"]
    refused(modseal("inspect", "ocidir://./nothing"), 3, "oci.layout-malformed")
