package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tinyFolder makes a folder with the source of tiny as in its repository: with the module staged
// and a go.work. The folder's path contains a blank.
func tinyFolder(t *testing.T) Local {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my tiny")
	for _, part := range []struct{ from, to string }{{"tiny", "."}, {"staged", "staging/src/example.org/staged"}} {
		from, to := filepath.Join("testdata", "proxy", part.from), filepath.Join(dir, part.to)
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(to, "go.mod.txt"), filepath.Join(to, "go.mod")); err != nil {
			t.Fatal(err)
		}
	}
	putFile(t, dir, "go.work", "go 1.21\n\nuse (\n\t.\n\t./staging/src/example.org/staged\n)\n")
	return Local{Dir: dir, Name: "./tiny", Release: "v1.2.4", Like: "v1.2.3", Commit: "0123456789abcdef", Time: time.Unix(1e9, 0), State: "one"}
}

func putFile(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func mustTake(t *testing.T, c *Cache, l Local) Upstream {
	t.Helper()
	up, err := CopySource(t.Context(), tiny(), l, Options{Cache: c})
	if err != nil {
		t.Fatalf("CopySource: %v", err)
	}
	return up
}

// content maps the path of each file below a folder to its content.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTakeAFolder(t *testing.T) {
	serveModules(t)
	c, l := newCache(t), tinyFolder(t)
	before := content(t, l.Dir)
	up := mustTake(t, c, l)
	if !IsLocal(up.Version) || !strings.HasPrefix(up.Version, "v1.2.4+0123456789.") {
		t.Errorf("the version is %q, want one with the release and the commit", up.Version)
	}
	p := tiny()
	p.Version = up.Version
	vendor, _, err := CachedSource(c, p)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(vendor, "modules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	// The versions are the same as in a build of the release.
	want := "# example.org/dep v0.9.0\n## explicit; go 1.21\nexample.org/dep\n" +
		"# example.org/staged v0.0.0\n## explicit; go 1.21\nexample.org/staged\n"
	if string(list) != want {
		t.Errorf("modules.txt is\n%swant\n%s", list, want)
	}
	if got := up.Local.FileOf("example.org/staged/staged.go"); got != "staging/src/example.org/staged/staged.go" {
		t.Errorf("FileOf a staged file: got %q, want its path in the folder", got)
	}
	if got := up.Local.FileOf("example.org/dep/dep.go"); got != "" {
		t.Errorf("FileOf a file of another module: got %q, want \"\"", got)
	}
	if version, ok := CopiedVersion(c, tiny(), l); !ok || version != up.Version {
		t.Errorf("CopiedVersion: got %q, %t, want the version of the copy", version, ok)
	}
	l.State = "two"
	if _, ok := CopiedVersion(c, tiny(), l); ok {
		t.Error("CopiedVersion found a copy of another state, want none")
	}
	if again := mustTake(t, c, l); again.Version != up.Version {
		t.Errorf("the same source has the versions %q and %q, want the same version", up.Version, again.Version)
	}
	// Only files of the program change the version.
	putFile(t, l.Dir, "other/other.go", "package other\n")
	if again := mustTake(t, c, l); again.Version != up.Version {
		t.Errorf("with a new file of another program, the version is %q, want no change", again.Version)
	}
	putFile(t, l.Dir, "staging/src/example.org/staged/more.go", "package staged\n")
	l.Dirty = true
	if again := mustTake(t, c, l); !strings.HasPrefix(again.Version, "v1.2.4+0123456789.dirty.") || again.Sum == up.Sum {
		t.Errorf("with a new file of the program, the version is %q, want another with \"dirty\"", again.Version)
	}
	after := content(t, l.Dir)
	if len(after) != len(before)+2 {
		t.Errorf("the folder had %d files, and has %d, want only the two files of this test more", len(before), len(after))
	}
}

// TestTakeOutOfAWorkspace checks that a module in a Go workspace above its folder is built with
// the workspace's other modules, as the go command builds it.
func TestTakeOutOfAWorkspace(t *testing.T) {
	serveModules(t)
	c, l := newCache(t), tinyFolder(t)
	top := filepath.Dir(l.Dir)
	if err := errors.Join(os.Remove(filepath.Join(l.Dir, "go.work")), os.Rename(filepath.Join(l.Dir, "staging/src/example.org/staged"), filepath.Join(top, "lib"))); err != nil {
		t.Fatal(err)
	}
	goMod := strings.Replace(content(t, l.Dir)[filepath.Join(l.Dir, "go.mod")], "example.org/staged v0.0.0", "example.org/staged v0.2.3", 1)
	putFile(t, l.Dir, "go.mod", strings.Replace(goMod, "\nreplace example.org/staged => ./staging/src/example.org/staged\n", "", 1))
	const others = "go 1.21\n\nuse ./lib\n"
	putFile(t, top, "go.work", others+"use \"./my tiny\"\n")
	up := mustTake(t, c, l)
	if got := up.Local.FileOf("example.org/staged/staged.go"); got != "../lib/staged.go" {
		t.Errorf("FileOf a file of the other module: got %q, want ../lib/staged.go", got)
	}
	putFile(t, top, "lib/more.go", "package staged\n")
	if again := mustTake(t, c, l); again.Version == up.Version {
		t.Errorf("after a change of the other module, the version is still %q, want another", again.Version)
	}
	if folders, err := WorkspaceFolders(l.Dir); err != nil || !slices.Equal(folders, []string{filepath.ToSlash(filepath.Join(top, "lib")), filepath.ToSlash(l.Dir)}) {
		t.Errorf("WorkspaceFolders: got %q (error %v), want both modules", folders, err)
	}
	alone := func(t *testing.T) {
		t.Helper()
		_, err := CopySource(t.Context(), tiny(), l, Options{Cache: c})
		if !errors.As(err, new(*ListError)) || !strings.Contains(err.Error(), "missing go.sum entry for module providing package example.org/staged") {
			t.Errorf("CopySource: got the error %v, want that go.sum lacks the other module", err)
		}
	}
	t.Run("without the workspace", func(t *testing.T) {
		t.Setenv("GOWORK", "off")
		alone(t)
	})
	putFile(t, top, "go.work", others)
	alone(t)
	if folders, err := WorkspaceFolders(l.Dir); err != nil || folders != nil {
		t.Errorf("WorkspaceFolders with a go.work that does not use the module: got %q (error %v), want none", folders, err)
	}
}

func TestTakeWithAVendorFolder(t *testing.T) {
	serveModules(t)
	c, l := newCache(t), tinyFolder(t)
	putFile(t, l.Dir, "vendor/modules.txt", "## workspace\n# example.org/dep v0.9.0\n## explicit\nexample.org/dep\n# example.org/staged v0.0.0\n## explicit\n")
	putFile(t, l.Dir, "vendor/example.org/dep/dep.go", "package dep\n\nfunc Hello() string { return \"vendored\" }\n")
	putFile(t, l.Dir, "go.mod", strings.ReplaceAll(content(t, l.Dir)[filepath.Join(l.Dir, "go.mod")], "\nreplace example.org/staged => ./staging/src/example.org/staged\n", ""))
	t.Setenv("GOPROXY", "off")
	up := mustTake(t, c, l)
	p := tiny()
	p.Version = up.Version
	vendor, _, err := CachedSource(c, p)
	if err != nil {
		t.Fatal(err)
	}
	if text := content(t, vendor)[filepath.Join(vendor, "example.org/dep/dep.go")]; !strings.Contains(text, "vendored") {
		t.Errorf("the package is not from the vendor folder:\n%s", text)
	}
}

func TestTakeTellsWhatIsWrong(t *testing.T) {
	serveModules(t)
	for name, test := range map[string]struct {
		change func(dir string, l *Local)
		want   string
	}{
		"a missing package": {func(dir string, _ *Local) {
			os.RemoveAll(filepath.Join(dir, "staging/src/example.org/staged/staged.go"))
		}, "cmd/tiny/tiny.go"},
		"a syntax error": {func(dir string, _ *Local) { putFile(t, dir, "cmd/tiny/tiny.go", "package main\n\nimport \"fmt\n") }, "cmd/tiny/tiny.go:3"},
		"a newer Go":     {func(dir string, _ *Local) { putFile(t, dir, "go.mod", "module example.org/tiny\n\ngo 9.1\n") }, "needs Go 9.1"},
		"a changed file": {func(_ string, l *Local) {
			l.Check = func(context.Context) (string, error) { return "another", nil }
		}, "were changed while they were read"},
	} {
		l := tinyFolder(t)
		test.change(l.Dir, &l)
		_, err := CopySource(t.Context(), tiny(), l, Options{Cache: newCache(t)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestBuildAFolder(t *testing.T) {
	needsBuilds(t)
	c, l := newCache(t), tinyFolder(t)
	p := tiny()
	p.Version = mustTake(t, c, l).Version
	b, r := mustBuild(t, p, Options{Cache: c})
	if got, want := output(t, b), "hello staged stamped "+p.Version; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	if got, want := r.stages(), "resolve compile"; !strings.HasPrefix(got, want) {
		t.Errorf("stages %q, want %q, because the copy of the source is the workspace", got, want)
	}
	// Nothing can be built from a removed copy.
	up, err := c.recordedUpstream(p.Module, p.Version)
	if err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(c.entryDir(KindWorkspace, p, p.workspaceKey(up, []byte(up.Local.GoMod))))
	b.Release()
	os.RemoveAll(filepath.Dir(b.Path))
	if _, err := Build(t.Context(), p, Options{Cache: c}); err == nil || !strings.Contains(err.Error(), "is no longer in the cache") {
		t.Errorf("Build after the copy was removed: got %v, want an error that names the cache", err)
	}
}
