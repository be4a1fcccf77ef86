package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// editHello is like rewriteHello, but marks the rewrite as a user's edit of
// example.org/dep/dep.go.
func editHello(word string) *Rewrite {
	r := rewriteHello(fmt.Sprintf("%q", word))
	r.Edits = []string{"example.org/dep/dep.go"}
	return r
}

// built lists the names of the builds in a cache, sorted.
func built(t *testing.T, c *Cache) (names []string) {
	t.Helper()
	list, err := c.Entries(KindBuild)
	must(t, err)
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

func nameOf(b *Binary) string { return filepath.Base(filepath.Dir(b.Path)) }

// usedAgo sets the time of an entry's last use.
func usedAgo(t *testing.T, dir string, ago time.Duration) {
	t.Helper()
	then := time.Now().Add(-ago)
	must(t, os.Chtimes(filepath.Join(dir, manifestFile), then, then))
}

// TestOldEditedBuildsAreRemoved checks that only the newest maxEdited builds with edits or
// with more traced packages stay. A build without either stays even if it is older. A
// failed build leaves its log until the next build fails.
func TestOldEditedBuildsAreRemoved(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	plain, _ := mustBuild(t, tiny(), Options{Cache: c})
	usedAgo(t, filepath.Dir(plain.Path), 240*time.Hour)
	var edited []*Binary
	for i := range maxEdited + 2 {
		rewrite := editHello(fmt.Sprint("word", i))
		if i%2 == 1 { // a build with more packages counts, too
			rewrite.Edits, rewrite.More = nil, []string{"example.org/dep"}
		}
		b, r := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewrite})
		b.Release()
		edited = append(edited, b)
		usedAgo(t, filepath.Dir(b.Path), time.Duration(100-i)*time.Hour)
		if removed := strings.Contains(r.notes(), "removed from the cache"); removed != (i >= maxEdited) {
			t.Errorf("build %d has the notes %q, expected a removal in them only from build %d on", i, r.notes(), maxEdited)
		}
	}
	for i, b := range edited {
		if kept := exists(b.Path); kept != (i >= 2) {
			t.Errorf("build %d (from 0) of %d with edits or more packages exists: %t, expected the opposite", i, len(edited), kept)
		}
	}
	if !exists(plain.Path) {
		t.Error("the build without edits is gone")
	}
	list, err := c.Entries(KindBuild)
	must(t, err)
	for _, e := range list {
		marks := fmt.Sprint(e.Edited, e.Edits, e.More)
		switch own := e.Dir != filepath.Dir(plain.Path); {
		case own && marks != "true [example.org/dep/dep.go] []" && marks != "false [] [example.org/dep]":
			t.Errorf("%s has the marks %s: expected either one edit, or one more package", e.Name, marks)
		case !own && marks != "false [] []":
			t.Errorf("the build without edits is marked: %s", marks)
		}
	}

	var logs []string
	for _, word := range []string{"undefined1", "undefined2"} {
		r := rewriteHello(word)
		r.Edits = []string{"example.org/dep/dep.go"}
		_, err := Build(t.Context(), tiny(), Options{Cache: c, Rewrite: r})
		var compile *CompileError
		if !errors.As(err, &compile) {
			t.Fatal(err)
		}
		logs = append(logs, compile.Log)
	}
	if exists(logs[0]) || !exists(logs[1]) {
		t.Errorf("the log of the first failed build exists: %t, want false; the log of the last one exists: %t, want true", exists(logs[0]), exists(logs[1]))
	}
}

// TestDropEdited checks that DropEdited removes the builds with the reverted edit, and
// builds that did not compile. It keeps builds with other edits or none. If a build is in
// use, the first Trim after its use removes it.
func TestDropEdited(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	plain, _ := mustBuild(t, tiny(), Options{Cache: c})
	ours, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: editHello("ours")})
	ours.Release()
	other := editHello("other")
	other.Edits = []string{"example.org/dep/other.go"}
	theirs, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: other})
	theirs.Release()
	used, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: editHello("used")})
	_, err := Build(t.Context(), tiny(), Options{Cache: c, Rewrite: rewriteHello("undefined")})
	var compile *CompileError
	if !errors.As(err, &compile) || !exists(compile.Log) {
		t.Fatalf("a build that does not compile: its log exists: %t; error: %v, expected a CompileError with a log", compile != nil && exists(compile.Log), err)
	}
	must(t, c.DropEdited("tiny", "v1.2.3", "example.org/dep/dep.go"))
	if exists(filepath.Dir(compile.Log)) {
		t.Error("the folder of the build that did not compile still exists")
	}
	if !exists(used.Path) {
		t.Error("a build in use was dropped")
	}
	used.Release()
	_, err = c.Trim(t.Context(), 0, false)
	must(t, err)
	if exists(used.Path) {
		t.Error("the dropped build still exists after its use has ended and Trim has run")
	}
	if exists(filepath.Dir(ours.Path)) || !exists(theirs.Path) || !exists(plain.Path) {
		t.Errorf("the build with the edit exists: %t, want false; the build with another edit: %t, want true; the build without edits: %t, want true", exists(ours.Path), exists(theirs.Path), exists(plain.Path))
	}
}

