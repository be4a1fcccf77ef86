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
	// The program has three packages of its own. Packages of the standard library are added
	// if the build cache lacked them at the time of counting. Another test may have compiled
	// them since.
	if last := r.events[len(r.events)-3]; last.Stage != StageCompile || last.Item != mainModule || last.Done < 3 || last.Done > last.Total {
		t.Errorf("the last compiled package was reported as %+v", last)
	}

	again, r := mustBuild(t, tiny(), Options{Cache: c})
	if !again.Cached || again.Path != b.Path || r.stages() != "resolve done" {
		t.Errorf("the second build: cached %t, stages %q", again.Cached, r.stages())
	}
}

// The debug log shows the commands of a build, and the reason for the build.
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

// Once the modules are in the module cache, a build needs nothing else.
func TestBuildWithoutNetwork(t *testing.T) {
	needsBuilds(t)
	mustBuild(t, tiny(), Options{Cache: newCache(t)})
	t.Setenv("GOPROXY", "off")
	b, _ := mustBuild(t, tiny(), Options{Cache: newCache(t)})
	if got := output(t, b); !strings.HasPrefix(got, "hello") {
		t.Errorf("the program says %q", got)
	}
}

// rewriteHello replaces a vendored file and adds a package of the main module, which that
// file imports.
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
		t.Errorf("stages %q, want %q: the workspace serves both builds", got, want)
	}
	if rewritten.Summary != "1 function in 1 file" {
		t.Errorf("summary %q", rewritten.Summary)
	}
	if got := output(t, plain); !strings.HasPrefix(got, "hello") {
		t.Errorf("the plain program now says %q", got)
	}
	other, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"other"`)})
	if got := output(t, other); other.Key == rewritten.Key || !strings.HasPrefix(got, "other") {
		t.Errorf("another rewriting gave the program that says %q", got)
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
		t.Errorf("the error does not say what was wrong: %v", err)
	}
	info, statErr := os.Stat(compile.Log)
	if statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v", info, statErr)
	}
	for _, e := range entries(t, c) {
		if e.Kind == KindBuild && e.Complete {
			t.Errorf("the failed build is in the cache as complete: %+v", e)
		}
	}
	said := &recorder{}
	if _, err := Build(context.Background(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`undefinedName`), Progress: said}); !errors.As(err, &compile) || said.notes() != "" {
		t.Errorf("once more: %v, and it says %q", err, said.notes())
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
		t.Errorf("Build: %v, want an error that speaks of the network", err)
	}
}

func TestNoGo(t *testing.T) {
	c := newCache(t)
	t.Setenv("PATH", t.TempDir())
	_, err := Build(context.Background(), tiny(), Options{Cache: c})
	if err == nil || !strings.Contains(err.Error(), "no Go toolchain") || !strings.Contains(err.Error(), "https://go.dev/dl") {
		t.Errorf("Build: %v, want one that says where to get Go", err)
	}
}

// withoutGo removes the Go toolchain from PATH.
func withoutGo(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", "")
	t.Setenv("GOROOT", "")
	if _, err := FindToolchain(t.Context()); err == nil {
		t.Fatal("there is a Go toolchain even so")
	}
}

// A cached build needs no Go, for any Go version that built it.
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
			t.Errorf("without Go it is %+v, want %+v from the cache", b, test.want)
		}
		if key, err := Key(t.Context(), tiny(), o); err != nil || key != test.want.Key {
			t.Errorf("its key is %q, %v, want %q", key, err, test.want.Key)
		}
		if plan, err := MakePlan(t.Context(), tiny(), o); err != nil || !plan.Cached || plan.Binary != test.want.Path || len(plan.Commands) > 0 {
			t.Errorf("its plan is %+v, %v, want that there is nothing to do", plan, err)
		}
	}
	if plan, err := MakePlan(t.Context(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`"y"`)}); err != nil || plan.Cached || plan.NoGo == nil || !plan.HasWorkspace {
		t.Errorf("the plan of what was never built: %+v, %v", plan, err)
	}
	if vendor, err := SourceTree(t.Context(), tiny(), Options{Cache: c}); err != nil || vendor != filepath.Join(plain.Workspace, "vendor") {
		t.Errorf("its source is %q, %v", vendor, err)
	}

	_, err := Build(t.Context(), tiny(), Options{Cache: c, Rewrite: rewriteHello(`"y"`)})
	if !errors.As(err, new(*NeedsGoError)) {
		t.Fatalf("what was never built: %v", err)
	}
	for _, want := range []string{"tiny v1.2.3 must be compiled", c.Root, "no Go toolchain", "https://go.dev/dl"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	must(t, os.Truncate(plain.Path, 1000))
	if _, err := Build(t.Context(), tiny(), Options{Cache: c}); !errors.As(err, new(*NeedsGoError)) {
		t.Errorf("a damaged build: %v", err)
	}
}

// Every operation needs a folder for temporary files. If it is missing, the error says so before
// something else fails.
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

// The go command finds an unparsable file before it compiles.
func TestSyntaxErrorIsCompileError(t *testing.T) {
	serveModules(t)
	_, err := Build(t.Context(), tiny(), Options{Cache: newCache(t), Rewrite: rewriteHello(`"x" + }`)})
	var compile *CompileError
	if !errors.As(err, &compile) || !strings.Contains(err.Error(), "syntax error") && !strings.Contains(err.Error(), "expected operand") {
		t.Fatalf("Build: %v, want a CompileError", err)
	}
	if log, err := os.ReadFile(compile.Log); err != nil || !strings.Contains(string(log), compile.Complaints[0]) {
		t.Errorf("the log has %q, %v", log, err)
	}
}

func TestGoTooOld(t *testing.T) {
	up := Upstream{GoMod: "module m\n\ngo 1.99\n"}
	err := checkGoVersion(tiny(), Toolchain{Go: "/go", Version: "go1.26.8"}, up)
	if err == nil || !strings.Contains(err.Error(), "1.99") || !strings.Contains(err.Error(), "go1.26.8") {
		t.Errorf("checkGoVersion: %v, want an error with both versions", err)
	}
	if err := (Toolchain{Go: "/go", Version: "go1.20.1", ModCache: "/mod"}).check(); err == nil {
		t.Error("Go 1.20 was accepted")
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
		t.Errorf("something half-done was left: %+v", got)
	}
}

// A canceller interrupts a build at a stage, like Ctrl-C.
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
			t.Errorf("interrupted at %s: %v", stage, err)
		}
		for _, e := range entries(t, c) {
			if !e.Complete {
				t.Errorf("interrupted at %s: %s is half-done", stage, e.Dir)
			}
		}
		if _, r := mustBuild(t, tiny(), o); r.notes() != "" {
			t.Errorf("after an interruption at %s: %s", stage, r.notes())
		}
	}
}

// If the go command raises a dependency above upstream's version, the build fails instead of
// making another program.
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

// A build with coverage counters writes them to the given place. It differs from the build
// without counters, and it does not count as traced.
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
		t.Error("the build without counters is the same one")
	}
}

// A debuggable build tells a debugger where a function is. The usual build does not.
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

// A package main with several files and an internal package is built in its place in the vendor
// tree. This holds for a released module and for a folder.
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
		t.Error("the program does not end with apitrace: it has no leash")
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
		t.Error("the program of the folder has no leash")
	}
}

// An expiringContext is cancelled after so many calls of Err.
type expiringContext struct {
	context.Context
	looks int
}

func (c *expiringContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledChoice checks that newBuild returns a build or an error, whenever the user
// cancels it.
func TestCancelledChoice(t *testing.T) {
	serveModules(t)
	c := newCache(t)
	for looks := range 20 {
		b, err := newBuild(&expiringContext{t.Context(), looks}, tiny(), Options{Cache: c}, newReporter(nil, tiny()))
		if (b == nil) == (err == nil) {
			t.Errorf("cancelled at look %d: build %v, error %v", looks, b != nil, err)
		}
		if b != nil {
			b.release()
		}
	}
}
