// Package bounded reads whole files with names from a user, a client or another file.
// It refuses files that could block the reader forever or fill the memory: a pipe that
// nobody writes to, a device without end, a huge file.
package bounded

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// MaxText is the maximum size in bytes of files that people write, such as scenarios,
// exercises and bodies of requests.
const MaxText = 10 << 20

// ReadFile reads a regular file of at most limit bytes.
// It returns an error for any other file.
func ReadFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	return read(name, info, err, func() (fs.File, error) { return os.Open(name) }, limit)
}

// ReadFS is [ReadFile] in a file system.
func ReadFS(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	return read(name, info, err, func() (fs.File, error) { return files.Open(name) }, limit)
}

// ReadStream is [ReadFile], but the file may be a pipe, such as "<(zcat FILE)".
// Use it only in commands, because opening a pipe waits for a writing process.
func ReadStream(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		return ReadFile(name, limit)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAll(file, name, limit)
}

func read(name string, info fs.FileInfo, err error, open func() (fs.File, error), limit int64) ([]byte, error) {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		failed.Op = "open" // as in the errors of os.ReadFile, not "stat"
	}
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, message.Errorf("%q is not a regular file: save the text to a file and name that", name)
	case info.Size() > limit:
		return nil, message.Errorf("%q has %d bytes, expected at most %d", name, info.Size(), limit)
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, name, info.Size(), limit)
}

// ReadAll reads r to its end. If r has more than limit bytes, it returns an error that
// contains name.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	return readAll(r, name, 0, limit)
}

// readAll allocates memory for the expected size at once.
// Growing the buffer would take twice as much. r may have another size.
func readAll(r io.Reader, name string, expected, limit int64) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, expected+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, message.Errorf("%q has more than %d bytes, the limit", name, limit)
	}
	return data.Bytes(), nil
}
