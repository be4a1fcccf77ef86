package program

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// exportFormat is the format of exports.
// Raise it when older versions of apitrace can no longer read them.
const exportFormat = 1

// An exportIndex is the first file of an export.
// The file's name has its checksum. The index has the checksums of all other files.
type exportIndex struct {
	Format int            `json:"format"`
	OS     string         `json:"os"`
	Arch   string         `json:"arch"`
	Files  []exportedFile `json:"files"`
}

const (
	indexPrefix = "apitrace-export-"
	indexSuffix = ".json"
)

// Export writes built programs of the cache to w, for Import on other machines of this
// platform. It returns the size before compression, in bytes. The output is a tar
// archive, compressed with zstd. It names no folder of this machine.
func (c *Cache) Export(ctx context.Context, w io.Writer, programs ...ExportedProgram) (int64, error) {
	index := exportIndex{Format: exportFormat, OS: runtime.GOOS, Arch: runtime.GOARCH}
	for _, p := range programs {
		p.Options.Cache = c
		files, used, err := c.filesOf(ctx, p)
		if err != nil {
			return 0, message.Errorf("exporting %s: %w", p.Program, err)
		}
		defer used.release()
		index.Files = append(index.Files, files...)
	}
	// Several programs can have the same compiled package or record of a module.
	slices.SortStableFunc(index.Files, func(a, b exportedFile) int { return cmp.Compare(a.Path, b.Path) })
	index.Files = slices.CompactFunc(index.Files, func(a, b exportedFile) bool { return a.Path == b.Path })
	size, err := index.addSums(ctx)
	if err != nil {
		return 0, message.Errorf("reading the files to export: %w", err)
	}
	if err := index.write(ctx, w); err != nil {
		return 0, message.Errorf("writing the export: %w", err)
	}
	return size, nil
}

// addSums sets the checksums and sizes of all files.
func (x *exportIndex) addSums(ctx context.Context) (size int64, err error) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range x.Files {
		f := &x.Files[i]
		if f.source == "" {
			f.Size, f.Sum = int64(len(f.data)), hash(f.data)
			continue
		}
		g.Go(func() error {
			info, err := os.Stat(f.source)
			if err != nil || ctx.Err() != nil {
				return cmp.Or(ctx.Err(), err)
			}
			f.Size = info.Size()
			f.Sum, err = hashFile(f.source)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for _, f := range x.Files {
		size += f.Size
	}
	return size, nil
}

func (x *exportIndex) write(ctx context.Context, w io.Writer) error {
	// This level is faster than most disks, and halves the size.
	compressed, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if err := writeEntry(out, indexPrefix+hash(text)+indexSuffix, int64(len(text)), bytes.NewReader(text)); err != nil {
		return err
	}
	for _, f := range x.Files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f.write(out); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func (f *exportedFile) write(out *tar.Writer) error {
	if f.source == "" {
		return writeEntry(out, f.Path, f.Size, bytes.NewReader(f.data))
	}
	in, err := os.Open(f.source)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeEntry(out, f.Path, f.Size, in)
}

func writeEntry(out *tar.Writer, name string, size int64, content io.Reader) error {
	// The header has no time, and nothing about this machine or user.
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600}); err != nil {
		return err
	}
	_, err := io.CopyN(out, content, size)
	return err
}

// entryOf splits an exported file's path into the kind and name of its cache entry,
// and the rest. name is "" for records of modules and files of Go's build cache.
// ok is false for a path that no export has.
func entryOf(path string) (kind Kind, name, rest string, ok bool) {
	if !filepath.IsLocal(filepath.FromSlash(path)) || strings.Contains(path, "\\") {
		return "", "", "", false
	}
	parts := strings.SplitN(path, "/", 3)
	switch {
	case len(parts) == 3 && parts[0] == string(KindBuild)+"s":
		return KindBuild, parts[1], parts[2], true
	case len(parts) == 3 && parts[0] == string(KindWorkspace)+"s":
		return KindWorkspace, parts[1], parts[2], true
	case len(parts) == 3 && parts[0] == string(KindGoCache) && len(parts[1]) == 2:
		return KindGoCache, "", path, true
	case len(parts) == 2 && parts[0] == "modules" && strings.HasSuffix(parts[1], ".json"):
		return "", "", path, true
	}
	return "", "", "", false
}
