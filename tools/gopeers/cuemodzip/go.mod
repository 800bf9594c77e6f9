module modseal.invalid/cuemodzip

go 1.25.0

require cuelang.org/go v0.17.1

require github.com/cockroachdb/apd/v3 v3.2.3 // indirect
