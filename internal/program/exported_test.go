package program

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/zstd"
)

// anotherMachine returns an empty cache without a link to the developer's Go build cache.
func anotherMachine(t *testing.T) *Cache {
	t.Helper()
	c, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustExport(t *testing.T, c *Cache, what ExportedProgram) []byte {
	t.Helper()
	var out bytes.Buffer
	size, err := c.Export(context.Background(), &out, what)
	if err != nil {
		t.Fatal(err)
	}
	if size < int64(out.Len()) {
		t.Errorf("Export returned %d bytes before compression, and wrote %d: want fewer after compression", size, out.Len())
	}
	return out.Bytes()
}

// TestExportRunsWithoutGo checks that an exported build runs on a machine without network and
// without Go.
func TestExportRunsWithoutGo(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	rewrite := rewriteHello(`"traced"`)
	mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewrite})
	export := mustExport(t, c, ExportedProgram{Program: tiny(), Options: Options{Rewrite: rewrite}})
	there := anotherMachine(t)
	t.Setenv("GOPROXY", "off")
	withoutGo(t)
	for _, had := range []bool{false, true} {
		taken, err := there.Import(context.Background(), bytes.NewReader(export))
		if err != nil {
			t.Fatal(err)
		}
		if len(taken) != 1 || taken[0].Program != "tiny" || taken[0].Version != "v1.2.3" || taken[0].Existed != had {
			t.Errorf("Import: got %+v, expected one build with Existed %t", taken, had)
		}
	}
	b, r := mustBuild(t, tiny(), Options{Cache: there, Rewrite: rewrite})
	if got := output(t, b); !strings.HasPrefix(got, "traced") || r.stages() != "resolve done" {
		t.Errorf("the program says %q after the stages %q, want the exported build from the cache", got, r.stages())
	}
	if left, _ := filepath.Glob(filepath.Join(there.Root, "import-*")); len(left) > 0 {
		t.Errorf("after Import, these folders are left: %q", left)
	}
	entries, err := there.Entries()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := there.verify(e); err != nil {
			t.Error(err)
		}
	}
}

// TestExportBuildsWithoutNetwork checks that a machine with an export for rebuilding builds a
// changed program without a network. It compiles only the packages that the change affects.
func TestExportBuildsWithoutNetwork(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	rewrite := rewriteHello(`"traced"`)
	mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewrite})
	export := mustExport(t, c, ExportedProgram{Program: tiny(), Options: Options{Rewrite: rewrite}, Rebuild: true})
	there := anotherMachine(t)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	if _, err := there.Import(context.Background(), bytes.NewReader(export)); err != nil {
		t.Fatal(err)
	}
	b, r := mustBuild(t, tiny(), Options{Cache: there, Rewrite: rewriteHello(`"changed"`)})
	if got := output(t, b); !strings.HasPrefix(got, "changed") {
		t.Errorf("the program says %q", got)
	}
	if got, want := r.stages(), "resolve rewrite compile link done"; got != want {
		t.Errorf("stages %q, want %q", got, want)
	}
	for _, e := range r.events { // the two packages of the rewrite, and package main; the standard library is in the export
		if e.Stage == StageCompile && e.Total > 3 {
			t.Fatalf("%d packages were compiled, want at most 3", e.Total)
		}
	}
}

// A stopper is a Progress that calls stop at the first note.
type stopper struct {
	recorder
	stop func()
}

func (s *stopper) Report(e Event) {
	s.recorder.Report(e)
	if !e.Note.IsZero() {
		s.stop()
	}
}

