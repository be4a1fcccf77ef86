// Package bounded reads whole files whose names come from a user, a client or a file. It refuses files that could keep the reader
// waiting forever or fill the memory: a pipe that nobody writes to, a device without end, a huge file.
package bounded

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// MaxText is the limit of files that people write, such as scenarios, exercises and bodies of requests, in bytes.
const MaxText = 10 << 20

// ReadFile reads a regular file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	return read(name, info, err, func() (fs.File, error) { return os.Open(name) }, limit)
}

// ReadFS is like [ReadFile] for a file of a file system.
func ReadFS(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	return read(name, info, err, func() (fs.File, error) { return files.Open(name) }, limit)
}

// ReadStream is like [ReadFile], but the file may be a pipe, such as "<(zcat FILE)" in a shell. Only commands should use it:
// opening a pipe waits until another process writes to it.
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
		failed.Op = "open" // as errors of reading a file begin elsewhere, not with "stat"
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

// ReadAll reads r to its end, at most limit bytes. name names the source in errors.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	return readAll(r, name, 0, limit)
}

// readAll allocates memory for the expected size at once, because growing it would take twice the memory.
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
