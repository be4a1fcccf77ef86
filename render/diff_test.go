package render

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestHistorySaysOfEarlyPatches checks the remark of a history on early patch
// releases. There must be one if such a release removes a function and the next
// release adds it again, or the other way round: the cause may be a backport.
func TestHistorySaysOfEarlyPatches(t *testing.T) {
	step := func(version string, came, went []string) HistoryStep {
		return HistoryStep{Version: version, Calls: 1, Changes: HistoryChanges{Text: "the same path", Came: came, Went: went}}
	}
	x := []string{"p.X"}
	for _, test := range []struct {
		name  string
		steps []HistoryStep
		want  string
	}{
		{"removed and added again", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", x, nil)}, "an early patch release can lack a change that a later patch release of the same minor version has: v1.18.2 alone lacks p.X"},
		{"added and removed again, after a release without a recording", []HistoryStep{step("v1.16.15", nil, nil), {Version: "v1.17.17", NotRecorded: true}, step("v1.18.2", x, nil), step("v1.19.16", nil, x)}, "v1.18.2 alone has p.X"},
		{"removed", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", nil, nil)}, ""},
		{"removed twice", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.2", nil, x), step("v1.19.16", nil, x)}, ""},
		{"removed and added again, but not an earlier patch release", []HistoryStep{step("v1.17.17", nil, nil), step("v1.18.20", nil, x), step("v1.19.16", x, nil)}, ""},
	} {
		var out strings.Builder
		if err := WriteHistory(&out, test.steps, DiffOptions{Layout: Layout{Width: 1000}}); err != nil {
			t.Fatal(err)
		}
		_, got, found := strings.Cut(out.String(), "the smaller changes\n")
		if !found || (got != "") != (test.want != "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got the remark %q, expected one with %q, or no remark if this is empty", test.name, got, test.want)
		}
	}
}

// TestReorderedPlace checks that a reordered call has its old place only if it differs
// from the new place.
func TestReorderedPlace(t *testing.T) {
	for line, want := range map[int]string{7: "reordered\n", 9: "reordered p/f.go:9\n"} {
		c := viewtest.ComparisonOf("p.A\n p.B\n  p.X\n p.C\n p.D", "p.A\n p.C\n p.D\n p.B\n  p.X", "v1", "v2")
		for _, requests := range c.Requests {
			requests.Diff.A.Call(1).Line = line // of p.B
		}
		var out strings.Builder
		if err := writeDiff(&out, c, viewtest.EveryStep{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "v1", NameB: "v2"}}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "      "+want) {
			t.Errorf("p.B in line %d of side A and line 7 of side B: expected %q at the end of\n%s", line, want, &out)
		}
	}
}

// TestWriteDiff draws most kinds of changes once, in one tree and with both sides
// next to each other.
func TestWriteDiff(t *testing.T) {
	a := "p.A\n p.Gone\n p.getIt\n  p.X\n p.L\n p.V apitrace.storage.type=x"
	b := "p.A\n p.GetIt\n  p.X\n p.L\n p.L\n p.V apitrace.storage.type=y\n p.New"
	c := viewtest.ComparisonOf(a, b, "v1", "v2")
	options := DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "v1", NameB: "v2"}, Layout: Layout{Width: 60}}
	var out strings.Builder
	if err := writeDiff(&out, c, viewtest.EveryStep{}, options); err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(out.String(), "── 1 Layer")
	_, tree, _ = strings.Cut(tree, "\n")
	want := `    p.A p/f.go:7 ⋯1
-   ├─ p.Gone p/f.go:7
~   ├─ p.GetIt p/f.go:7 ⋯1
    │     was p.getIt p/f.go:7
#   ├─ p.L p/f.go:7
    │     ×1 → ×2
=   ├─ p.V p/f.go:7
    │     storage: x → y
+   └─ p.New p/f.go:7
`
	if diff := cmp.Diff(want, tree[:min(len(tree), len(want))]); diff != "" {
		t.Errorf("tree, -want +got:\n%s", diff)
	}
	out.Reset()
	options.SideBySide = true
	if err := writeDiff(&out, c, viewtest.EveryStep{}, options); err != nil {
		t.Fatal(err)
	}
	_, tree, _ = strings.Cut(out.String(), "── 1 Layer")
	_, tree, _ = strings.Cut(tree, "\n")
	want = `v1                              v2
p.A p/f.go:7 ⋯1                 p.A p/f.go:7 ⋯1
├─p.Gone p/f.go:7            -  │
├─p.getIt p/f.go:7 ⋯1        ~  ├─p.GetIt p/f.go:7 ⋯1
├─p.L p/f.go:7               #  ├─p.L p/f.go:7
└─p.V p/f.go:7  storage=x    =  ├─p.V p/f.go:7  storage=y
                             +  └─p.New p/f.go:7
`
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("both sides next to each other, -want +got:\n%s", diff)
	}
}

// onlyFirst is a guide with a single key step, p.A.
type onlyFirst struct{ viewtest.EveryStep }

func (onlyFirst) Key(name string) bool { return name == "p.A" }

