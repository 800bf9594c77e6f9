"""What can be wrong with CUE modules' names, module files, registry settings and vendored lists."""

from __future__ import annotations

from verify.report import Check

MODULE_PATH = Check(
    id="cue.module-path",
    title="not a module path",
    meaning=(
        "A CUE module path is lower-case, begins with a host name and is also a repository name in a registry;"
        " other names would be refused by cue or mean different things on different machines."
    ),
    remedy="Correct the path; a major such as @v1 stands at its end.",
)
VERSION = Check(
    id="cue.version",
    title="not a version",
    meaning="A locked version is a full semantic version with a leading v, of the major that the path names.",
    remedy="Write it as v1.2.3.",
)
FIELD = Check(
    id="modfile.field",
    title="field nobody knows",
    meaning="Module files are closed: a field that the declared language version does not know is an error to cue.",
    remedy="Remove it, or keep it below custom.",
)
TYPE = Check(
    id="modfile.type",
    title="value of the wrong kind",
    meaning="A field of the module file has a value that cue does not take there.",
    remedy="See `cue help modules` for the fields and their values.",
)
LANGUAGE = Check(
    id="modfile.language",
    title="language version missing or unusable",
    meaning="language.version chooses the rules by which the module file is read; without it nothing else counts.",
    remedy="Run `cue mod fix`, or write language: version: with a full version.",
)
LANGUAGE_NEW = Check(
    id="modfile.language-new",
    title="language newer than this reader",
    meaning="The module file declares a language version whose rules this version of modseal does not know.",
    remedy="Update modseal.",
)
DEFAULT = Check(
    id="modfile.default",
    title="two default majors",
    meaning="Two majors of one path are marked as the default; the module's own major is one already.",
    remedy="Keep default: true on one of them.",
)
DEPENDENCY = Check(
    id="modfile.dependency",
    title="dependency without a version",
    meaning="A dependency needs a version, except where local-module.cue replaces it.",
    remedy="Run `cue mod tidy`.",
)
REPLACE = Check(
    id="modfile.replace",
    title="replacement in the wrong place",
    meaning="replaceWith belongs into cue.mod/local-module.cue of the main module, with language v0.17.0 or later.",
    remedy="Run `cue mod tidy`, which moves it there.",
)
MISMATCH = Check(
    id="modfile.mismatch",
    title="another module's file",
    meaning="The module file declares another path or major than the one it was fetched as.",
    remedy="Ask whoever publishes the module; do not use what was fetched.",
)
REGISTRY = Check(
    id="cue.registry",
    title="CUE_REGISTRY not usable",
    meaning="The registry setting breaks cue's rules, so nobody can say where a module comes from.",
    remedy="See `cue help registryconfig`; `cue mod resolve` shows what a setting means.",
)
VENDOR_LIST = Check(
    id="vendor.list",
    title="list of vendored modules not usable",
    meaning="cue.mod/vendor/modules.cue does not have the form in which modseal writes it.",
    remedy="Run `modseal vendor`.",
)

CHECKS = (
    DEFAULT,
    DEPENDENCY,
    FIELD,
    LANGUAGE,
    LANGUAGE_NEW,
    MISMATCH,
    MODULE_PATH,
    REGISTRY,
    REPLACE,
    TYPE,
    VENDOR_LIST,
    VERSION,
)
