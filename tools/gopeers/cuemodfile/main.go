// Command cuemodfile answers questions about CUE with CUE's own libraries, one JSON object per line:
// what a document is as data, and whether a module file is accepted. The tests compare our answers with these.
//
// A request is {"op": …, "src": base64, "base": base64}; an answer is {"error": text} or {"value": …}.
//
//	data       the document in data-only form, as module files are read
//	export     the document as `cue export` sees it
//	strict     a published cue.mod/module.cue
//	main       a main module's cue.mod/module.cue
//	local      a cue.mod/local-module.cue beside the module.cue in base
//	path       is the text a module path
//	base       is the text a module path without a major version
//	version    is "path version" a module version; the answer is its canonical text
//	escape     how the cache writes "path version"
//	semver     validity, canonical form and major of a version
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"
)

type request struct {
	Op   string `json:"op"`
	Src  string `json:"src"`
	Base string `json:"base"`
}

type answer struct {
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		src, err := base64.StdEncoding.DecodeString(r.Src)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		base, _ := base64.StdEncoding.DecodeString(r.Base)
		var a answer
		a.Value, err = ask(r.Op, src, base)
		if err != nil {
			a = answer{Error: strings.TrimSpace(errors.Details(err, nil))}
			if a.Error == "" {
				a.Error = "refused"
			}
		}
		data, err := json.Marshal(a)
		if err != nil {
			data, _ = json.Marshal(answer{Error: "cannot encode: " + err.Error()})
		}
		out.Write(append(data, '\n'))
		out.Flush()
	}
}

func ask(op string, src, base []byte) (any, error) {
	text := string(src)
	switch op {
	case "data":
		return data(src)
	case "export":
		v := cuecontext.New().CompileBytes(src)
		if err := v.Validate(cue.Concrete(true), cue.Final()); err != nil {
			return nil, err
		}
		b, err := v.MarshalJSON()
		return json.RawMessage(b), err
	case "strict":
		f, err := modfile.Parse(src, "module.cue")
		return describe(f), err
	case "main":
		f, err := modfile.ParseNonStrict(src, "module.cue")
		return describe(f), err
	case "local":
		b, err := modfile.ParseNonStrict(base, "module.cue")
		if err != nil {
			return nil, err
		}
		f, err := modfile.ParseLocal(src, "local-module.cue", b)
		return describe(f), err
	case "path":
		return true, module.CheckPath(text)
	case "base":
		return true, module.CheckPathWithoutVersion(text)
	case "version":
		path, version, _ := strings.Cut(text, " ")
		v, err := module.NewVersion(path, version)
		if err != nil {
			return nil, err
		}
		return v.String(), nil
	case "escape":
		path, version, _ := strings.Cut(text, " ")
		p, err := module.EscapePath(path)
		if err != nil {
			return nil, err
		}
		v, err := module.EscapeVersion(version)
		return p + "@" + v, err
	}
	return nil, fmt.Errorf("unknown op %q", op)
}

// data reads a document as the custom part of a module file: the one public way into the data-only form.
// A document with a package clause cannot be asked for.
func data(src []byte) (any, error) {
	const head = "module: \"t.example@v0\"\nlanguage: version: \"v0.9.0\"\ncustom: \"t.example\": {\n"
	f, err := modfile.ParseNonStrict([]byte(head+string(src)+"\n}\n"), "module.cue")
	if err != nil {
		return nil, err
	}
	custom := f.Custom["t.example"]
	if custom == nil {
		custom = map[string]any{}
	}
	return custom, nil
}

func describe(f *modfile.File) any {
	if f == nil {
		return nil
	}
	deps := map[string]any{}
	for path, dep := range f.Deps {
		deps[path] = []any{dep.Version, dep.Default, dep.ReplaceWith}
	}
	versions := []string{}
	for _, v := range f.DepVersions() {
		versions = append(versions, v.Path()+" "+v.Version())
	}
	language, source := "", ""
	if f.Language != nil {
		language = f.Language.Version
	}
	if f.Source != nil {
		source = f.Source.Kind
	}
	return map[string]any{
		"path": f.QualifiedModule(), "language": language, "source": source, "deps": deps,
		"versions": versions, "defaults": f.DefaultMajorVersions(),
	}
}
