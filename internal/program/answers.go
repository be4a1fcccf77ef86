package program

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// maxAnswers is the maximum size of all kept answers, in bytes.
// The history of boot has 226,000 bytes.
const maxAnswers = 64 << 20

// Answers keeps results of long computations in the cache, for later processes of the
// same executable. An answer may depend only on its name and on the executable, which
// includes the recordings. Several processes may use them at once.
type Answers struct {
	dir     string
	maxSize int64
	self    func() (string, error)
}

// Answers returns the kept answers of the cache.
func (c *Cache) Answers() *Answers {
	return &Answers{dir: filepath.Join(c.Root, string(KindAnswers)), maxSize: maxAnswers, self: executableSum}
}

// Get returns the data kept under a name, and marks it as used.
// It returns nil if there is none or it is damaged.
func (a *Answers) Get(name string) ([]byte, error) {
	file, err := a.file(name)
	if err != nil {
		return nil, err
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	sum, data, _ := bytes.Cut(kept, []byte("\n"))
	if string(sum) != checksum(data) {
		return nil, nil
	}
	now := time.Now()
	return data, ignoreNotExist(os.Chtimes(file, now, now))
}

// Put keeps data under a name and replaces older data.
// If the answers become too large, it removes the least recently used ones.
func (a *Answers) Put(name string, data []byte) error {
	file, err := a.file(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return message.Errorf("keeping an answer: %w", err)
	}
	// The file is renamed into place, so that no process reads a half-written file.
	kept := slices.Concat([]byte(checksum(data)+"\n"), data)
	if err := renameio.WriteFile(file, kept, 0o600, renameio.WithTempDir(a.dir), renameio.WithStaticPermissions(0o600)); err != nil {
		return message.Errorf("keeping an answer: %w", err)
	}
	return a.trim()
}

// Keep returns the data kept under a name, or else keeps and returns the result of
// produce. It works without a cache, too: if a is nil, or if the cache cannot be read
// or written.
func (a *Answers) Keep(name string, produce func() ([]byte, error)) ([]byte, error) {
	if a == nil {
		return produce()
	}
	data, err := a.Get(name)
	if err != nil {
		slog.Debug("the kept answer is not available", "name", name, "error", err)
	}
	if data != nil {
		return data, nil
	}
	if data, err = produce(); err != nil {
		return nil, err
	}
	if err := a.Put(name, data); err != nil {
		slog.Debug("the answer was not kept", "name", name, "error", err)
	}
	return data, nil
}

// trim removes the least recently used answers until the rest fits. Other processes may
// do so too.
func (a *Answers) trim() error {
	listed, err := os.ReadDir(a.dir)
	if err != nil {
		return message.Errorf("keeping an answer: %w", err)
	}
	var files []fs.FileInfo
	var size int64
	for _, entry := range listed {
		file, err := entry.Info()
		if err != nil || !file.Mode().IsRegular() {
			continue
		}
		// A name that begins with a dot is a temporary file.
		// After an hour, it is left from a killed process.
		if !strings.HasPrefix(file.Name(), ".") || time.Since(file.ModTime()) > time.Hour {
			files = append(files, file)
			size += file.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for ; size > a.maxSize && len(files) > 0; files = files[1:] {
		if err := ignoreNotExist(os.Remove(filepath.Join(a.dir, files[0].Name()))); err != nil {
			return message.Errorf("keeping an answer: %w", err)
		}
		size -= files[0].Size()
	}
	return nil
}

func (a *Answers) file(name string) (string, error) {
	self, err := a.self()
	if err != nil {
		return "", err
	}
	return filepath.Join(a.dir, checksum([]byte(self+"\n"+name))), nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// started is the time when this process began.
var started = time.Now()

// executableSum returns the checksum of this process's executable. It takes some tenths of
// a second.
var executableSum = sync.OnceValues(func() (string, error) {
	path := "/proc/self/exe" // the running file, even if its path now names another file
	if runtime.GOOS != "linux" {
		var err error
		if path, err = os.Executable(); err != nil {
			return "", message.Errorf("reading the executable: %w", err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return "", message.Errorf("reading the executable: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && runtime.GOOS != "linux" && info.ModTime().After(started) {
		err = message.NewError("it was replaced after this process began")
	}
	sum := sha256.New()
	if err == nil {
		_, err = io.Copy(sum, file)
	}
	if err != nil {
		return "", message.Errorf("reading the executable: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})

// answersEntry returns one entry for all answers, if there are any.
func (c *Cache) answersEntry() ([]Entry, error) {
	dir := c.Answers().dir
	info, err := os.Stat(dir)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	size, err := diskUsage(dir)
	if err != nil {
		return nil, err
	}
	return []Entry{{Kind: KindAnswers, Name: string(KindAnswers), Dir: dir, Size: size, LastUsed: info.ModTime(), Complete: true}}, nil
}
