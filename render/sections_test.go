package render

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestAuthorizationHasASection checks in each recorded release that the
// section "Authorization" begins with the authorization filter. The
// impersonation filter is in the same layer, and may call the authorization
// filter without another step in between.
func TestAuthorizationHasASection(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	releases, err := recordings.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range releases {
		for scenario, want := range map[string][]string{"get-node": {"Authorization"}, "impersonate": {"Impersonation", "Authorization"}} {
			rec, err := recordings.Load(release, scenario)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := view.NewTrace(rec, 0, guide.ForReader("en", rec), view.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, s := range doc.Sections {
				if s.Layer != "authorization" {
					continue
				}
				titles = append(titles, s.Title)
				if is := strings.HasSuffix(s.Root.Function, "/filters.WithAuthorization.func1") || strings.HasSuffix(s.Root.Function, "/filters.withAuthorization.func1"); is != (s.Title == "Authorization") {
					t.Errorf("%s of %s: the section %q begins with %s, expected the filter withAuthorization only in Authorization", scenario, release, s.Title, s.Root.Function)
				}
			}
			if strings.Join(titles, ", ") != strings.Join(want, ", ") {
				t.Errorf("%s of %s has the sections %q, expected %q", scenario, release, titles, want)
			}
		}
	}
}

// byPackage is a guide that uses a function's package as its layer.
type byPackage struct{ viewtest.EveryStep }

func (byPackage) Layer(function string) string { return strings.Split(function, ".")[0] }
func (byPackage) Title(layer string) string    { return layer }

// TestSectionsNameTheCallersOfBothSides checks the line of a comparison that
// says how a section is entered, if both sides enter it from the same step or
// from different steps.
func TestSectionsNameTheCallersOfBothSides(t *testing.T) {
	below := func(depth int, last string) (text string) {
		for i, function := range []string{"r.X", "r.Y", "r.Z", "r.V", last} {
			text += "\n" + strings.Repeat(" ", depth+i) + function
		}
		return text
	}
	const x, y = "r.W apitrace.storage.type=x", "r.W apitrace.storage.type=y"
	tests := []struct {
		name, a, b string
		layers     []string
		en, zh     string
	}{
		{"the same caller", "p.A\n p.B" + below(2, x), "p.A\n p.B" + below(2, y), nil, "called by p.A in 1, indirectly", "由第 1 节的 p.A 调用（间接）"},
		{
			"one more caller", "p.A\n p.B" + below(2, x), "p.A\n p.B\n  p.New" + below(3, y), nil,
			"v1: called by p.B in 1, indirectly; v2: called by p.New in 1, indirectly", "v1：由第 1 节的 p.B 调用（间接）；v2：由第 1 节的 p.New 调用（间接）",
		},
		{
			"on one side through another goroutine", "p.A\n p.B\n  p.C go" + below(3, x), "p.A\n p.B\n  p.New\n   p.C" + below(4, y), nil,
			"v1: called by p.B in 1, indirectly, on a new goroutine; v2: called by p.New in 1, indirectly", "v1：由第 1 节的 p.B 调用（间接），在新的 goroutine 上；v2：由第 1 节的 p.New 调用（间接）",
		},
		{
			"in another process",
			"p.A\n p.B\n  p.C apitrace.handoff=raft\n   r.X in=etcd\n    " + x + " in=etcd", "p.A\n p.B\n  p.New\n   p.C\n    r.X in=etcd\n     " + y + " in=etcd", nil,
			"v1: called by p.B in 1, indirectly, in another process: etcd, handed over through raft; v2: called by p.New in 1, indirectly, in another process: etcd",
			"v1：由第 1 节的 p.B 调用（间接），在另一个进程 etcd 中，经 raft 移交；v2：由第 1 节的 p.New 调用（间接），在另一个进程 etcd 中",
		},
		{
			"a call of one side", "p.A\n s.P\n  s.Q" + below(3, x), "p.A\n p.New\n  s.P\n   s.Q", []string{"p", "r"},
			"called by p.A in 1, indirectly", "由第 1 节的 p.A 调用（间接）",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := viewtest.ComparisonOf(test.a, test.b, "v1", "v2")
			for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
				options := DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: view.Options{Lang: lang}, NameA: "v1", NameB: "v2"}, Layout: Layout{Width: 200}}
				options.Filter.Layers = test.layers
				var out strings.Builder
				if err := writeDiff(&out, c, byPackage{}, options); err != nil {
					t.Fatal(err)
				}
				_, heading, _ := strings.Cut(out.String(), "── 2 r ")
				if lines := strings.Split(heading, "\n"); len(lines) < 2 || strings.TrimSpace(lines[1]) != want {
					t.Errorf("%s: expected %q in\n%s", lang, want, &out)
				}
			}
		})
	}
}
