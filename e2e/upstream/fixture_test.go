package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestDifferencesAreFound compares the three forms of the tests of a small module. One of
// the tests ends differently when it is traced.
func TestDifferencesAreFound(t *testing.T) {
	testenv.NeedsServer(t)
	workspace := t.TempDir()
	write(t, filepath.Join(workspace, "go.mod"), []byte("module github.com/kubeapitrace/apitrace\n\ngo 1.26\n\nrequire (\n\told.test v1.0.0\n\tupstream.test v1.0.0\n)\n"))
	write(t, filepath.Join(workspace, "go.sum"), nil)
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]string{"upstream.test": filepath.Join(testdata, "module"), "old.test": filepath.Join(testdata, "old")}
	guide := &instrument.Guide{Programs: map[string]*instrument.ProgramGuide{"tests": {Packages: []instrument.Packages{{Path: "upstream.test", Recursive: true}}}}}
	from := newTreeOf(t, instrument.Options{Guide: guide, Program: "tests", Version: "v1.0.0"}, workspace, modules)

	differences, checked := from.compare(t, []string{"upstream.test/calm", "upstream.test/watchful"})
	want := []string{"traced: upstream.test/watchful TestNobodyListens: pristine: pass, now: fail"}
	if !slices.Equal(differences, want) {
		t.Errorf("differences: %q, expected %q", differences, want)
	}
	if checked == 0 {
		t.Error("no call was compared with the stack")
	}
	for _, r := range from.reports(t) {
		if !r.Ended {
			t.Errorf("%s: the report was read before the last test ended", r.Package)
		}
	}
}

// TestLinesStay checks that insertions into a test move no line.
func TestLinesStay(t *testing.T) {
	source, err := filepath.Abs("testdata/module")
	if err != nil {
		t.Fatal(err)
	}
	changed := rootTests(t, source, []string{filepath.Join(source, "calm", "calm.go")}, t.TempDir())
	for file, now := range changed {
		before, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // an added helper file
		}
		after, readErr := os.ReadFile(now)
		if err != nil || readErr != nil {
			t.Fatal(err, readErr)
		}
		lines := strings.Split(string(after), "\n")
		for i, line := range strings.Split(string(before), "\n") {
			if strings.HasPrefix(line, "func ") && !strings.HasPrefix(lines[i], line[:strings.Index(line, "{")+1]) {
				t.Errorf("%s:%d: %q, expected %q", file, i+1, lines[i], line)
			}
		}
	}
	if len(changed) != 4 { // two test files, and a helper for each of their packages
		t.Errorf("got %d changed files, expected 4: %v", len(changed), changed)
	}
}