// TestFewChangesAreShown checks that a comparison shows all changes if there are
// few, even if they are not at key steps.
func TestFewChangesAreShown(t *testing.T) {
	const fewChanges = 10 // as in package view
	for _, added := range []int{1, fewChanges, fewChanges + 1} {
		a, b := "p.A\n p.B", "p.A\n p.B"
		for i := range added {
			a += fmt.Sprintf("\n p.C%d", i)
			b += fmt.Sprintf("\n p.C%d\n  p.New%d", i, i)
		}
		for _, sideBySide := range []bool{false, true} {
			var out strings.Builder
			if err := writeDiff(&out, viewtest.ComparisonOf(a, b, "v1", "v2"), onlyFirst{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{SideBySide: sideBySide, NameA: "v1", NameB: "v2"}, Layout: Layout{Width: 60}}); err != nil {
				t.Fatal(err)
			}
			if shown := strings.Count(out.String(), "p.New"); shown != added && added <= fewChanges || shown != 0 && added > fewChanges {
				t.Errorf("the tree shows %d of %d changes, expected all or, if there are more than 10, none:\n%s", shown, added, &out)
			}
			if hidden := fmt.Sprintf("%d of %[1]d changes are not in this view: --view full", added); strings.Contains(out.String(), hidden) != (added > fewChanges) {
				t.Errorf("%d changes: expected %q if, and only if, there are more than %d:\n%s", added, hidden, fewChanges, &out)
			}
		}
	}
}

// TestDiffsAtEveryWidth checks that both forms of a diff show the same steps at every
// width, with whole names. Both must keep to the width.
func TestDiffsAtEveryWidth(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load("v1.30.4", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	b, err := recordings.Load("v1.37.1", "create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	c := diff.CompareRecordings(a, b, diff.Options{})
	words := guide.ForReader("en", b)
	shown, err := comparisonIn(c, words, DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range widths {
		for _, sideBySide := range []bool{false, true} {
			var out strings.Builder
			if err := writeDiff(&out, c, words, DiffOptions{ComparisonOptions: view.ComparisonOptions{SideBySide: sideBySide, NameA: "v1.30.4", NameB: "v1.37.1"}, Layout: Layout{Width: width}}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if columns := lipgloss.Width(line); columns > width && !oneName(strings.TrimLeft(line, "+-~=#>^%")) {
					t.Errorf("a line has %d columns, expected at most %d: %q", columns, width, line)
				}
			}
			if sideBySide {
				continue // a broken name is not in one piece, because the other side is next to it
			}
			rest := squeezed(out.String())
			var walk func(s *view.ComparedStep)
			walk = func(s *view.ComparedStep) {
				name := squeezed(s.Name)
				_, behind, ok := strings.Cut(rest, name)
				if !ok {
					t.Fatalf("at %d columns: the name %q is missing, or not in the order of the steps", width, name)
				}
				rest = behind
				for i := range s.Children {
					if child := &s.Children[i]; child.Section == 0 {
						walk(child)
					}
				}
			}
			for i := range shown.Sections {
				walk(&shown.Sections[i].Root)
			}
		}
	}
}

func TestCompareURL(t *testing.T) {
	a, b := &trace.Recording{K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10"}, &trace.Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0"}
	tests := []struct {
		call trace.Call
		want string
	}{
		{
			trace.Call{Process: "kube-apiserver", File: "k8s.io/apiserver/pkg/server/config.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-207875ac", // sha256sum of staging/src/k8s.io/apiserver/pkg/server/config.go
		},
		{trace.Call{Process: "etcd", File: "go.etcd.io/etcd/server/v3/etcdserver/server.go"}, "https://github.com/etcd-io/etcd/compare/v3.5.10...v3.7.0#diff-"},
		{ // Kubernetes' copy of etcd's client, sha256sum of vendor/go.etcd.io/etcd/client/v3/kv.go
			trace.Call{Process: "kube-apiserver", File: "go.etcd.io/etcd/client/v3/kv.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-6ba36287",
		},
		{ // staging/src/k8s.io/api/core/v1/types.go
			trace.Call{Process: "kube-apiserver", File: "k8s.io/api/core/v1/types.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-5ffbebb4",
		},
		{ // vendor/github.com/emicklei/go-restful/v3/container.go
			trace.Call{Process: "kube-apiserver", File: "github.com/emicklei/go-restful/v3/container.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-353bceb7",
		},
		{trace.Call{Process: "etcd", File: "google.golang.org/grpc/server.go"}, ""}, // etcd's repository has no copy of it
		{trace.Call{Process: "kube-apiserver", File: ""}, ""},
	}
	for _, test := range tests {
		if got := trace.CompareURL(a, b, &test.call); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("CompareURL for %s: got %q, want an address that begins with %q, or \"\" if this is empty", test.call.File, got, test.want)
		}
	}
	if got := trace.CompareURL(a, a, &tests[0].call); got != "" {
		t.Errorf("CompareURL of a release with itself: got %q, want \"\"", got)
	}
}
