"""Module files named by what is right or wrong with them, each with the check that refuses it.

Three readings: `STRICT` and `MAIN` alone, `LOCAL` beside `LOCAL_BASE`.
"""

from __future__ import annotations

from typing import Final

HEAD: Final = 'module: "example.com/m@v1"\nlanguage: version: "v0.15.0"\n'
NEW: Final = 'module: "example.com/m@v1"\nlanguage: version: "v0.17.0"\n'
OLD: Final = 'module: "example.com/m@v1"\nlanguage: version: "v0.8.3"\n'
LOCAL_BASE: Final = (
    NEW + 'deps: {\n\t"a.example/x@v0": v: "v0.1.0"\n\t"b.example/y@v1": {v: "v1.2.0", default: true}\n}\n'
)


def dep(text: str, head: str = HEAD) -> str:
    return f"{head}deps: {{{text}}}\n"


# name: (document, check when read as published, check when read as main)
FILES: Final[dict[str, tuple[str, str, str]]] = {
    "minimal": (HEAD, "", ""),
    "no major": ('module: "example.com/m"\nlanguage: version: "v0.15.0"\n', "", ""),
    "language as a struct": ('module: "example.com/m"\nlanguage: {version: "v0.15.0"}\n', "", ""),
    "repeated and equal": (HEAD + HEAD, "", ""),
    "repeated deps merge": (
        dep('"a.example/x@v0": v: "v0.1.0"') + 'deps: "a.example/x@v0": default: true\n',
        "",
        "",
    ),
    "repeated and different": (HEAD + 'module: "example.com/n@v1"\n', "cue.conflict", "cue.conflict"),
    "raw and lines": ('module: #"example.com/m@v1"#\nlanguage: version: """\n\tv0.15.0\n\t"""\n', "", ""),
    "keyword label below custom": (HEAD + 'custom: "x.example": {if: 1, "true": [1, 2]}\n', "", ""),
    "package clause": ("package m\n" + HEAD, "cue.not-data", "cue.not-data"),
    "byte order mark": ("\ufeff" + HEAD, "", ""),
    "attributes": (HEAD + "@x(y)\n", "", ""),
    "source self": (HEAD + 'source: kind: "self"\n', "", ""),
    "source git": (HEAD + 'source: kind: "git"\n', "", ""),
    "source hg": (HEAD + 'source: kind: "hg"\n', "modfile.type", "modfile.type"),
    "source a string": (HEAD + 'source: "git"\n', "modfile.type", "modfile.type"),
    "source with more": (HEAD + 'source: {kind: "git", url: "x"}\n', "modfile.field", "modfile.field"),
    "source too early": (OLD + 'source: kind: "git"\n', "modfile.field", "modfile.field"),
    "description": (HEAD + 'description: "what it is"\n', "", ""),
    "description a number": (HEAD + "description: 1\n", "modfile.type", "modfile.type"),
    "custom": (HEAD + 'custom: "x.example": a: b: [1, {c: null}]\n', "", ""),
    "custom legacy": (HEAD + "custom: legacy: a: 1\n", "", ""),
    "custom not a struct": (HEAD + 'custom: "x.example": 1\n', "modfile.type", "modfile.type"),
    "empty deps": (HEAD + "deps: {}\n", "", ""),
    "deps a list": (HEAD + "deps: []\n", "modfile.type", "modfile.type"),
    "one dep": (dep('"a.example/x@v0": v: "v0.1.0"'), "", ""),
    "prerelease dep": (dep('"a.example/x@v0": v: "v0.1.0-RC.1"'), "", ""),
    "two majors": (dep('"a.example/x@v0": v: "v0.1.0", "a.example/x@v1": v: "v1.1.0"'), "", ""),
    "one default": (
        dep('"a.example/x@v0": {v: "v0.1.0", default: true}, "a.example/x@v1": v: "v1.1.0"'),
        "",
        "",
    ),
    "default false": (dep('"a.example/x@v0": {v: "v0.1.0", default: false}'), "", ""),
    "two defaults": (
        dep('"a.example/x@v0": {v: "v0.1.0", default: true}, "a.example/x@v1": {v: "v1.1.0", default: true}'),
        "modfile.default",
        "modfile.default",
    ),
    "default beside the module's own": (
        dep('"example.com/m@v0": {v: "v0.1.0", default: true}'),
        "modfile.default",
        "modfile.default",
    ),
    "older major of the module itself": (dep('"example.com/m@v0": v: "v0.1.0"'), "", ""),
    "dep without major": (dep('"a.example/x": v: "v0.1.0"'), "cue.module-path", ""),
    "dep twice, with and without major": (
        dep('"a.example/x": v: "v0.1.0", "a.example/x@v0": v: "v0.2.0"'),
        "cue.module-path",
        "",
    ),
    "dep of another major": (dep('"a.example/x@v1": v: "v0.1.0"'), "cue.version", "cue.version"),
    "dep version short": (dep('"a.example/x@v0": v: "v0.1"'), "cue.version", "cue.version"),
    "dep version with build": (dep('"a.example/x@v0": v: "v0.1.0+b"'), "cue.version", "cue.version"),
    "dep version without v": (dep('"a.example/x@v0": v: "0.1.0"'), "cue.version", "cue.version"),
    "dep version empty": (dep('"a.example/x@v0": v: ""'), "modfile.type", "modfile.type"),
    "dep version a number": (dep('"a.example/x@v0": v: 1'), "modfile.type", "modfile.type"),
    "dep version latest": (dep('"a.example/x@v0": v: "latest"'), "cue.version", "cue.version"),
    "dep version none": (dep('"a.example/x@v0": v: "none"'), "cue.version", "cue.version"),
    "dep version missing": (dep('"a.example/x@v0": {}'), "modfile.dependency", "modfile.dependency"),
    "dep version missing, new language": (dep('"a.example/x@v0": {}', NEW), "", ""),
    "dep version null": (dep('"a.example/x@v0": v: null', NEW), "modfile.type", "modfile.type"),
    "dep a string": (dep('"a.example/x@v0": "v0.1.0"'), "modfile.type", "modfile.type"),
    "dep with another field": (
        dep('"a.example/x@v0": {v: "v0.1.0", sum: "h1"}'),
        "modfile.field",
        "modfile.field",
    ),
    "dep default a string": (
        dep('"a.example/x@v0": {v: "v0.1.0", default: "yes"}'),
        "modfile.type",
        "modfile.type",
    ),
    "dep path with capitals": (dep('"a.example/X@v0": v: "v0.1.0"'), "cue.module-path", "cue.module-path"),
    "dep path without host": (dep('"x/y@v0": v: "v0.1.0"'), "cue.module-path", "cue.module-path"),
    "dep path local": (dep('"local@v0": v: "v0.1.0"'), "cue.module-path", "cue.module-path"),
    "dep path empty": (dep('"": v: "v0.1.0"'), "cue.module-path", "cue.module-path"),
    "dep path with two majors": (dep('"a.example/x@v0@v0": v: "v0.1.0"'), "cue.version", "cue.version"),
    "replaceWith": (dep('"a.example/x@v0": {v: "v0.1.0", replaceWith: "./x"}', NEW), "", ""),
    "replaceWith too early": (
        dep('"a.example/x@v0": {v: "v0.1.0", replaceWith: "./x"}'),
        "modfile.replace",
        "modfile.replace",
    ),
    "optional field alone": (HEAD + "anything?: 1\n", "", ""),  # a condition on a field nobody has
    "hidden field": (HEAD + "_x: 1\n", "", ""),
    "unknown field": (HEAD + "anything: 1\n", "modfile.field", "modfile.field"),
    "proposed field": (HEAD + 'exclude: "a.example": []\n', "modfile.field", "modfile.field"),
    "module missing": ('language: version: "v0.15.0"\n', "cue.module-path", "cue.module-path"),
    "module empty": ('module: ""\nlanguage: version: "v0.15.0"\n', "cue.module-path", "cue.module-path"),
    "module a number": ('module: 1\nlanguage: version: "v0.15.0"\n', "modfile.type", "modfile.type"),
    "module with a full version": (
        'module: "example.com/m@v1.2.3"\nlanguage: version: "v0.15.0"\n',
        "cue.module-path",
        "cue.module-path",
    ),
    "module with a reserved name": (
        'module: "example.com/aux@v1"\nlanguage: version: "v0.15.0"\n',
        "cue.module-path",
        "cue.module-path",
    ),
    "language missing": ('module: "example.com/m@v1"\n', "modfile.language", "modfile.language"),
    "language empty": ('module: "example.com/m"\nlanguage: {}\n', "modfile.language", "modfile.language"),
    "language a string": ('module: "example.com/m"\nlanguage: "v0.15.0"\n', "modfile.type", "modfile.type"),
    "language short": (
        'module: "example.com/m"\nlanguage: version: "v0.15"\n',
        "modfile.language",
        "modfile.language",
    ),
    "language no version": (
        'module: "example.com/m"\nlanguage: version: "new"\n',
        "modfile.language",
        "modfile.language",
    ),
    "language with more": (
        'module: "example.com/m"\nlanguage: {version: "v0.15.0", x: 1}\n',
        "modfile.field",
        "modfile.field",
    ),
    "language too new": (
        'module: "example.com/m"\nlanguage: version: "v99.0.0"\n',
        "modfile.language-new",
        "modfile.language-new",
    ),
    "language too old": (
        'module: "example.com/m"\nlanguage: version: "v0.7.0"\n',
        "modfile.language",
        "modfile.language",
    ),
    "language first known": ('module: "example.com/m"\nlanguage: version: "v0.8.0-alpha.0"\n', "", ""),
    "reference": (HEAD + "description: module\n", "cue.not-data", "cue.not-data"),
    "definition": (HEAD + "#x: 1\n", "cue.not-data", "cue.not-data"),
    "import": ('import "strings"\n' + HEAD, "cue.not-data", "cue.not-data"),
    "interpolation": (HEAD + 'description: "\\(1)"\n', "cue.not-data", "cue.not-data"),
    "not CUE": (HEAD + "}\n", "cue.syntax", "cue.syntax"),
    "empty": ("", "modfile.language", "modfile.language"),
}

# by name: a cue.mod/local-module.cue and the check
LOCAL: Final[dict[str, tuple[str, str]]] = {
    "empty": ("", ""),
    "version inherited": ('deps: "a.example/x@v0": {}\n', ""),
    "default inherited": ('deps: "b.example/y@v1": {}\n', ""),
    "version raised": ('deps: "a.example/x@v0": v: "v0.3.0"\n', ""),
    "folder": ('deps: "a.example/x@v0": replaceWith: "./x"\n', ""),
    "folder, not in module.cue": ('deps: "c.example/z@v0": replaceWith: "../z"\n', ""),
    "module": ('deps: "a.example/x@v0": {v: "v0.1.0", replaceWith: "d.example/w@v0"}\n', ""),
    "no version anywhere": ('deps: "c.example/z@v0": {}\n', "modfile.dependency"),
    "same module": ('module: "example.com/m@v1"\n', ""),
    "another module": ('module: "example.com/n@v1"\n', "cue.module-path"),
    "own language": (
        'language: version: "v0.15.0"\ndeps: "a.example/x@v0": replaceWith: "./x"\n',
        "modfile.replace",
    ),
    "unknown field": ("x: 1\n", "modfile.field"),
}
