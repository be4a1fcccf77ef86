package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestMain lets tests run the test binary as another apitrace process; see play.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_PROGRAM_PART") {
	case "builder":
		os.Exit(playBuilder())
	case "owner":
		os.Exit(playOwner())
	case "exec":
		os.Exit(playExec())
	case "remover":
		os.Exit(playRemover())
	case "sweeper":
		os.Exit(playSweeper())
	}
	status := m.Run()
	if tinyBinary != "" {
		os.RemoveAll(tinyBinary)
	}
	os.Exit(status)
}

// play returns a command that runs the test binary in a role of TestMain.
func play(part string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "TEST_PROGRAM_PART="+part)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestDamagedEntry checks that a damaged entry is made again, and that a note gives the reason.
func TestDamagedEntry(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	for name, test := range map[string]struct {
		damage func(t *testing.T, c *Cache, b *Binary)
		note   string
	}{
		"truncated binary": {func(t *testing.T, _ *Cache, b *Binary) {
			must(t, os.Truncate(b.Path, 1000))
		}, "tiny was changed"},
		"changed binary": {func(t *testing.T, _ *Cache, b *Binary) {
			data, err := os.ReadFile(b.Path)
			must(t, err)
			data[len(data)/2] ^= 1
			must(t, os.WriteFile(b.Path, data, 0o700))
		}, "tiny was changed"},
		"missing binary": {func(t *testing.T, _ *Cache, b *Binary) {
			must(t, os.Remove(b.Path))
		}, "no such file"},
		"unfinished build": {func(t *testing.T, _ *Cache, b *Binary) {
			must(t, os.Remove(filepath.Join(filepath.Dir(b.Path), manifestFile)))
		}, "never finished"},
		"changed checksums": {func(t *testing.T, _ *Cache, b *Binary) {
			must(t, os.WriteFile(filepath.Join(filepath.Dir(b.Path), sumsFile), nil, 0o600))
		}, "list of checksums was changed"},
		"changed source": {func(t *testing.T, c *Cache, b *Binary) {
			must(t, os.WriteFile(filepath.Join(b.Workspace, "vendor/example.org/dep/dep.go"), []byte("package dep\n\nfunc Hello() string { return \"changed\" }\n"), 0o600))
			must(t, os.RemoveAll(filepath.Dir(b.Path)))
		}, "dep.go was changed"},
		"unfinished workspace": {func(t *testing.T, c *Cache, b *Binary) {
			must(t, os.Remove(filepath.Join(b.Workspace, manifestFile)))
			must(t, os.RemoveAll(filepath.Dir(b.Path)))
		}, "never finished"},
		"damaged record of the module": {func(t *testing.T, c *Cache, b *Binary) {
			file, err := c.upstreamFile("example.org/tiny", "v1.2.3")
			must(t, err)
			must(t, os.Truncate(file, 30))
			must(t, os.RemoveAll(filepath.Dir(b.Path)))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := mustBuild(t, tiny(), Options{Cache: c}) // from the previous case, or the first build
			test.damage(t, c, b)
			if test.note != "" {
				verifyFinds(t, c, test.note)
			}
			again, r := mustBuild(t, tiny(), Options{Cache: c})
			if again.Cached || again.Path != b.Path {
				t.Errorf("cached %t, path %s, want a new build in the same place", again.Cached, again.Path)
			}
			if got := r.notes(); !strings.Contains(got, test.note) {
				t.Errorf("the notes are %q, want %q in them", got, test.note)
			}
			if got := output(t, again); !strings.HasPrefix(got, "hello staged") {
				t.Errorf("the program says %q, want hello staged", got)
			}
		})
	}
}

// verifyFinds checks that exactly one entry is damaged, for the given reason.
func verifyFinds(t *testing.T, c *Cache, reason string) {
	t.Helper()
	var found []string
	for _, e := range entries(t, c) {
		if err := c.verify(e); err != nil {
			found = append(found, err.Error())
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], reason) {
		t.Errorf("verify found %q, want one error with %q", found, reason)
	}
}

// TestBinaryWithoutWorkspace checks that a binary is found in the cache without its workspace.
func TestBinaryWithoutWorkspace(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	must(t, os.RemoveAll(b.Workspace))
	again, _ := mustBuild(t, tiny(), Options{Cache: c})
	if !again.Cached {
		t.Error("the program was built again")
	}
}

