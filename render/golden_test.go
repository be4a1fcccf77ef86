package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// load loads a recording from the test data of package trace.
func load(t testing.TB, name string) *trace.Recording {
	t.Helper()
	rec, err := trace.Load(filepath.Join("..", "trace", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// draw draws the trees of a recording.
func draw(t testing.TB, rec *trace.Recording, o Options) string {
	t.Helper()
	var out strings.Builder
	if err := writeTree(&out, rec, viewtest.FirstGuide{}, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestGoldens compares drawings with golden files. In these files ␛ stands for the
// escape character.
func TestGoldens(t *testing.T) {
	for name, test := range map[string]struct {
		recording string
		options   Options
	}{
		"get-node":                {"handmade-get-node", Options{}},
		"get-node.ascii":          {"handmade-get-node", Options{Options: view.Options{ASCII: true}}},
		"get-node.colour":         {"handmade-get-node", Options{Layout: Layout{Palette: Colours()}}},
		"get-node.links":          {"handmade-get-node", Options{Options: view.Options{Choice: view.Choice{Depth: 1}, Hyperlinks: true}}},
		"get-node.full":           {"handmade-get-node", Options{Options: view.Options{Choice: view.Choice{Full: true}}}},
		"get-node.narrow":         {"handmade-get-node", Options{Options: view.Options{Choice: view.Choice{Full: true}}, Layout: Layout{Width: 50}}},
		"get-node.depth":          {"handmade-get-node", Options{Options: view.Options{Choice: view.Choice{Depth: 2}}}},
		"create-deployment":       {"handmade-create-deployment", Options{}},
		"create-deployment.wide":  {"handmade-create-deployment", Options{Layout: Layout{Width: 140}}},
		"create-deployment.depth": {"handmade-create-deployment", Options{Options: view.Options{Choice: view.Choice{Full: true, Depth: 3}}}},
		"errors":                  {"handmade-errors", Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.ReplaceAll(draw(t, load(t, test.recording), test.options), "\x1b", "␛")
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v (go test ./render -update writes it)", err)
			}
			if got != string(want) {
				t.Errorf("the drawing differs from %s (go test ./render -update writes this file anew); got:\n%s", file, got)
			}
		})
	}
}