// TestBound checks that Trim removes the least recently used entries first, and no more than
// necessary.
func TestBound(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	goCache := ownGoCache(t, c)
	old, _ := mustBuild(t, tiny(), Options{Cache: c})
	older, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"older"`)})
	for _, b := range []*Binary{old, older} {
		b.Release()
	}
	goCache("old", 6*time.Hour)
	goCache("new", 0)
	usedAgo(t, filepath.Dir(old.Path), 5*time.Hour)
	usedAgo(t, filepath.Dir(older.Path), 7*time.Hour)
	usedAgo(t, old.Workspace, 4*time.Hour)
	var total int64
	var size = map[string]int64{}
	for _, e := range entries(t, c) {
		total += e.Size
		size[e.Name] = e.Size
	}
	building := flock.New(c.lockFile(goCacheLock))
	must(t, building.RLock())
	trimmed, err := c.Trim(t.Context(), total-size[nameOf(older)]-1, true)
	must(t, err)
	must(t, building.Close())
	if len(trimmed.Entries) != 1 || trimmed.Entries[0].Name != nameOf(older) || trimmed.GoCache != 0 {
		t.Errorf("a dry run of Trim during another build gave %+v: expected only the older build, and nothing from Go's cache", trimmed)
	}
	// They are removed in this order: the older build, the old file, the old build, the workspace.
	for i, step := range []struct {
		gone string
		max  int64
	}{
		{"nothing", total},
		{"the older build", total - 1},
		{"the old file as well", total - size[nameOf(older)] - 1},
		{"the old build as well", total - size[nameOf(older)] - goFileSize - 1},
	} {
		for _, dryRun := range []bool{true, false} {
			before := fmt.Sprint(built(t, c))
			trimmed, err := c.Trim(t.Context(), step.max, dryRun)
			must(t, err)
			if trimmed.Left > step.max || dryRun && fmt.Sprint(built(t, c)) != before {
				t.Errorf("%s: %d bytes are left of %d; dry run: %t", step.gone, trimmed.Left, step.max, dryRun)
			}
		}
		for number, path := range []string{older.Path, goCache("old", -1), old.Path, old.Workspace} {
			if there := exists(path); there != (number >= i) {
				t.Errorf("after the step that removes %s, %s exists: %t, expected the opposite", step.gone, path, there)
			}
		}
	}
	if !exists(goCache("new", -1)) {
		t.Error("the new file of Go's cache is gone")
	}
}

const goFileSize = 1000

// ownGoCache returns a function that makes a file in the test's own Go build cache and
// returns the file's path. The first such call replaces the link to the developer's Go
// cache by a folder. ago is how long ago the file was used. If ago is negative, the
// function makes no file and only returns the path.
func ownGoCache(t *testing.T, c *Cache) func(name string, ago time.Duration) string {
	t.Helper()
	dir := c.goCache()
	target, err := os.Readlink(dir)
	must(t, err)
	return func(name string, ago time.Duration) string {
		path := filepath.Join(dir, "00", name)
		if ago < 0 {
			return path
		}
		if link, err := os.Readlink(dir); err == nil && link == target {
			must(t, os.Remove(dir))
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, make([]byte, goFileSize), 0o600))
		then := time.Now().Add(-ago)
		must(t, os.Chtimes(path, then, then))
		return path
	}
}

// TestInUse checks that Trim keeps a build while a process uses it, however small the
// maximum size is. After the process has ended, even if it was killed, Trim removes it.
func TestInUse(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	newRunDir(t) // sets TMPDIR
	user := play("builder", CacheEnv+"="+c.Root, "TEST_STAY=1")
	line := firstLine(t, user)
	var b Binary
	must(t, json.Unmarshal([]byte(line), &b))
	inUse := func() (in bool) {
		for _, e := range entries(t, c) {
			in = in || e.InUse()
		}
		return in
	}
	trim := func() {
		t.Helper()
		_, err := c.Trim(t.Context(), 1, false)
		must(t, err)
	}
	if trim(); !exists(b.Path) || !inUse() {
		t.Fatal("a build that is about to be run was removed")
	}
	// A running server keeps the build as well.
	server := play("owner", "TEST_BINARY="+b.Path, "TEST_OUTSIDE="+filepath.Join(t.TempDir(), "file"))
	firstLine(t, server)
	must(t, user.Process.Kill())
	user.Wait()
	if trim(); !exists(b.Path) || !inUse() {
		t.Fatal("a build that a server runs was removed")
	}
	for _, e := range entries(t, c) {
		var use *inUseError
		if err := c.Remove(e); e.Kind == KindBuild && (!errors.As(err, &use) || use.Building) {
			t.Errorf("removing a build that a server runs: got error %v, expected an inUseError without Building", err)
		}
	}
	must(t, server.Process.Kill())
	server.Wait()
	testenv.Await(t, "no process uses the build", func() bool { return !inUse() })
	if trim(); exists(filepath.Dir(b.Path)) {
		t.Error("a build that nobody uses was not removed")
	}
}

// firstLine starts a command and returns its first line of output.
func firstLine(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line)
}

// TestBuildersWithoutRoom checks that processes that build at the same time all get their program,
// even if the maximum size of the cache is smaller than each program.
func TestBuildersWithoutRoom(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	mustBuild(t, tiny(), Options{Cache: c})
	var commands []*exec.Cmd
	for i := range 6 {
		cmd := play("builder", CacheEnv+"="+c.Root, MaxEnv+"=1kB", fmt.Sprintf("TEST_WORD=word%d", i%4))
		must(t, cmd.Start())
		commands = append(commands, cmd)
	}
	for i, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
}

// TestLeftoversAreRemoved checks that the next build of any program removes the leftovers of killed
// builds and removals, but no folders of the user.
func TestLeftoversAreRemoved(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	b.Release()
	must(t, os.Remove(filepath.Join(filepath.Dir(b.Path), manifestFile))) // a removal begins like this
	must(t, os.RemoveAll(filepath.Join(b.Workspace, manifestFile)))
	theirs := filepath.Join(c.kindDir(KindBuild), "mine")
	must(t, os.Mkdir(theirs, 0o700))
	killed := c.entryDir(KindBuild, Program{Name: "other", Version: "v1.0.0"}, "0123456789abc")
	must(t, os.MkdirAll(filepath.Join(killed, overlayDir), 0o700))
	other, _ := mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewriteHello(`"x"`)})
	if exists(filepath.Dir(b.Path)) || exists(killed) || !exists(other.Path) || !exists(theirs) {
		t.Errorf("the builds are %q, expected only the new build and the folder mine", built(t, c))
	}
	again, _ := mustBuild(t, tiny(), Options{Cache: c})
	if again.Cached || again.Path != b.Path {
		t.Errorf("building again after an interrupted removal gave %+v: expected a new build at %s", again, b.Path)
	}
}

// TestKilledRemoval checks that a killed removal leaves no entry that counts as complete.
func TestKilledRemoval(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, tiny(), Options{Cache: c})
	b.Release()
	for i := range 2000 { // so that the removal takes a while
		must(t, os.WriteFile(filepath.Join(filepath.Dir(b.Path), overlayDir, fmt.Sprint(i)), nil, 0o600))
	}
	remover := play("remover", CacheEnv+"="+c.Root)
	must(t, remover.Start())
	testenv.Await(t, "the removal has begun", func() bool { return !isEntry(filepath.Dir(b.Path)) })
	must(t, remover.Process.Signal(syscall.SIGKILL))
	remover.Wait()
	again, _ := mustBuild(t, tiny(), Options{Cache: c})
	if again.Cached || !strings.HasPrefix(output(t, again), "hello staged") {
		t.Errorf("building again after a killed removal gave %+v: expected a new build that prints \"hello staged\"", again)
	}
}

// playRemover removes all builds.
func playRemover() int {
	c, err := OpenCache("")
	if err == nil {
		_, err = c.Trim(context.Background(), 1, false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "17": 17, "17B": 17, "500MB": 500e6, "1.5 GB": 1.5e9, "8G": 8e9, "8GiB": 8 << 30, "2kB": 2000, "2KB": 2000, "1TB": 1e12,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "10 apples", "1iB", "1e9", "99999999TB"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", text, got)
		}
	}
	t.Setenv(MaxEnv, "much")
	if _, err := OpenCache(t.TempDir()); err == nil || !strings.Contains(err.Error(), MaxEnv) || !strings.Contains(err.Error(), "10GB") {
		t.Errorf("%s=much: got error %v, expected one that names the variable and an example (10GB)", MaxEnv, err)
	}
}
