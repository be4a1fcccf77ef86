package program

import (
	"bytes"
	"context"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	b, r := mustBuild(t, tiny(), Options{Cache: c})
	if got, want := output(t, b), "hello staged stamped v1.2.3"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	if got, want := r.stages(), "resolve download tidy vendor compile link done"; got != want {
		t.Errorf("stages %q, want %q", got, want)
	}
	// The program has three packages of its own. Total also counts packages of the standard
	// library that the build cache lacked at the start. If another test compiles them
	// meanwhile, Done stays below Total.
	if last := r.events[len(r.events)-3]; last.Stage != StageCompile || last.Item != mainModule || last.Done < 3 || last.Done > last.Total {
		t.Errorf("the last compiled package was reported as %+v", last)
	}

	again, r := mustBuild(t, tiny(), Options{Cache: c})
	if !again.Cached || again.Path != b.Path || r.stages() != "resolve done" {
		t.Errorf("the second build: cached %t, stages %q, want the first build from the cache", again.Cached, r.stages())
	}
}

// TestBuildIsLogged checks that the debug log has the commands of a build, and the reason why
// the cache had no such build.
func TestBuildIsLogged(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(before)
	needsBuilds(t)
	c := newCache(t)
	for _, step := range []struct {
		rewrite *Rewrite
		want    string
	}{
		{nil, `msg="no build in the cache".* why="no build of this version is complete"(.|\n)*msg=compiling .*packages=\d+ stale=\d(.|\n)*msg="running a command" purpose="compile and link"(.|\n)*msg="the command has ended"`},
		{rewriteHello(`"other"`), `msg="no build in the cache".* why="the guide, the rewriter, .* differ from those of 1 builds`},
		{nil, `msg="taking a build from the cache" program="tiny v1.2.3"`},
	} {
		log.Reset()
		mustBuild(t, tiny(), Options{Cache: c, Rewrite: step.rewrite})
		if !regexp.MustCompile(step.want).MatchString(log.String()) {
			t.Errorf("expected %s in the log:\n%s", step.want, log.String())
		}
	}
}

// TestBuildWithoutNetwork checks that a build needs no network once the modules are in the
// module cache.
func TestBuildWithoutNetwork(t *testing.T) {
	needsBuilds(t)
	mustBuild(t, tiny(), Options{Cache: newCache(t)})
	t.Setenv("GOPROXY", "off")
	b, _ := mustBuild(t, tiny(), Options{Cache: newCache(t)})
	if got := output(t, b); !strings.HasPrefix(got, "hello") {
		t.Errorf("the program says %q, want hello", got)
	}
}

// rewriteHello returns a Rewrite in which the program says the Go expression hello. It
// replaces a vendored file, and adds a package of the main module, which the file imports.
func rewriteHello(hello string) *Rewrite {
	return &Rewrite{Key: hello, Run: func(_ context.Context, workspace, out string) (Rewritten, error) {
		dep, word := filepath.Join(out, "dep.go"), filepath.Join(out, "word.go")
		err := errors.Join(
			os.WriteFile(dep, []byte("package dep\n\nimport \""+mainModule+"/instrument/probe\"\n\nfunc Hello() string { return probe.Word }\n"), 0o600),
			os.WriteFile(word, []byte("package probe\n\nconst Word = "+hello+"\n"), 0o600))
		return Rewritten{Overlay: map[string]string{
			filepath.Join(workspace, "vendor/example.org/dep/dep.go"): dep,
			filepath.Join(workspace, "instrument/probe/word.go"):      word,
		}, Summary: "1 function in 1 file"}, err
	}}
}

func TestBuildWithOverlay(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	plain, _ := mustBuild(t, tiny(), Options{Cache: c})
	rewritten, r := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"rewritten"`)})
	if got, want := output(t, rewritten), "rewritten staged stamped v1.2.3"; got != want {
		t.Errorf("the rewritten program says %q, want %q", got, want)
	}
	if got, want := r.stages(), "resolve rewrite compile link done"; got != want {
		t.Errorf("stages %q, want %q, because both builds use the same workspace", got, want)
	}
	if rewritten.Summary != "1 function in 1 file" {
		t.Errorf("the summary is %q, want the summary of Rewritten", rewritten.Summary)
	}
	if got := output(t, plain); !strings.HasPrefix(got, "hello") {
		t.Errorf("after the second build, the plain program says %q, want hello", got)
	}
	other, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"other"`)})
	if got := output(t, other); other.Key == rewritten.Key || !strings.HasPrefix(got, "other") {
		t.Errorf("with another Rewrite, the program says %q, want \"other\" and another key", got)
	}
}

