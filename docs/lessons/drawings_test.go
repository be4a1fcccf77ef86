package lessons

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

var update = flag.Bool("update", false, "redraw the pictures of the lessons")

// drawnRelease is the release whose recordings the pictures show.
const drawnRelease = "v1.37.1"

// drawings are the pictures in the lessons. Comments with the name surround a picture.
var drawings = []struct {
	lesson, name string
	draw         func(t *testing.T, release, lang string) string
}{
	{"code-map", "code map", codeMap},
	{"servers", "way of a request", requestWay},
}

// TestDrawings compares the pictures with the guide and the recordings. "make docs" redraws
// the pictures.
func TestDrawings(t *testing.T) {
	for _, d := range drawings {
		for _, lang := range []string{"en", "zh"} {
			file := fmt.Sprintf("%s.%s.md", d.lesson, lang)
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			begin, end := fmt.Sprintf("<!-- %s -->\n", d.name), fmt.Sprintf("<!-- end of %s -->\n", d.name)
			before, rest, _ := strings.Cut(string(page), begin)
			_, after, ok := strings.Cut(rest, end)
			if !ok {
				t.Fatalf("%s: expected %q and %q", file, begin, end)
			}
			drawn := before + begin + "\n```\n" + d.draw(t, drawnRelease, lang) + "```\n\n" + end + after
			switch {
			case drawn == string(page):
			case !*update:
				t.Errorf("%s: the %s differs from the guide and the recordings: \"make docs\" redraws it", file, d.name)
			default:
				if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// requestWay draws the sections of a create request as a tree. A section is below the
// section from which it is entered, and shows its layer and its first function.
func requestWay(t *testing.T, release, lang string) string {
	t.Helper()
	rec, err := recordings.Load(release, "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	document, err := view.NewTrace(rec, 0, guide.ForReader(lang, rec), view.Options{Lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	entered := map[int][]view.TraceSection{} // by TraceSection.From
	for _, s := range document.Sections {
		entered[s.From] = append(entered[s.From], s)
	}
	var out strings.Builder
	fmt.Fprintln(&out, document.Request)
	drawn := 0
	var draw func(from int, indent string)
	draw = func(from int, indent string) {
		for i, s := range entered[from] {
			branch, below := "├─ ", "│  "
			if i == len(entered[from])-1 {
				branch, below = "└─ ", "   "
			}
			process := ""
			if s.Root.Process != "" {
				process = "  (" + s.Root.Process + ")"
			}
			fmt.Fprintf(&out, "%s%s%d %s  %s%s\n", indent, branch, s.Number, s.Title, s.Root.Name, process)
			drawn++
			draw(s.Number, indent+below)
		}
	}
	draw(0, "")
	if drawn != len(document.Sections) {
		t.Errorf("%d of %d sections are drawn, expected all", drawn, len(document.Sections))
	}
	return out.String()
}

// TestMapFolders checks that a function is in the folder with the longest path only, and
// that a function without a folder is lost.
func TestMapFolders(t *testing.T) {
	modules, lost := mapFolders([]recordings.Function{
		{Name: "a", File: "k8s.io/apiserver/pkg/server/config.go"},
		{Name: "b", File: "k8s.io/apiserver/pkg/server/filters/wrap.go"},
		{Name: "c", File: "k8s.io/apiserver/pkg/servers/config.go"},
		{Name: "d", File: "k8s.io/kubernetes/pkg/apis/apps/register.go"},
	})
	in := map[string]string{}
	for _, module := range modules {
		for _, folder := range module {
			for _, f := range folder.functions {
				in[f.Name] = folder.path
			}
		}
	}
	want := map[string]string{"a": "apiserver/pkg/server", "b": "apiserver/pkg/server/filters", "d": "pkg/apis"}
	if !maps.Equal(in, want) || len(lost) != 1 || lost[0].Name != "c" {
		t.Errorf("the folders are %v, lost are %v; expected the folders %v, and only c lost", in, lost, want)
	}
}
