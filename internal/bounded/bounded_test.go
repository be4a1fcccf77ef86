package bounded

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

const limit = 1000

// file writes a file of size bytes and returns its path.
func file(t *testing.T, name string, size int) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// pipe makes a named pipe and returns its path. A goroutine writes text to the pipe, unless text
// is empty.
func pipe(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		go func() {
			_ = os.WriteFile(name, []byte(text), 0)
		}()
	}
	return name
}

func TestReading(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	inFS := func(name string, limit int64) ([]byte, error) {
		return ReadFS(os.DirFS(filepath.Dir(name)), filepath.Base(name), limit)
	}
	for _, test := range []struct {
		name, want string
	}{
		{file(t, "full", limit), ""},
		{file(t, "large", limit+1), "has 1001 bytes, expected at most 1000"},
		{pipe(t, ""), "is not a regular file"},
		{t.TempDir(), "is not a regular file"},
		{link, "is not a regular file"},
		{filepath.Join(t.TempDir(), "none"), "open "},
	} {
		for _, read := range []func(string, int64) ([]byte, error){ReadFile, inFS} {
			data, err := read(test.name, limit)
			if test.want == "" && (err != nil || len(data) != limit) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: got %d bytes and the error %v, expected the error %q", test.name, len(data), err, test.want)
			}
		}
	}
}

// growing is a file system that reports the size 0 for each file, as /proc does.
type growing struct{ fs.FS }

func (f growing) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(f.FS, name)
	return emptyInfo{info}, err
}

type emptyInfo struct{ fs.FileInfo }

func (emptyInfo) Size() int64 { return 0 }

func TestGrowingFiles(t *testing.T) {
	for size, want := range map[int]string{limit: "", limit + 1: `"file" has more than 1000 bytes, the limit`} {
		name := file(t, "file", size)
		data, err := ReadFS(growing{os.DirFS(filepath.Dir(name))}, "file", limit)
		if want == "" && (err != nil || len(data) != limit) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("a file of %d bytes: got %d bytes and the error %v, expected the error %q", size, len(data), err, want)
		}
	}
}

func TestReadStream(t *testing.T) {
	if data, err := ReadStream(pipe(t, "text"), limit); err != nil || string(data) != "text" {
		t.Errorf("a pipe: got %q and the error %v, expected \"text\"", data, err)
	}
	if data, err := ReadStream(file(t, "text", 3), limit); err != nil || len(data) != 3 {
		t.Errorf("a file: got %q and the error %v, expected \"xxx\"", data, err)
	}
	for name, want := range map[string]string{
		pipe(t, strings.Repeat("x", limit+1)): "has more than 1000 bytes", "/dev/zero": "is not a regular file", filepath.Join(t.TempDir(), "none"): "no such file",
	} {
		if _, err := ReadStream(name, limit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got the error %v, expected %q", name, err, want)
		}
	}
}

func TestReadAll(t *testing.T) {
	if data, err := ReadAll(iotest.OneByteReader(strings.NewReader("text")), "standard input", 4); err != nil || string(data) != "text" {
		t.Errorf("got %q and the error %v, expected \"text\"", data, err)
	}
	if _, err := ReadAll(strings.NewReader("text"), "standard input", 3); err == nil || err.Error() != `"standard input" has more than 3 bytes, the limit` {
		t.Errorf("4 bytes: got the error %v, expected the limit of 3 bytes", err)
	}
	if _, err := ReadAll(iotest.ErrReader(os.ErrClosed), "standard input", 3); err == nil {
		t.Error("got no error, expected the reader's error")
	}
}