func TestCompileError(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	_, err := Build(context.Background(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`undefinedName`)})
	var compile *CompileError
	if !errors.As(err, &compile) {
		t.Fatalf("Build: %v, want a CompileError", err)
	}
	if !strings.Contains(err.Error(), "undefined: undefinedName") || !strings.Contains(err.Error(), "go build of tiny v1.2.3") {
		t.Errorf("the error lacks the compiler's complaint or the command: %v", err)
	}
	info, statErr := os.Stat(compile.Log)
	if statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v (error %v), want a file with mode 0600", info, statErr)
	}
	for _, e := range entries(t, c) {
		if e.Kind == KindBuild && e.Complete {
			t.Errorf("the failed build is in the cache as complete: %+v", e)
		}
	}
	said := &recorder{}
	if _, err := Build(context.Background(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`undefinedName`), Progress: said}); !errors.As(err, &compile) || said.notes() != "" {
		t.Errorf("the second failing build: got the error %v and the notes %q, want a CompileError and no notes", err, said.notes())
	}
}

func TestUnknownVersion(t *testing.T) {
	serveModules(t)
	p := tiny()
	p.Version = "v9.9.9"
	_, err := Build(context.Background(), p, Options{Cache: newCache(t)})
	var download *DownloadError
	if !errors.As(err, &download) || !download.Unknown() || !strings.Contains(err.Error(), `"v9.9.9"`) {
		t.Errorf("Build: %v, want an error that names the unknown version", err)
	}
}

func TestNoNetwork(t *testing.T) {
	serveModules(t)
	t.Setenv("GOPROXY", "http://127.0.0.1:1")
	_, err := Build(context.Background(), tiny(), Options{Cache: newCache(t)})
	var download *DownloadError
	if !errors.As(err, &download) || download.Unknown() || !strings.Contains(err.Error(), "network") {
		t.Errorf("Build: %v, want an error that names the network", err)
	}
}

func TestNoGo(t *testing.T) {
	c := newCache(t)
	t.Setenv("PATH", t.TempDir())
	_, err := Build(context.Background(), tiny(), Options{Cache: c})
	if err == nil || !strings.Contains(err.Error(), "no Go toolchain") || !strings.Contains(err.Error(), "https://go.dev/dl") {
		t.Errorf("Build: %v, want an error that says where to get Go", err)
	}
}

// withoutGo removes the Go toolchain from PATH.
func withoutGo(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", "")
	t.Setenv("GOROOT", "")
	if _, err := FindToolchain(t.Context()); err == nil {
		t.Fatal("FindToolchain found a Go toolchain, want an error")
	}
}

