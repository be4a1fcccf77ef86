package program

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSourceTree(t *testing.T) {
	needsBuilds(t)
	o := Options{Cache: newCache(t)}
	r := &recorder{}
	o.Progress = r
	dir, err := SourceTree(t.Context(), tiny(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "example.org", "dep", "dep.go")); err != nil {
		t.Errorf("looking for the source of a dependency: %v", err)
	}
	if got, want := r.stages(), "resolve download tidy vendor done"; got != want {
		t.Errorf("stages %q, want %q, because nothing is built", got, want)
	}

	// Without a network, SourceTree and a build use the existing workspace.
	t.Setenv("GOPROXY", "off")
	again, err := SourceTree(t.Context(), tiny(), o)
	if err != nil || again != dir {
		t.Errorf("the second SourceTree: got %q, error %v; want %q", again, err, dir)
	}
	b, r := mustBuild(t, tiny(), Options{Cache: o.Cache})
	if b.Workspace != filepath.Dir(dir) || r.stages() != "resolve compile link done" {
		t.Errorf("a build has the workspace %q and the stages %q, want the workspace of SourceTree", b.Workspace, r.stages())
	}
}