func TestEntries(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	before := time.Now().Add(-time.Second)
	plain, _ := mustBuild(t, tiny(), Options{Cache: c})
	traced, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"x"`)})
	plain.Release()
	traced.Release()
	list := entries(t, c)
	if len(list) != 4 {
		t.Fatalf("entries %+v, want workspace, two builds and Go's cache", list)
	}
	for i, want := range []Kind{KindWorkspace, KindBuild, KindBuild, KindGoCache} {
		if e := list[i]; e.Kind != want || !e.Complete || want != KindGoCache && (e.Program != "tiny" || e.Version != "v1.2.3" || e.Size == 0 || e.LastUsed.Before(before)) {
			t.Errorf("entry %d is %+v, want a complete %s", i, e, want)
		}
	}
	if list[1].Instrumented == list[2].Instrumented {
		t.Error("Instrumented is the same for both builds, want it set for one of them")
	}
	for _, e := range list {
		must(t, c.Remove(e))
	}
	if left := entries(t, c); len(left) != 0 {
		t.Errorf("after removing all entries, the cache has %+v, want nothing", left)
	}
	if _, err := os.Stat(plain.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking for the removed binary: got the error %v, want that it does not exist", err)
	}
}

func TestRemoveWhileBuilding(t *testing.T) {
	c := newCache(t)
	unlock, err := c.lock(context.Background(), tiny(), newReporter(nil, tiny()))
	must(t, err)
	defer unlock()
	for _, e := range []Entry{
		{Kind: KindGoCache, Name: "gocache", Dir: c.goCache()},
		{Kind: KindBuild, Name: "tiny_v1.2.3_0", Program: "tiny", Version: "v1.2.3", Dir: t.TempDir()},
	} {
		if err := c.Remove(e); err == nil || !strings.Contains(err.Error(), "another apitrace is using it") {
			t.Errorf("removing %s: got %v, want an error that it is in use", e.Name, err)
		}
		if _, err := os.Stat(e.Dir); err != nil {
			t.Errorf("removing %s failed, but its folder is gone", e.Name)
		}
	}
}

// TestLockCanBeInterrupted checks that a build can be canceled while it waits for another.
func TestLockCanBeInterrupted(t *testing.T) {
	c := newCache(t)
	held := flock.New(c.lockFile(programLock("tiny", "v1.2.3")))
	must(t, held.Lock())
	defer held.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r := new(recorder)
	if _, err := c.lock(ctx, tiny(), newReporter(r, tiny())); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock: got the error %v, want context.DeadlineExceeded", err)
	}
	if !strings.Contains(r.notes(), "waiting for another apitrace that is building tiny v1.2.3") {
		t.Errorf("the notes are %q, want the other build in them", r.notes())
	}
}

// TestBuildOfAnotherIsNotDamaged checks that a folder in which another process may be building
// is not called damaged.
func TestBuildOfAnotherIsNotDamaged(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	must(t, os.Remove(filepath.Join(filepath.Dir(b.Path), manifestFile)))
	held := flock.New(c.lockFile(programLock("tiny", "v1.2.3")))
	must(t, held.Lock())
	defer held.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &waiting{cancel: cancel}
	if _, err := Build(ctx, tiny(), Options{Cache: c, Progress: r}); !errors.Is(err, context.Canceled) {
		t.Errorf("Build: got the error %v, want context.Canceled", err)
	}
	if strings.Contains(r.notes(), "damaged") {
		t.Errorf("the notes are %q, want nothing about damage", r.notes())
	}
}

// A waiting recorder cancels a build that waits for another process.
type waiting struct {
	recorder
	cancel func()
}

func (w *waiting) Report(e Event) {
	w.recorder.Report(e)
	if strings.Contains(w.notes(), "waiting for another apitrace") {
		w.cancel()
	}
}

// TestTwoProcesses checks that only one of two processes makes a build that both need. The other
// process waits and gets the same build.
func TestTwoProcesses(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	var commands []*exec.Cmd
	var answers []*bytes.Buffer
	for range 2 {
		cmd, out := play("builder", CacheEnv+"="+c.Root), new(bytes.Buffer)
		cmd.Stdout = out
		must(t, cmd.Start())
		commands, answers = append(commands, cmd), append(answers, out)
	}
	compiled := 0
	for i, cmd := range commands {
		must(t, cmd.Wait())
		var b Binary
		must(t, json.Unmarshal(answers[i].Bytes(), &b))
		if !b.Cached {
			compiled++
		}
		if got := output(t, &b); !strings.HasPrefix(got, "hello staged") {
			t.Errorf("process %d got a program that says %q, want hello staged", i, got)
		}
	}
	if compiled != 1 {
		t.Errorf("%d of 2 processes compiled, want 1", compiled)
	}
}

// playBuilder builds a program and prints the Binary. It keeps no reference to the Binary, but
// the build must stay in use. With TEST_STAY, it then waits to be killed. Otherwise it runs the
// program, which must print TEST_WORD.
func playBuilder() int {
	path, err := buildAndDrop()
	if err == nil && os.Getenv("TEST_STAY") != "" {
		select {}
	}
	if err == nil { // the program is still there, because no process may remove a build in use
		var out []byte
		if out, err = exec.Command(path).CombinedOutput(); err == nil && !strings.Contains(string(out), os.Getenv("TEST_WORD")) {
			err = fmt.Errorf("the program says %q", out)
		}
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

func buildAndDrop() (path string, err error) {
	c, err := OpenCache("")
	if err != nil {
		return "", err
	}
	o := Options{Cache: c}
	if word := os.Getenv("TEST_WORD"); word != "" {
		o.Rewrite = editHello(word)
	}
	b, err := Build(context.Background(), tiny(), o)
	if err != nil {
		return "", err
	}
	path = b.Path
	line, err := json.Marshal(b)
	runtime.GC() // nothing refers to b any more
	fmt.Println(string(line))
	return path, err
}

func TestOpenCache(t *testing.T) {
	t.Setenv(CacheEnv, filepath.Join(t.TempDir(), "new"))
	c, err := OpenCache("")
	must(t, err)
	info, err := os.Stat(c.Root)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the cache folder has mode %v, want 0700", info.Mode())
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := OpenCache(file); err == nil || !strings.Contains(err.Error(), CacheEnv) {
		t.Errorf("a file as cache folder: got %v, want an error that names APITRACE_CACHE", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEntriesKnowTheirSize checks that the files of a complete entry are counted once, until the
// entry is made again. The files of an unfinished entry are counted each time.
func TestEntriesKnowTheirSize(t *testing.T) {
	c := newCache(t)
	dir := c.entryDir(KindWorkspace, tiny(), "0123456789abcdef")
	add := func(name string, bytes int) {
		must(t, os.MkdirAll(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), make([]byte, bytes), 0o600))
	}
	size := func() int64 {
		list, err := c.Entries(KindWorkspace)
		must(t, err)
		if len(list) != 1 {
			t.Fatalf("entries %+v, want one", list)
		}
		return list[0].Size
	}
	add("a", 1000)
	if got := size(); got != 1000 {
		t.Errorf("unfinished: %d bytes, want 1000", got)
	}
	add("b", 1000)
	if got := size(); got != 2000 {
		t.Errorf("unfinished, with a second file: %d bytes, want 2000", got)
	}
	m := manifest{Program: "tiny", Version: "v1.2.3", Key: "0123456789abcdef"}
	must(t, seal(dir, m))
	first := size()
	if first <= 2000 {
		t.Errorf("complete: %d bytes, want the files and the manifest", first)
	}
	add("later", 1000)
	if got := size(); got != first {
		t.Errorf("complete, listed again: %d bytes, want %d without counting", got, first)
	}
	if _, err := check(dir, m.Key, everyFile); err != nil {
		t.Errorf("after its size was recorded, the entry counts as damaged: %v", err)
	}

	// The recorded size of an earlier entry in the same folder does not count.
	file := filepath.Join(dir, sizeFile)
	old, err := os.ReadFile(file)
	must(t, err)
	must(t, removeEntry(dir))
	add("a", 10)
	must(t, seal(dir, m))
	must(t, os.WriteFile(file, old, 0o600))
	if got := size(); got >= first {
		t.Errorf("made again with a small file: %d bytes, want fewer than %d", got, first)
	}
}

// TestCacheDamagedAnywhere checks that the next build makes the same program after a byte of the
// cache has changed.
func TestCacheDamagedAnywhere(t *testing.T) { damageCache(t, 4) }

// TestSlowCacheDamagedAnywhere damages more bytes.
func TestSlowCacheDamagedAnywhere(t *testing.T) {
	testenv.Slow(t)
	damageCache(t, 50)
}

// damageCache changes a random byte of the cache and builds again, several times.
func damageCache(t *testing.T, times int) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	want, err := os.ReadFile(b.Path)
	must(t, err)
	for range times {
		folder := []string{filepath.Dir(b.Path), b.Workspace}[rand.IntN(2)]
		var files []string
		must(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if info, infoErr := os.Stat(path); infoErr == nil && info.Mode().IsRegular() && info.Size() > 0 {
				files = append(files, path)
			}
			return err
		}))
		file := files[rand.IntN(len(files))]
		data, err := os.ReadFile(file)
		must(t, err)
		at := rand.IntN(len(data))
		data[at] ^= byte(1 + rand.IntN(255))
		must(t, os.WriteFile(file, data, 0o700))
		if folder == b.Workspace { // the workspace is only read for a new build
			must(t, os.RemoveAll(filepath.Dir(b.Path)))
		}
		again, err := Build(t.Context(), tiny(), Options{Cache: c})
		if err != nil {
			t.Fatalf("byte %d of %s is damaged: %v", at, file, err)
		}
		got, err := os.ReadFile(again.Path)
		must(t, err)
		if again.Path != b.Path || !bytes.Equal(got, want) {
			t.Fatalf("byte %d of %s is damaged: another program was built, %s, that says %q", at, file, again.Path, output(t, again))
		}
	}
}
