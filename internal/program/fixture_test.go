package program

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// tiny is the program of testdata/proxy, described as apiserver.Program describes kube-apiserver.
func tiny() Program {
	return Program{
		Name: "tiny", Module: "example.org/tiny", Version: "v1.2.3", Main: "cmd/tiny/tiny.go",
		LocalReplace: func(_, dir string) (string, bool) { return "v0.2.3", strings.HasPrefix(dir, "staging/src/") },
		Stamp:        func(up Upstream) []string { return []string{"main.version=stamped " + up.Version} },
		Space:        1,
	}
}

// needsBuilds serves the modules for tests that build several programs. It skips these tests in
// "make check".
func needsBuilds(t *testing.T) {
	t.Helper()
	testenv.Costly(t, "builds programs")
	serveModules(t)
}

// serveModules serves the modules of testdata/proxy to the go command. The go command gets an
// empty module cache and no other proxy.
func serveModules(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, m := range []struct{ folder, path, version string }{
		{"tiny", "example.org/tiny", "v1.2.3"},
		{"staged", "example.org/staged", "v0.2.3"},
		{"dep", "example.org/dep", "v0.9.0"},
		{"dep", "example.org/dep", "v0.9.1"},
		{"lacking", "example.org/lacking", "v1.0.0"},
		{"gen", "example.org/gen", "v0.1.0"},
		{"two", "example.org/two", "v1.0.0"},
	} {
		publish(t, dir, filepath.Join("testdata", "proxy", m.folder), module.Version{Path: m.path, Version: m.version})
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	t.Setenv("GOPROXY", server.URL)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-mod=vendor") // builds must ignore it
	modCache := filepath.Join(t.TempDir(), "mod")
	t.Setenv("GOMODCACHE", modCache)
	t.Cleanup(func() {
		// A module cache is read-only, and t.TempDir could not remove it.
		if out, err := exec.Command("go", "clean", "-modcache").CombinedOutput(); err != nil {
			t.Errorf("go clean -modcache: %v\n%s", err, out)
		}
	})
	os.MkdirAll(modCache, 0o700)
}

// publish writes the files that a module proxy serves for one version.
func publish(t *testing.T, proxy, source string, m module.Version) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod.txt"))
	if err != nil {
		t.Fatal(err)
	}
	info := fmt.Sprintf(`{"Version": %q, "Time": "2026-01-02T03:04:05Z", "Origin": {"Hash": "0123abcd"}}`, m.Version)
	for name, data := range map[string]string{".mod": string(goMod), ".info": info} {
		if err := os.WriteFile(filepath.Join(dir, m.Version+name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := zip.Create(out, m, zipFiles(t, source)); err != nil {
		t.Fatal(err)
	}
}

// A zipFile is a file of a module. zipFiles adds a random comment to Go files, so that no build
// cache has their packages.
type zipFile struct {
	fstest.MapFile
	name string
}

func (f zipFile) Path() string                 { return f.name }
func (f zipFile) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }
func (f zipFile) Lstat() (fs.FileInfo, error) {
	return fs.Stat(fstest.MapFS{"file": &f.MapFile}, "file")
}

func zipFiles(t *testing.T, source string) []zip.File {
	t.Helper()
	var files []zip.File
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".go") {
			data = append(data, "\n// "+rand.Text()+"\n"...)
		}
		rel := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(source)+"/")
		files = append(files, zipFile{fstest.MapFile{Data: data}, strings.TrimSuffix(rel, ".txt")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// newCache makes an empty cache that shares the developer's Go build cache, so that not every
// test compiles the standard library. The path of the cache contains a link, as the paths of some
// users' home folders do.
func newCache(t *testing.T) *Cache {
	t.Helper()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCache(link)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(out)), c.goCache()); err != nil {
		t.Fatal(err)
	}
	return c
}

// A recorder records the reported events.
type recorder struct {
	mu     sync.Mutex
	events []Event
}

func (r *recorder) Report(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// stages lists the reported stages in order. Repeated reports of a stage count once.
func (r *recorder) stages() string {
	var stages []string
	for _, e := range r.events {
		if len(stages) == 0 || stages[len(stages)-1] != string(e.Stage) {
			stages = append(stages, string(e.Stage))
		}
	}
	return strings.Join(stages, " ")
}

func (r *recorder) notes() string {
	var notes []string
	for _, e := range r.events {
		if !e.Note.IsZero() {
			notes = append(notes, e.Note.String())
		}
	}
	return strings.Join(notes, "\n")
}

// mustBuild builds the program and returns the reported events.
func mustBuild(t *testing.T, p Program, o Options) (*Binary, *recorder) {
	t.Helper()
	r := new(recorder)
	o.Progress = r
	b, err := Build(context.Background(), p, o)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return b, r
}

// output runs a binary without arguments and returns its output.
func output(t *testing.T, b *Binary) string {
	t.Helper()
	out, err := exec.Command(b.Path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", b.Path, err, out)
	}
	return strings.TrimSpace(string(out))
}
