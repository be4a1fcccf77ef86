package distribution

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// A file is a file in an archive. Its bytes are in the field content. If content is nil,
// they are read from the file at path.
type file struct {
	name, path string
	content    []byte
	// mode is the file mode; 0 means 0o644.
	mode fs.FileMode
}

// writeArchive writes files to a compressed archive, sorted by name. modified is the time
// of each file in the archive, and 0 is its owner and group. So the archive depends only on
// this time and on the files' names, modes and bytes.
func writeArchive(path string, files []file, modified time.Time) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	to := tar.NewWriter(compressed)
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		if err := f.write(to, modified); err != nil {
			return err
		}
	}
	return errors.Join(to.Close(), compressed.Close())
}

func (f file) write(to *tar.Writer, modified time.Time) (err error) {
	content := f.content
	if content == nil {
		if content, err = os.ReadFile(f.path); err != nil {
			return err
		}
	}
	mode := f.mode
	if mode == 0 {
		mode = 0o644
	}
	header := &tar.Header{Name: f.name, Mode: int64(mode), Size: int64(len(content)), ModTime: modified.UTC(), Format: tar.FormatPAX}
	if err := to.WriteHeader(header); err != nil {
		return err
	}
	_, err = to.Write(content)
	return err
}
