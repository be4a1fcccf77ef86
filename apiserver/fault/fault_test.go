package fault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestFaults checks that each fault has a scenario and keeps the number of lines.
// So the line numbers in its recording also fit upstream's source.
func TestFaults(t *testing.T) {
	all, err := List()
	if err != nil || len(all) < 10 {
		t.Fatalf("got %d faults and the error %v, expected at least 10 faults", len(all), err)
	}
	for _, f := range all {
		if _, err := scenarios.Find(f.Scenario); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, file := range f.files {
			for _, part := range file.TextFragments {
				if part.LinesAdded != part.LinesDeleted || part.LinesAdded == 0 {
					t.Errorf("%s adds %d lines and removes %d in one place, expected the same number and not 0", f.Name, part.LinesAdded, part.LinesDeleted)
				}
			}
		}
	}
}

// TestApply applies each fault to the source of the default release, if this machine
// has it.
func TestApply(t *testing.T) {
	dir, err := apiserver.CachedTreeOf(apiserver.Name, apiserver.DefaultVersion, nil)
	if errors.Is(err, program.ErrNoSource) {
		t.Skip("the source is not on this machine")
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		for _, name := range f.Files() {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := f.Apply(name, text)
			if err != nil {
				t.Error(err)
			} else if bytes.Equal(changed, text) || bytes.Count(changed, []byte("\n")) != bytes.Count(text, []byte("\n")) {
				t.Errorf("%s: %s has %d bytes, %d before: expected another text with as many lines", f.Name, name, len(changed), len(text))
			}
			if _, err := f.Apply(name, changed); err == nil {
				t.Errorf("applying %s to %s a second time: got no error, expected one", f.Name, name)
			}
		}
	}
}

func TestParse(t *testing.T) {
	const diff = "--- p/q.go\n+++ p/q.go\n@@ -1 +1 @@\n-a\n+b\n"
	f, err := parse("x", "Scenario: get-node\nWarmup: none\n\n"+diff)
	if err != nil || f.Scenario != "get-node" || !f.Cold || f.Diff != diff {
		t.Errorf("parse returned %+v, %v", f, err)
	}
	if got, err := f.Apply("p/q.go", []byte("a\n")); err != nil || string(got) != "b\n" {
		t.Errorf("Apply returned %q, %v, expected \"b\\n\"", got, err)
	}
	if _, err := f.Apply("p/other.go", nil); err == nil {
		t.Error("applying the patch to a file that it does not have: got no error, expected one")
	}
	for _, bad := range []string{diff, "Scenario: get-node\n", "Scenario: get-node\nWarm: up\n\n" + diff} {
		if _, err := parse("x", bad); err == nil {
			t.Errorf("parsing %q: got no error, expected one", bad)
		}
	}
}
