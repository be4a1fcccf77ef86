package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// withChange is a program with a change in the source of a dependency.
func withChange() Program {
	p := tiny()
	p.Changes = []Change{{File: "example.org/dep/dep.go", Old: `"hello"`, New: `"changed"`}}
	return p
}

// A change is in plain and in instrumented builds, and in the source tree for readers.
// Upstream's module stays as it is.
func TestChange(t *testing.T) {
	needsBuilds(t)
	c := newCache(t)
	b, _ := mustBuild(t, withChange(), Options{Cache: c})
	if got, want := output(t, b), "changed staged stamped v1.2.3"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join(b.Workspace, "vendor/example.org/dep/dep.go"))
	if err != nil || !strings.Contains(string(text), `"changed"`) {
		t.Errorf("the source in the workspace: %q, %v", text, err)
	}
	unchanged, _ := mustBuild(t, tiny(), Options{Cache: c})
	if got := output(t, unchanged); !strings.HasPrefix(got, "hello") {
		t.Errorf("without the change, the program says %q", got)
	}
}

// A release that lacks the text, or has it twice, needs another change.
func TestChangeThatDoesNotFit(t *testing.T) {
	needsBuilds(t)
	for old, want := range map[string]string{`"goodbye"`: "0 times", `l`: "times, expected once"} {
		p := tiny()
		p.Changes = []Change{{File: "example.org/dep/dep.go", Old: old, New: "x"}}
		if _, err := Build(t.Context(), p, Options{Cache: newCache(t)}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "changing example.org/dep/dep.go") {
			t.Errorf("with a change of %s, the build says %v, expected %q", old, err, want)
		}
	}
}

func TestPlanSaysWhatIsChanged(t *testing.T) {
	needsBuilds(t)
	plan, err := MakePlan(t.Context(), withChange(), Options{Cache: newCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := plan.Write(&out, message.Printer{}); err != nil {
		t.Fatal(err)
	}
	const want = "\n# in vendor/example.org/dep/dep.go, replace \"\\\"hello\\\"\" by \"\\\"changed\\\"\"\n"
	if _, after, _ := strings.Cut(out.String(), "mod vendor"); !strings.Contains(after, want) {
		t.Errorf("the plan does not say what is changed after vendoring:\n%s", out.String())
	}
}
