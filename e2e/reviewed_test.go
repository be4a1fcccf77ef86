package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

var update = flag.Bool("update", false, "write the table of docs/changes.md")

// reviewedScenarios are the scenarios with a review. A person compared their changes with
// upstream's sources.
var reviewedScenarios = []string{"get-node", "list-nodes", "create-deployment", "apply-configmap"}

// A reviewedList is the content of testdata/reviewed.yaml.
type reviewedList struct {
	From    string           `yaml:"from"`
	To      string           `yaml:"to"`
	Changes []reviewedChange `yaml:"changes"`
}

type reviewedChange struct {
	Kind   string   `yaml:"kind"`
	A      string   `yaml:"a"`
	B      string   `yaml:"b"`
	For    string   `yaml:"for"`
	Values []string `yaml:"values"`
	In     []string `yaml:"in"`
	Why    string   `yaml:"why"`
}

func readReviewed(t *testing.T) reviewedList {
	t.Helper()
	data, err := os.ReadFile("testdata/reviewed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list reviewedList
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// key returns a text that is the same for changes that the review counts as one.
func (c reviewedChange) key() string {
	return strings.Join([]string{c.Kind, c.A, c.B, c.For, strings.Join(c.Values, ",")}, " | ")
}

// TestReviewedChanges checks that the default view shows the reviewed changes, and nothing
// else.
func TestReviewedChanges(t *testing.T) {
	t.Parallel()
	list := readReviewed(t)
	for _, scenario := range reviewedScenarios {
		t.Run(scenario, func(t *testing.T) {
			var want []string
			for _, c := range list.Changes {
				if slices.Contains(c.In, scenario) {
					want = append(want, c.key())
				}
			}
			got := shownChanges(t, scenario, list.From, list.To)
			for _, key := range want {
				if !slices.Contains(got, key) {
					t.Errorf("the review has a change that the view does not show: %s", key)
				}
			}
			for _, key := range got {
				if !slices.Contains(want, key) {
					t.Errorf("the view shows a change that the review does not have: %s", key)
				}
			}
		})
	}
}

// shownChanges lists the keys of the changes that the default view shows for a scenario,
// each once.
func shownChanges(t *testing.T, scenario, from, to string) []string {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load(from, scenario)
	if err != nil {
		t.Fatal(err)
	}
	b, err := recordings.Load(to, scenario)
	if err != nil {
		t.Fatal(err)
	}
	comparison := diff.CompareRecordings(a, b, diff.Options{})
	var keys []string
	add := func(c reviewedChange) {
		if !slices.Contains(keys, c.key()) {
			keys = append(keys, c.key())
		}
	}
	for _, pair := range comparison.Requests {
		differences := view.NewDifferences(pair.Diff, guide.Lookup())
		for _, p := range differences.Packages {
			add(reviewedChange{Kind: "package", A: p.From, B: p.To})
		}
		for _, c := range differences.Changes {
			if c.Telling {
				add(reviewedOf(pair.Diff, c))
			}
		}
	}
	return keys
}

func reviewedOf(d *diff.Diff, c view.ShownChange) reviewedChange {
	r := reviewedChange{Kind: string(c.Kind)}
	var call *trace.Call
	if c.A != diff.None {
		call = d.A.Call(c.A)
		r.A = call.Function
	}
	if c.B != diff.None {
		call = d.B.Call(c.B)
		r.B = call.Function
	}
	r.For = call.Attributes["apitrace.admission.plugin"]
	for _, v := range c.Fresh {
		r.Values = append(r.Values, v.Name)
	}
	return r
}

// TestSlowReviewedChangesAreInTheSource looks the reviewed functions up in the sources of
// both releases. It is slow because it downloads a source that other tests do not need.
// Each side's functions must be in its source. The old name of a function that moved to
// another package must be gone from the newer source.
func TestSlowReviewedChangesAreInTheSource(t *testing.T) {
	testenv.Slow(t)
	testenv.NeedsServer(t)
	list := readReviewed(t)
	from, to := sourcesOf(t, list.From), sourcesOf(t, list.To)
	for _, c := range list.Changes {
		switch {
		case c.Kind == "package":
			from.demandPackage(t, c.A)
			to.demandPackage(t, c.B)
			continue
		case c.A != "":
			from.demand(t, c.A, true)
		}
		if c.B != "" {
			to.demand(t, c.B, true)
		}
		if c.Kind == string(diff.Renamed) && funcname.Package(c.A) != funcname.Package(c.B) {
			to.demand(t, c.A, false)
		}
	}
}

// sources are the source trees of both programs of a release.
type sources []*source.Tree

func sourcesOf(t *testing.T, version string) sources {
	t.Helper()
	var all sources
	for _, name := range []string{apiserver.Name, storage.Name} {
		src, err := apiserver.SourceOf(t.Context(), name, apiserver.BuildOptions{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir})
	}
	return all
}

// demand checks that the source has a function if want is set, and lacks it otherwise.
func (s sources) demand(t *testing.T, function string, want bool) {
	t.Helper()
	found := false
	for _, tree := range s {
		_, err := tree.Function(function)
		if unknown := new(trace.UnknownFunctionError); err != nil && !errors.As(err, &unknown) {
			t.Errorf("%s in %s: %v", function, tree, err)
		}
		found = found || err == nil
	}
	if found != want {
		t.Errorf("%s is in the source of %s: %v, expected %v", function, s[0], found, want)
	}
}

func (s sources) demandPackage(t *testing.T, path string) {
	t.Helper()
	if !slices.ContainsFunc(s, func(tree *source.Tree) bool {
		_, err := os.Stat(filepath.Join(tree.Dir, filepath.FromSlash(path)))
		return err == nil
	}) {
		t.Errorf("package %s is not in the source of %s", path, s[0])
	}
}

const (
	reviewBegins = "<!-- The table is generated from e2e/testdata/reviewed.yaml: make docs -->\n"
	reviewEnds   = "<!-- End of the table -->\n"
)

// TestChangesPage compares the table of docs/changes.md with the review. "make docs"
// rewrites the table.
func TestChangesPage(t *testing.T) {
	file := filepath.Join("..", "docs", "changes.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), reviewBegins)
	_, after, okEnd := strings.Cut(rest, reviewEnds)
	if !ok || !okEnd {
		t.Fatalf("%s has no place for the table: expected the lines %q and %q", file, reviewBegins, reviewEnds)
	}
	want := before + reviewBegins + reviewTable(readReviewed(t)) + reviewEnds + after
	switch {
	case want == string(page):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s differs from the review; \"make docs\" updates it", file)
	}
}

func reviewTable(list reviewedList) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| change | in %s | in %s | what the source says | seen in |\n|---|---|---|---|---|\n", list.From, list.To)
	name := func(full string) string {
		if full == "" {
			return ""
		}
		return "`" + (&trace.Call{Function: full}).ShortName() + "`"
	}
	for _, c := range list.Changes {
		a, was := name(c.A), name(c.B)
		if c.Kind == "package" {
			a, was = "`"+c.A+"`", "`"+c.B+"`"
		}
		if c.For != "" {
			was += " (" + c.For + ")"
		}
		kind := c.Kind
		for _, v := range c.Values {
			kind += " `" + strings.TrimPrefix(v, "apitrace.") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", kind, a, was, c.Why, strings.Join(c.In, ", "))
	}
	return b.String()
}
