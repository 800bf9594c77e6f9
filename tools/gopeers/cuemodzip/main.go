// Cuemodzip gives tests what CUE's own module zip package says about a folder or a zip.
//
//	cuemodzip create DIR ZIP MODPATH VERSION     pack a folder as a CUE module
//	cuemodzip checkdir DIR                       what of a folder belongs into a module
//	cuemodzip checkzip ZIP MODPATH VERSION       what of a zip does
//	cuemodzip unzip ZIP DIR MODPATH VERSION      unpack it
//
// MODPATH is as in module.cue, major version included: example.com/net@v1. It prints one line of JSON, the
// account {"valid": […], "omitted": {name: reason}, "invalid": {name: reason}, "size": …, "module": …}, and
// leaves with 0; a refusal prints the account it has, says why on stderr and leaves with 1, a wrong call with 2.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"cuelang.org/go/mod/module"
	"cuelang.org/go/mod/modzip"
)

var commands = map[string]struct {
	arguments int
	run       func([]string) (modzip.CheckedFiles, error)
}{
	"create":   {4, create},
	"checkdir": {1, func(a []string) (modzip.CheckedFiles, error) { return checkDir(a[0]) }},
	"checkzip": {3, checkZip},
	"unzip":    {4, unzip},
}

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	command, known := commands[os.Args[1]]
	if !known || len(os.Args)-2 != command.arguments {
		usage()
	}
	checked, err := command.run(os.Args[2:])
	if told := tell(checked); told != nil {
		fmt.Fprintln(os.Stderr, told)
		os.Exit(1)
	}
	if err = errors.Join(err, checked.Err()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: cuemodzip create DIR ZIP MODPATH VERSION | checkdir DIR |"+
		" checkzip ZIP MODPATH VERSION | unzip ZIP DIR MODPATH VERSION")
	os.Exit(2)
}

func tell(checked modzip.CheckedFiles) error {
	told := map[string]any{
		"valid":   append([]string{}, checked.Valid...),
		"omitted": reasons(checked.Omitted),
		"invalid": reasons(checked.Invalid),
	}
	if checked.SizeError != nil {
		told["size"] = checked.SizeError.Error()
	}
	if checked.NoModError != nil {
		told["module"] = checked.NoModError.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}

func reasons(files []modzip.FileError) map[string]string {
	told := map[string]string{}
	for _, file := range files {
		told[file.Path] = file.Err.Error()
	}
	return told
}

// checkDir gives names relative to the folder, as the archive will have them.
func checkDir(folder string) (modzip.CheckedFiles, error) {
	checked, err := modzip.CheckDir(folder)
	for i, name := range checked.Valid {
		checked.Valid[i] = relative(folder, name)
	}
	for _, files := range [][]modzip.FileError{checked.Omitted, checked.Invalid} {
		for i := range files {
			files[i].Path = relative(folder, files[i].Path)
		}
	}
	return checked, err
}

func relative(folder, name string) string {
	if inside, err := filepath.Rel(folder, name); err == nil {
		return filepath.ToSlash(inside)
	}
	return name
}

func create(a []string) (checked modzip.CheckedFiles, err error) {
	version, err := module.NewVersion(a[2], a[3])
	if err != nil {
		return checked, err
	}
	if checked, err = checkDir(a[0]); err != nil {
		return checked, err
	}
	file, err := os.Create(a[1])
	if err != nil {
		return checked, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return checked, modzip.CreateFromDir(file, version, a[0])
}

func checkZip(a []string) (modzip.CheckedFiles, error) {
	version, err := module.NewVersion(a[1], a[2])
	if err != nil {
		return modzip.CheckedFiles{}, err
	}
	return modzip.CheckZipFile(version, a[0])
}

func unzip(a []string) (modzip.CheckedFiles, error) {
	checked, err := checkZip([]string{a[0], a[2], a[3]})
	if err != nil {
		return checked, err
	}
	version, err := module.NewVersion(a[2], a[3])
	if err != nil {
		return checked, err
	}
	return checked, modzip.Unzip(a[1], version, a[0])
}
