// Goarchive gives tests what golang.org/x/mod says about a folder or a zip.
//
//	goarchive hashdir DIR PREFIX               the h1 of a folder, names under PREFIX ("" for none)
//	goarchive hashzip ZIP                      the h1 of a zip, names as they stand
//	goarchive checkzip PATH VERSION ZIP        ok, or the reason of refusal
//	goarchive checkdir DIR                     valid, omitted and invalid files as JSON
//	goarchive create DIR ZIP PATH VERSION      pack a folder as a Go module
//	goarchive unzip ZIP DIR PATH VERSION       unpack it
//
// It prints one line and leaves with 0; a refusal goes to stderr and leaves with 1, a wrong call with 2.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

var commands = map[string]struct {
	arguments int
	run       func([]string) (string, error)
}{
	"hashdir":  {2, hashDir},
	"hashzip":  {1, func(a []string) (string, error) { return dirhash.HashZip(a[0], dirhash.Hash1) }},
	"checkzip": {3, checkZip},
	"checkdir": {1, checkDir},
	"create":   {4, create},
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
	line, err := command.run(os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(line)
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: goarchive hashdir DIR PREFIX | hashzip ZIP | checkzip PATH VERSION ZIP |"+
		" checkdir DIR | create DIR ZIP PATH VERSION | unzip ZIP DIR PATH VERSION")
	os.Exit(2)
}

func hashDir(a []string) (string, error) {
	if a[1] != "" {
		return dirhash.HashDir(a[0], a[1], dirhash.Hash1)
	}
	// DirFiles joins an empty prefix away, and so does the opener here
	files, err := dirhash.DirFiles(a[0], "")
	if err != nil {
		return "", err
	}
	return dirhash.Hash1(files, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(a[0], name)) })
}

func checkZip(a []string) (string, error) {
	checked, err := modzip.CheckZip(module.Version{Path: a[0], Version: a[1]}, a[2])
	if err != nil {
		return "", err
	}
	return "ok", checked.Err()
}

func checkDir(a []string) (string, error) {
	checked, err := modzip.CheckDir(a[0])
	if err != nil && len(checked.Invalid) == 0 && checked.SizeError == nil {
		return "", err
	}
	return account(a[0], checked)
}

// account gives names relative to the folder.
func account(folder string, checked modzip.CheckedFiles) (string, error) {
	valid := []string{}
	for _, name := range checked.Valid {
		valid = append(valid, relative(folder, name))
	}
	told := map[string]any{
		"valid":   valid,
		"omitted": reasons(folder, checked.Omitted),
		"invalid": reasons(folder, checked.Invalid),
	}
	if checked.SizeError != nil {
		told["size"] = checked.SizeError.Error()
	}
	line, err := json.Marshal(told)
	return string(line), err
}

func reasons(folder string, files []modzip.FileError) map[string]string {
	told := map[string]string{}
	for _, file := range files {
		told[relative(folder, file.Path)] = file.Err.Error()
	}
	return told
}

func relative(folder, name string) string {
	if inside, err := filepath.Rel(folder, name); err == nil {
		return filepath.ToSlash(inside)
	}
	return name
}

func create(a []string) (line string, err error) {
	file, err := os.Create(a[1])
	if err != nil {
		return "", err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	return "ok", modzip.CreateFromDir(file, module.Version{Path: a[2], Version: a[3]}, a[0])
}

func unzip(a []string) (string, error) {
	return "ok", modzip.Unzip(a[1], module.Version{Path: a[2], Version: a[3]}, a[0])
}