// TestExportTellsWhatItWaitsFor checks that an export that waits for another build reports a note.
func TestExportTellsWhatItWaitsFor(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	mustBuild(t, tiny(), Options{Cache: c})
	held := flock.New(c.lockFile(programLock("tiny", "v1.2.3")))
	must(t, held.Lock())
	defer held.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	to := &stopper{stop: stop}
	if _, err := c.Export(ctx, new(bytes.Buffer), ExportedProgram{Program: tiny(), Options: Options{Progress: to}, Rebuild: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("Export: got the error %v, want context.Canceled", err)
	}
	if !strings.Contains(to.notes(), "waiting for another apitrace that is building tiny v1.2.3") {
		t.Errorf("the notes are %q, want the other build in them", to.notes())
	}
}

// TestExportNeedsBuild checks that a program without a build cannot be exported, and that an
// export names no folder of this machine.
func TestExportNeedsBuild(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	if _, err := c.Export(context.Background(), new(bytes.Buffer), ExportedProgram{Program: tiny()}); err == nil || !strings.Contains(err.Error(), "not in the cache") {
		t.Errorf("exporting a program without a build: got %v, want an error", err)
	}
	rewrite := rewriteHello(`"traced"`)
	mustBuild(t, tiny(), Options{Cache: c, Rewrite: rewrite})
	reader, err := zstd.NewReader(bytes.NewReader(mustExport(t, c, ExportedProgram{Program: tiny(), Options: Options{Rewrite: rewrite}})))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var text bytes.Buffer
	if _, err := reader.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text.Bytes(), []byte(c.Root)) {
		t.Errorf("the export contains %s, want no folder of this machine", c.Root)
	}
}

// packed returns an export with an index and files that need not match.
func packed(t *testing.T, index exportIndex, written ...exportedFile) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed, err := zstd.NewWriter(&out)
	must(t, err)
	archive := tar.NewWriter(compressed)
	text, err := json.Marshal(index)
	must(t, err)
	must(t, writeEntry(archive, indexPrefix+hash(text)+indexSuffix, int64(len(text)), bytes.NewReader(text)))
	for _, f := range written {
		must(t, writeEntry(archive, f.Path, int64(len(f.data)), bytes.NewReader(f.data)))
	}
	must(t, archive.Close())
	must(t, compressed.Close())
	return out.Bytes()
}

// TestImportRefuses checks that a damaged or hostile export, or an export for another platform, is
// rejected and leaves nothing behind.
func TestImportRefuses(t *testing.T) {
	file := func(path, text string) exportedFile {
		return exportedFile{Path: path, Size: int64(len(text)), Sum: hash([]byte(text)), data: []byte(text)}
	}
	good := file("modules/a@v1.json", "{}")
	here := exportIndex{Format: exportFormat, OS: runtime.GOOS, Arch: runtime.GOARCH, Files: []exportedFile{good}}
	with := func(change func(*exportIndex)) exportIndex {
		index := here
		change(&index)
		return index
	}
	whole := packed(t, here, good)
	for name, test := range map[string]struct {
		export []byte
		want   string
	}{
		"another platform": {packed(t, with(func(x *exportIndex) { x.Arch = "s390x" }), good), "the export is for " + runtime.GOOS + "/s390x"},
		"another format":   {packed(t, with(func(x *exportIndex) { x.Format = 99 }), good), "format 99"},
		"changed file":     {packed(t, here, file("modules/a@v1.json", "[]")), "was changed"},
		"missing file":     {packed(t, here), "the export is damaged"},
		"another file":     {packed(t, here, good, file("modules/b@v1.json", "{}")), "more files than its index"},
		"cut":              {whole[:len(whole)-20], "unexpected EOF"},
		"no export":        {[]byte("hello"), "this is not an export"},
		"empty":            {nil, "this is not an export"},
		"outside":          {packed(t, with(func(x *exportIndex) { x.Files = []exportedFile{file("modules/../../evil.json", "")} })), "unexpected file"},
		"absolute":         {packed(t, with(func(x *exportIndex) { x.Files = []exportedFile{file("/etc/evil.json", "")} })), "unexpected file"},
		"a lock":           {packed(t, with(func(x *exportIndex) { x.Files = []exportedFile{file("locks/gocache.lock", "")} })), "unexpected file"},
		"too large":        {packed(t, with(func(x *exportIndex) { x.Files = []exportedFile{{Path: "modules/a@v1.json", Size: maxFileSize}} })), "not enough disk space"},
	} {
		t.Run(name, func(t *testing.T) {
			c := anotherMachine(t)
			if _, err := c.Import(context.Background(), bytes.NewReader(test.export)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, expected %q", err, test.want)
			}
			err := filepath.WalkDir(c.Root, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					t.Errorf("after the rejected import, %s exists", path)
				}
				return err
			})
			must(t, err)
		})
	}
	if _, err := anotherMachine(t).Import(context.Background(), bytes.NewReader(whole)); err != nil {
		t.Errorf("importing the undamaged export: got the error %v, expected none", err)
	}
}
