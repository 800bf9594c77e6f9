"""SLSA provenance of a canonical pack: from which commit, by which rules, in which run.

The build type is ours and versioned: `modseal:pack/1` (docs/decisions/0100). Packing is deterministic, so whoever
has the commit can repeat it and compare; the external parameters are all it takes:

    source     {uri: git+URL, ref?}      where the source was
    revision   the commit
    subdir     the module's folder in it, "" for the root
    encoding   store/1 or deflate/1
    rules      the rule set of names, such as cue/1

`resolvedDependencies` holds the commit (`gitCommit`, `gitTree`), then what the lock names. Everything here is
said by whoever runs the build: `builder.id` is self-asserted unless the signer's certificate says the same.

>>> run = Run(builder="https://ci.example/build@refs/heads/main", invocation="https://ci.example/runs/7")
>>> source = Source(repository="https://git.example/net", commit="a" * 40)
>>> made = provenance(source, run, encoding="store/1", rules="cue/1", version="1.0.0")
>>> made["buildDefinition"]["externalParameters"]["source"]
{'uri': 'git+https://git.example/net'}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Misused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.oci.jsondoc import Json

BUILD_TYPE = "modseal:pack/1"
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the packed files came from."""

    repository: str
    commit: str
    tree: str | None = None
    ref: str | None = None
    subdir: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Who built, in which run."""

    builder: str
    invocation: str | None = None
    started: str | None = None  # RFC 3339; a clock is the caller's
    finished: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A locked module, by what it was fetched as."""

    uri: str
    digests: Mapping[str, str]


LOCAL = Run(builder="modseal:builder/local")


def provenance(
    source: Source,
    run: Run,
    *,
    encoding: str,
    rules: str,
    version: str,
    dependencies: Sequence[Dependency] = (),
) -> dict[str, Json]:
    """The predicate. Raises Misused."""
    for name in filter(None, (source.commit, source.tree)):
        if not _COMMIT.fullmatch(name):
            raise Misused(f"git object {name!r}: expected 40 or 64 lower-case hex digits")
    origin = f"git+{source.repository}"
    git = {"gitCommit": source.commit} | ({"gitTree": source.tree} if source.tree else {})
    resolved: list[Json] = [{"uri": f"{origin}@{source.commit}", "digest": git}]
    resolved += [{"uri": each.uri, "digest": dict(sorted(each.digests.items()))} for each in dependencies]
    times = {"invocationId": run.invocation, "startedOn": run.started, "finishedOn": run.finished}
    return {
        "buildDefinition": {
            "buildType": BUILD_TYPE,
            "externalParameters": {
                "source": {"uri": origin} | ({"ref": source.ref} if source.ref else {}),
                "revision": source.commit,
                "subdir": source.subdir,
                "encoding": encoding,
                "rules": rules,
            },
            "resolvedDependencies": resolved,
        },
        "runDetails": {
            "builder": {"id": run.builder, "version": {"modseal": version}},
            "metadata": {key: value for key, value in times.items() if value},
        },
    }


def run_from_environment(environment: Mapping[str, str]) -> Run:
    """GitHub Actions and GitLab say who they are; elsewhere the builder is `modseal:builder/local`."""
    get = environment.get
    if get("GITHUB_ACTIONS") == "true" and get("GITHUB_WORKFLOW_REF"):
        server = environment.get("GITHUB_SERVER_URL", "https://github.com")
        run = f"{server}/{get('GITHUB_REPOSITORY', '')}/actions/runs/{get('GITHUB_RUN_ID', '')}"
        return Run(
            builder=f"{server}/{environment['GITHUB_WORKFLOW_REF']}",
            invocation=f"{run}/attempts/{get('GITHUB_RUN_ATTEMPT', '1')}",
        )
    if get("GITLAB_CI") == "true" and get("CI_PROJECT_URL"):
        kind, name = (
            ("tags", get("CI_COMMIT_TAG")) if get("CI_COMMIT_TAG") else ("heads", get("CI_COMMIT_REF_NAME"))
        )
        config = get("CI_CONFIG_PATH") or ".gitlab-ci.yml"
        return Run(
            builder=f"{environment['CI_PROJECT_URL']}//{config}@refs/{kind}/{name}",
            invocation=get("CI_JOB_URL"),
        )
    return LOCAL