// TestCachedBuildWithoutGo checks that a cached build needs no Go, and that any other build
// reports that it needs Go.
func TestCachedBuildWithoutGo(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	plain, _ := mustBuild(t, tiny(), Options{Cache: c})
	traced, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"x"`)})
	withoutGo(t)
	for _, test := range []struct {
		rewrite *Rewrite
		want    *Binary
	}{{nil, plain}, {rewriteHello(`"x"`), traced}} {
		o := Options{Cache: c, Rewrite: test.rewrite}
		b, _ := mustBuild(t, tiny(), o)
		if !b.Cached || b.Path != test.want.Path || b.Key != test.want.Key {
			t.Errorf("without Go: got %+v, want %+v from the cache", b, test.want)
		}
		if key, err := Key(t.Context(), tiny(), o); err != nil || key != test.want.Key {
			t.Errorf("Key: got %q, %v, want %q", key, err, test.want.Key)
		}
		if plan, err := MakePlan(t.Context(), tiny(), o); err != nil || !plan.Cached || plan.Binary != test.want.Path || len(plan.Commands) > 0 {
			t.Errorf("MakePlan: got %+v, %v, want a cached build and no commands", plan, err)
		}
	}
	if plan, err := MakePlan(t.Context(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`"y"`)}); err != nil || plan.Cached || plan.NoGo == nil || !plan.HasWorkspace {
		t.Errorf("MakePlan of a build that is not cached: got %+v, %v, want a plan that needs Go", plan, err)
	}
	if vendor, err := SourceTree(t.Context(), tiny(), Options{Cache: c}); err != nil || vendor != filepath.Join(plain.Workspace, "vendor") {
		t.Errorf("SourceTree: got %q, %v, want the vendor folder of the workspace", vendor, err)
	}

	_, err := Build(t.Context(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`"y"`)})
	if !errors.As(err, new(*NeedsGoError)) {
		t.Fatalf("a build that is not cached: got the error %v, want a NeedsGoError", err)
	}
	for _, want := range []string{"tiny v1.2.3 must be compiled", c.Root, "no Go toolchain", "https://go.dev/dl"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	must(t, os.Truncate(plain.Path, 1000))
	if _, err := Build(t.Context(), tiny(), Options{Cache: c}); !errors.As(err, new(*NeedsGoError)) {
		t.Errorf("a damaged build: got the error %v, want a NeedsGoError", err)
	}
}

// TestMissingTempDir checks that a missing folder for temporary files is the first error, for a
// build in the cache and for a module that does not build.
func TestMissingTempDir(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	mustBuild(t, tiny(), Options{Cache: c})
	missing := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", missing)
	for _, p := range []Program{tiny(), lacking()} {
		_, err := Build(t.Context(), p, Options{Cache: c})
		if !errors.As(err, new(*tempDirError)) {
			t.Fatalf("Build: %v, want a tempDirError", err)
		}
		for _, want := range []string{"TMPDIR", missing, "does not exist", "create it", "unset"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v\ndoes not say %q", err, want)
			}
		}
	}
}

// TestSyntaxErrorIsCompileError checks that a syntax error is a CompileError, although the go
// command finds it before it runs the compiler.
func TestSyntaxErrorIsCompileError(t *testing.T) {
	serveModules(t)
	_, err := Build(t.Context(), tiny(), Options{Cache: newCache(t), Rewrite: rewriteHello(`"x" + }`)})
	var compile *CompileError
	if !errors.As(err, &compile) || !strings.Contains(err.Error(), "syntax error") && !strings.Contains(err.Error(), "expected operand") {
		t.Fatalf("Build: %v, want a CompileError", err)
	}
	if log, err := os.ReadFile(compile.Log); err != nil || !strings.Contains(string(log), compile.Complaints[0]) {
		t.Errorf("the log is %q (error %v), want the complaint in it", log, err)
	}
}

func TestGoTooOld(t *testing.T) {
	up := Upstream{GoMod: "module m\n\ngo 1.99\n"}
	err := checkGoVersion(tiny(), Toolchain{Go: "/go", Version: "go1.26.8"}, up)
	if err == nil || !strings.Contains(err.Error(), "1.99") || !strings.Contains(err.Error(), "go1.26.8") {
		t.Errorf("checkGoVersion: %v, want an error with both versions", err)
	}
	if err := (Toolchain{Go: "/go", Version: "go1.20.1", ModCache: "/mod"}).check(); err == nil {
		t.Error("check accepts Go 1.20, want an error")
	}
}

func TestDiskFull(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	p := tiny()
	p.Space = 1 << 60
	_, err := Build(context.Background(), p, Options{Cache: c})
	var space *SpaceError
	if !errors.As(err, &space) {
		t.Fatalf("Build: %v, want a SpaceError", err)
	}
	for _, want := range []string{"not enough disk space to build tiny v1.2.3", c.Root, "apitrace cache clean", CacheEnv} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if got := entries(t, c); len(got) != 1 { // Go's build cache
		t.Errorf("the cache has %+v, want only Go's build cache", got)
	}
}

// A canceller cancels a build when it reports a stage.
type canceller struct {
	at     Stage
	cancel context.CancelFunc
}

func (c canceller) Report(e Event) {
	if e.Stage == c.at {
		c.cancel()
	}
}

func TestInterruptedBuild(t *testing.T) {
	needsBuilds(t)
	for _, stage := range []Stage{StageDownload, StageTidy, StageVendor, StageRewrite, StageCompile, StageLink} {
		c := newCache(t)
		ctx, cancel := context.WithCancel(t.Context())
		o := Options{Cache: c, Rewrite: rewriteHello(`"x"`), Progress: canceller{stage, cancel}}
		if _, err := Build(ctx, tiny(), o); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted at %s: got the error %v, want context.Canceled", stage, err)
		}
		for _, e := range entries(t, c) {
			if !e.Complete {
				t.Errorf("interrupted at %s: %s is not complete, want it removed", stage, e.Dir)
			}
		}
		if _, r := mustBuild(t, tiny(), o); r.notes() != "" {
			t.Errorf("the build after an interruption at %s has the notes %s, want none", stage, r.notes())
		}
	}
}

// TestRaisedDependency checks that a build fails if the go command raised a dependency above
// upstream's version.
func TestRaisedDependency(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\nrequire example.org/dep v0.9.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &build{workspace: dir, upstream: Upstream{GoMod: "module up\n\nrequire example.org/dep v0.9.0\n"}}
	if err := b.checkVersions(); err == nil || !strings.Contains(err.Error(), "v0.9.1") {
		t.Errorf("checkVersions: %v, want an error that names the raised version", err)
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1200: "1.2 kB", 9960: "10 kB", 36e6: "36 MB", 999_400_000: "999 MB", 999_600_000: "1.0 GB", 2.14e9: "2.1 GB",
	} {
		if got := FormatBytes(n); got != want {
			t.Errorf("FormatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func entries(t *testing.T, c *Cache) []Entry {
	t.Helper()
	list, err := c.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestBuildWithCounters checks that a program with coverage counters writes them to $GOCOVERDIR.
// The build differs from the build without counters, and it does not count as traced.
func TestBuildWithCounters(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	counting := rewriteHello(`"counted"`)
	counting.Cover = []string{mainModule}
	b, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: counting})
	entries, err := c.Entries(KindBuild)
	if err != nil || len(entries) != 1 || entries[0].Instrumented || !entries[0].Complete {
		t.Errorf("the cache lists %+v, %v: expected a complete build that is not traced", entries, err)
	}
	counters := t.TempDir()
	t.Setenv("GOCOVERDIR", counters)
	if got := output(t, b); !strings.HasPrefix(got, "counted") {
		t.Errorf("the program says %q", got)
	}
	if written, err := filepath.Glob(filepath.Join(counters, "covcounters.*")); err != nil || len(written) != 1 {
		t.Errorf("%d files with counters, %v: expected one", len(written), err)
	}
	if other, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"counted"`)}); other.Cached || other.Key == b.Key {
		t.Error("the build without counters has the same key or came from the cache, want another build")
	}
}

