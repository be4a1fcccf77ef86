package program

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/internal/message"
)

const (
	// manifestFile is the manifest. It is written last, and makes the entry complete.
	manifestFile = "apitrace.json"
	// sumsFile lists the files' checksums in the format of sha256sum(1).
	sumsFile = "apitrace.sha256"
	// sizeFile has the entry's size; see sealedSize. sumsFile does not list it.
	sizeFile = "apitrace.size.json"
)

// A manifest describes a complete cache entry.
type manifest struct {
	Program string `json:"program"`
	Version string `json:"version"`
	Key     string `json:"key"`
	// Rewrite and Summary are set for an instrumented build.
	Rewrite string `json:"rewrite,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Missing is the number of rules without a match in the source.
	Missing int `json:"missing,omitempty"`
	// Edited is set if the build includes the user's edits. Edits has the names of
	// the edited files.
	Edited bool     `json:"edited,omitempty"`
	Edits  []string `json:"edits,omitempty"`
	// More names the packages that are rewritten only because the user named them.
	More []string `json:"more,omitempty"`
	// Cover is set if the build has statement counters.
	Cover bool `json:"cover,omitempty"`
	// Sums is the checksum of sumsFile.
	Sums string `json:"sums"`

	// lastUsed is the modification time of manifestFile; see touch.
	lastUsed time.Time
}

func readManifest(dir string) (manifest, error) {
	var m manifest
	file := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, message.Errorf("reading %s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return m, err
	}
	m.lastUsed = info.ModTime()
	return m, nil
}

// seal completes an entry: it writes the checksums of its files, and the manifest.
func seal(dir string, m manifest) error {
	sums, err := sumFiles(dir)
	if err != nil {
		return message.Errorf("checksums of %s: %w", dir, err)
	}
	return sealAs(dir, m, sums)
}

// sealAs is seal with known checksums.
func sealAs(dir string, m manifest, sums []byte) error {
	if err := writeFile(filepath.Join(dir, sumsFile), sums); err != nil {
		return err
	}
	m.Sums = hash(sums)
	return writeJSON(filepath.Join(dir, manifestFile), m)
}

var (
	errNoEntry       = message.NewError("not in the cache")
	errNeverFinished = message.NewError("it was never finished")
)

// check compares an entry with its manifest. The files that want accepts must exist and
// be unchanged; want gets paths relative to the entry, with slashes. check returns
// errNoEntry if there is no entry, and another error if it is half-finished or damaged.
func check(dir, key string, want func(file string) bool) (manifest, error) {
	m, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err == nil {
			return m, errNeverFinished
		}
		return m, errNoEntry
	}
	if err != nil {
		return m, err
	}
	if m.Key != key {
		return m, message.Errorf("its manifest has another key, %q", m.Key)
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return m, message.Errorf("its list of checksums is missing: %w", err)
	}
	if hash(sums) != m.Sums {
		return m, message.NewError("its list of checksums was changed")
	}
	return m, checkSums(dir, sums, want)
}

// checkSums compares the listed files that want accepts with their checksums.
func checkSums(dir string, sums []byte, want func(string) bool) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for line := range bytes.Lines(sums) {
		sum, file, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		if !ok {
			return message.Errorf("its list of checksums is malformed at %q", line)
		}
		if !want(file) {
			continue
		}
		g.Go(func() error {
			got, err := hashFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err == nil && got != sum {
				err = message.Errorf("%s was changed", file)
			}
			return err
		})
	}
	return g.Wait()
}

// sealedSize returns the size of a complete entry in bytes.
// A workspace has thousands of files that do not change, so the first call records the
// size for later calls. In a read-only cache, each call counts again.
func sealedSize(dir string, m manifest) (int64, error) {
	type size struct {
		// Sums is manifest.Sums at the time of counting.
		Sums string `json:"sums"`
		Size int64  `json:"size"`
	}
	file := filepath.Join(dir, sizeFile)
	if data, err := os.ReadFile(file); err == nil {
		var known size
		if json.Unmarshal(data, &known) == nil && known.Sums == m.Sums {
			return known.Size, nil
		}
	}
	counted, err := diskUsage(dir)
	if err != nil {
		return 0, err
	}
	if now, err := readManifest(dir); err == nil && now.Sums == m.Sums { // the entry is still the same
		_ = writeJSON(file, size{m.Sums, counted})
	}
	return counted, nil
}

// touch records that an entry was used now. In a read-only cache, it does nothing.
func touch(dir string) { setUsed(filepath.Join(dir, manifestFile)) }

func setUsed(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// removeEntry deletes an entry. It removes the manifest first, so that a partly deleted entry
// never looks complete.
func removeEntry(dir string) error {
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}

// sumFiles returns the content of sumsFile: the checksums of all regular files below
// dir, sorted by path.
func sumFiles(dir string) ([]byte, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(files))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		g.Go(func() error {
			sum, err := hashFile(file)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			lines[i] = sum + "  " + filepath.ToSlash(rel) + "\n"
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, "")), nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, bufio.NewReaderSize(f, 1<<18)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// writeJSON writes v to a file. Readers see the old file or the new one, never a part.
func writeJSON(file string, v any) error {
	data, err := encodeJSON(v)
	if err != nil {
		return message.Errorf("writing %s: %w", file, err)
	}
	return writeFile(file, data)
}

func encodeJSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// writeFile writes a file that only its owner can read, so it may hold tokens.
// Readers see the old file or the new one, never a part.
func writeFile(file string, data []byte) error {
	if err := renameio.WriteFile(file, data, 0o600, renameio.WithStaticPermissions(0o600)); err != nil {
		return message.Errorf("writing %s: %w", file, err)
	}
	return nil
}
