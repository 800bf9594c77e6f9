// Command sigstorego asks Sigstore's Go client about every case directory below a folder.
//
//	sigstorego FOLDER
//
// One line for each, sorted: its name, a tab, and `ok` or what the client says.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

func main() {
	folder := os.Args[1]
	bundles, err := filepath.Glob(filepath.Join(folder, "*", "bundle.sigstore.json"))
	if err != nil || len(bundles) == 0 {
		fmt.Fprintln(os.Stderr, "no cases", err)
		os.Exit(1)
	}
	for _, path := range bundles {
		said := "ok"
		if err := ask(folder, filepath.Dir(path)); err != nil {
			said = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Printf("%s\t%s\n", filepath.Base(filepath.Dir(path)), said)
	}
}

// first is the first of these files that is there.
func first(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}

func ask(folder, dir string) error {
	text := func(name string) string {
		data, _ := os.ReadFile(first(filepath.Join(dir, name), filepath.Join(folder, name)))
		return strings.TrimSpace(string(data))
	}
	artifact, err := os.ReadFile(first(filepath.Join(dir, "artifact"), filepath.Join(folder, "a.txt")))
	if err != nil {
		return err
	}
	trusted, err := root.NewTrustedRootFromPath(first(filepath.Join(dir, "trusted_root.json"), filepath.Join(folder, "trusted_root.json")))
	if err != nil {
		return err
	}
	b, err := bundle.LoadJSONFromPath(filepath.Join(dir, "bundle.sigstore.json"))
	if err != nil {
		return err
	}
	verifier, err := verify.NewVerifier(trusted,
		verify.WithSignedCertificateTimestamps(1), verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1))
	if err != nil {
		return err
	}
	identity, err := verify.NewShortCertificateIdentity(text("issuer"), "", text("identity"), "")
	if err != nil {
		return err
	}
	_, err = verifier.Verify(b, verify.NewPolicy(
		verify.WithArtifact(bytes.NewReader(artifact)), verify.WithCertificateIdentity(identity)))
	return err
}
