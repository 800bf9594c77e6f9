// Gozip writes zips as Go programs do: one folder, one archive, one way of using archive/zip.
//
//	gozip WAY DIR ZIP
//
// Ways: plain (Create: data descriptors, deflate), stored (data descriptors, no compression), header
// (FileInfoHeader: times and modes kept), addfs (AddFS: folder entries too), raw (CreateRaw: sizes known,
// no data descriptors), best (deflate at its best level), comment (an archive comment and entry comments).
// Files come in the order of a directory walk.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// add writes one file of a folder into the archive.
type add func(archive *zip.Writer, name string, info fs.FileInfo, data []byte) error

var ways = map[string]add{
	"plain": plain,
	"stored": func(z *zip.Writer, n string, _ fs.FileInfo, d []byte) error {
		return with(z, &zip.FileHeader{Name: n}, d)
	},
	"header":  header,
	"raw":     raw,
	"best":    plain,
	"comment": comment,
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: gozip WAY DIR ZIP")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(way, folder, target string) error {
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	if err := fill(archive, way, os.DirFS(folder)); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Close()
}

func fill(archive *zip.Writer, way string, tree fs.FS) error {
	switch way {
	case "addfs":
		return archive.AddFS(tree)
	case "best":
		archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(out, flate.BestCompression)
		})
	case "comment":
		if err := archive.SetComment("written by a Go program"); err != nil {
			return err
		}
	}
	one, known := ways[way]
	if !known {
		return fmt.Errorf("no way is called %q", way)
	}
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return one(archive, name, info, data)
	})
}

func plain(archive *zip.Writer, name string, _ fs.FileInfo, data []byte) error {
	writer, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = writer.Write(data)
	return err
}

func with(archive *zip.Writer, header *zip.FileHeader, data []byte) error {
	writer, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = writer.Write(data)
	return err
}

func header(archive *zip.Writer, name string, info fs.FileInfo, data []byte) error {
	header, err := zip.FileInfoHeader(info)
	if err != nil {
		return err
	}
	header.Name, header.Method = name, zip.Deflate
	return with(archive, header, data)
}

func comment(archive *zip.Writer, name string, _ fs.FileInfo, data []byte) error {
	return with(archive, &zip.FileHeader{Name: name, Method: zip.Deflate, Comment: "a comment"}, data)
}

func raw(archive *zip.Writer, name string, _ fs.FileInfo, data []byte) error {
	var packed bytes.Buffer
	encoder, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := encoder.Write(data); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	// CreateRaw sets no flag by itself: 0x800 says that names are UTF-8
	writer, err := archive.CreateRaw(&zip.FileHeader{
		Name: name, Flags: 0x800, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(data),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(data)),
	})
	if err != nil {
		return err
	}
	_, err = writer.Write(packed.Bytes())
	return err
}