// TestDebuggableBuild checks that only a debuggable build has data on functions for a debugger.
func TestDebuggableBuild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test reads ELF files only")
	}
	needsBuilds(t)
	c := newCache(t)
	usual, _ := mustBuild(t, tiny(), Options{Cache: c})
	debuggable, _ := mustBuild(t, tiny(), Options{Cache: c, Debuggable: true})
	if got, want := output(t, debuggable), output(t, usual); got != want {
		t.Errorf("the debuggable program says %q, want %q", got, want)
	}
	if knowsFunction(t, usual, "main.main") || !knowsFunction(t, debuggable, "main.main") {
		t.Error("expected data on main.main in the debuggable program, and none in the usual one")
	}
}

// knowsFunction reports whether the binary has a function in its data for a debugger.
func knowsFunction(t *testing.T, b *Binary, name string) bool {
	t.Helper()
	file, err := elf.Open(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		return false
	}
	entries := data.Reader()
	for {
		entry, err := entries.Next()
		if err != nil {
			t.Fatal(err)
		}
		if entry == nil {
			return false
		}
		if entry.Tag == dwarf.TagSubprogram && entry.Val(dwarf.AttrName) == name {
			return true
		}
	}
}

// TestMainFolder checks that a package main with several files and an internal package is built
// in its place in the vendor folder, for a released module and for a user's folder.
func TestMainFolder(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	two := Program{Name: "two", Module: "example.org/two", Version: "v1.0.0", Main: "cmd/two/", Space: 1}
	released, r := mustBuild(t, two, Options{Cache: c})
	if got := output(t, released); got != "two says hello" {
		t.Errorf("the released program says %q", got)
	}
	if last := r.events[len(r.events)-3]; last.Item != "example.org/two/cmd/two" {
		t.Errorf("the last compiled package is %q", last.Item)
	}
	if !exists(filepath.Join(released.Workspace, "vendor/example.org/two/cmd/two", leashFile)) {
		t.Error("the released program has no leash, so it would not end with apitrace")
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "proxy", "two"))))
	must(t, os.Rename(filepath.Join(dir, "go.mod.txt"), filepath.Join(dir, "go.mod")))
	two.Version = ""
	up, err := CopySource(t.Context(), two, Local{Dir: dir, Name: "./two", Release: "v1.0.1", Like: "v1.0.0", Commit: "0", Dirty: true}, Options{Cache: c})
	must(t, err)
	two.Version = up.Version
	local, _ := mustBuild(t, two, Options{Cache: c})
	if got := output(t, local); got != "two says hello" {
		t.Errorf("the program of the folder says %q", got)
	}
	if !exists(filepath.Join(local.Workspace, "vendor/example.org/two/cmd/two", leashFile)) {
		t.Error("the program of the folder has no leash, so it would not end with apitrace")
	}
}

// An expiringContext is canceled after a number of calls of Err.
type expiringContext struct {
	context.Context
	calls int // calls of Err that still return nil
}

func (c *expiringContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledChoice checks that newBuild returns either a build or an error, at whatever
// point its context is canceled.
func TestCancelledChoice(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	for calls := range 20 {
		b, err := newBuild(&expiringContext{t.Context(), calls}, tiny(), Options{Cache: c}, newReporter(nil, tiny()))
		if (b == nil) == (err == nil) {
			t.Errorf("canceled after %d calls of Err: got a build: %v, error %v, want one of both", calls, b != nil, err)
		}
		if b != nil {
			b.release()
		}
	}
}
