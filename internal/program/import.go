package program

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/zstd"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// maxIndexSize is the maximum size of an index in bytes.
// The index of a whole release has 8 MB.
const maxIndexSize = 64 << 20

// maxFileSize is the maximum size of an exported file, in bytes. maxFiles is the
// maximum number of files. The sum of all sizes fits into 63 bits.
const (
	maxFileSize = 1 << 40
	maxFiles    = 1 << 20
)

// An Imported is a cache entry from an export.
type Imported struct {
	// Name is the entry's name in the cache.
	Name             string
	Program, Version string
	Kind             Kind
	// Existed is set if the cache already had the complete entry.
	Existed bool
}

// Import adds the entries of an export to the cache, except for entries that it has.
// For a damaged export, or an export for another platform, Import returns an error and
// adds nothing. The user must trust the maker of the export, because later commands run
// its programs.
func (c *Cache) Import(ctx context.Context, r io.Reader) ([]Imported, error) {
	compressed, err := zstd.NewReader(r)
	if err != nil {
		return nil, message.Errorf("reading the export: %w", err)
	}
	defer compressed.Close()
	in := tar.NewReader(compressed)
	index, err := readIndex(in)
	if err != nil {
		return nil, err
	}
	if index.OS != runtime.GOOS || index.Arch != runtime.GOARCH {
		return nil, message.Errorf("the export is for %s/%s, and this machine is %s/%s: use one that was made on a machine like this", index.OS, index.Arch, runtime.GOOS, runtime.GOARCH)
	}
	if err := c.checkRoom(index); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(c.Root, "import-")
	if err != nil {
		return nil, message.Errorf("unpacking the export: %w", err)
	}
	release := guardDir(dir)
	defer release()
	defer os.RemoveAll(dir)
	if err := index.unpack(ctx, in, dir); err != nil {
		return nil, err
	}
	return c.addFiles(index, dir)
}

// readIndex reads the first file of an export.
func readIndex(in *tar.Reader) (*exportIndex, error) {
	header, err := in.Next()
	if err != nil {
		return nil, message.Errorf("this is not an export of apitrace: %w", err)
	}
	sum, isIndex := strings.CutPrefix(header.Name, indexPrefix)
	sum, ends := strings.CutSuffix(sum, indexSuffix)
	if !isIndex || !ends || header.Size > maxIndexSize {
		return nil, message.Errorf("this is not an export of apitrace: its first file is %q", header.Name)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxIndexSize))
	if err != nil {
		return nil, damaged(err)
	}
	if hash(text) != sum {
		return nil, damaged(message.NewError("its index was changed"))
	}
	var index exportIndex
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&index); err != nil {
		return nil, damaged(err)
	}
	if index.Format != exportFormat {
		return nil, message.Errorf("the export has format %d, and this version of apitrace reads %d: use the version that wrote it", index.Format, exportFormat)
	}
	for _, f := range index.Files {
		if _, _, _, ok := entryOf(f.Path); !ok || f.Size < 0 || f.Size > maxFileSize || len(index.Files) > maxFiles {
			return nil, damaged(message.Errorf("unexpected file %q", f.Path))
		}
	}
	return &index, nil
}

func damaged(err error) error {
	return message.Errorf("the export is damaged: %w; copy it again", err)
}

// checkRoom rejects an export that does not fit on the disk.
func (c *Cache) checkRoom(x *exportIndex) error {
	var need int64
	for _, f := range x.Files {
		need += f.Size
	}
	free, err := FreeSpace(c.Root)
	if err == nil && free < need {
		return message.Errorf("not enough disk space for the export: %s has %s free, and %s are needed; make room, or set %s to a folder on a larger disk",
			c.Root, FormatBytes(free), FormatBytes(need), CacheEnv)
	}
	return err
}

// unpack writes the exported files below a folder and verifies their checksums.
func (x *exportIndex) unpack(ctx context.Context, in *tar.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return message.Errorf("unpacking the export: %w", err)
	}
	defer root.Close()
	for _, f := range x.Files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		header, err := in.Next()
		if err != nil {
			return damaged(err)
		}
		if header.Name != f.Path || header.Size != f.Size || header.Typeflag != tar.TypeReg {
			return damaged(message.Errorf("found the file %q, expected %q", header.Name, f.Path))
		}
		if err := f.unpack(in, root); err != nil {
			return err
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		return damaged(message.NewError("it has more files than its index"))
	}
	return nil
}

func (f *exportedFile) unpack(in io.Reader, root *os.Root) error {
	name := filepath.FromSlash(f.Path)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return message.Errorf("unpacking the export: %w", err)
	}
	mode := os.FileMode(0o600)
	if kind, entry, rest, _ := entryOf(f.Path); kind == KindBuild {
		if program, _, ok := splitEntryName(entry); ok && rest == program {
			mode = 0o700
		}
	}
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return message.Errorf("unpacking the export: %w", err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), in)
	if err := errors.Join(err, out.Close()); err != nil {
		return damaged(err)
	}
	if n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.Sum {
		return damaged(message.Errorf("%s was changed", f.Path))
	}
	return nil
}

// addFiles moves the unpacked files into the cache. Builds come after everything that they
// need.
func (c *Cache) addFiles(x *exportIndex, dir string) ([]Imported, error) {
	entries := map[Imported]bool{}
	for _, f := range x.Files {
		kind, name, _, _ := entryOf(f.Path)
		if name == "" {
			if err := moveNew(filepath.Join(dir, filepath.FromSlash(f.Path)), filepath.Join(c.Root, filepath.FromSlash(f.Path))); err != nil {
				return nil, message.Errorf("adding the export to the cache: %w", err)
			}
			continue
		}
		program, version, ok := splitEntryName(name)
		if !ok {
			return nil, damaged(message.Errorf("unexpected file %q", f.Path))
		}
		entries[Imported{Name: name, Program: program, Version: version, Kind: kind}] = true
	}
	var all []Imported
	for _, kind := range []Kind{KindWorkspace, KindBuild} {
		for entry := range entries {
			if entry.Kind != kind {
				continue
			}
			if err := c.placeEntry(&entry, filepath.Join(dir, string(kind)+"s", entry.Name)); err != nil {
				return nil, message.Errorf("adding %s to the cache: %w", entry.Name, err)
			}
			all = append(all, entry)
		}
	}
	slices.SortFunc(all, func(a, b Imported) int { return strings.Compare(string(a.Kind)+a.Name, string(b.Kind)+b.Name) })
	return all, nil
}

// placeEntry moves one entry into the cache, unless the cache already has the
// complete entry. It sets entry.Existed.
func (c *Cache) placeEntry(entry *Imported, from string) error {
	m, err := readManifest(from)
	if err != nil {
		return err
	}
	if _, err := check(from, m.Key, everyFile); err != nil {
		return err
	}
	if err := os.MkdirAll(c.kindDir(entry.Kind), 0o700); err != nil {
		return err
	}
	to := filepath.Join(c.kindDir(entry.Kind), entry.Name)
	lock := flock.New(c.lockFile(programLock(entry.Program, entry.Version)))
	locked, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !locked {
		return message.NewError("another apitrace is building it; wait until it has finished")
	}
	defer lock.Close()
	if _, err := check(to, m.Key, everyFile); err == nil {
		entry.Existed = true
		return nil
	}
	if err := removeEntry(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// moveNew moves a file, unless to already exists.
func moveNew(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Rename(from, to)
}
