package traced

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// changedSource returns a vendor folder without some of the packages and functions that
// the guide of TestSourceLacksWhatTheGuideNames names.
func changedSource(t *testing.T) string {
	return writeModule(t, map[string]string{
		"example.com/p/p.go": "package p\n\nfunc Here(name string) { inner(name) }\n\nfunc inner(name string) { _ = name }\n",
	})
}

// writeModule writes the files of a module to a new folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	source := fstest.MapFS{}
	for name, text := range files {
		source[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, source); err != nil {
		t.Fatal(err)
	}
	return dir
}

func step(function, value string) instrument.Step {
	s := instrument.Step{Function: funcname.Pattern(function)}
	if value != "" {
		s.Values = []instrument.Value{{Name: "apitrace.test." + value, At: "entry", Expr: value}}
	}
	return s
}

// TestSourceLacksWhatTheGuideNames checks that entries of the guide without counterpart
// in the source are left out, and reported by name. The rest of the source must be
// traced.
func TestSourceLacksWhatTheGuideNames(t *testing.T) {
	guide := &instrument.Guide{
		Programs: map[string]*instrument.ProgramGuide{"prog": {
			Packages: []instrument.Packages{{Path: "example.com/p"}, {Path: "example.com/gone"}, {Path: "example.com/later", Range: release.Range{Since: "v1.40"}}},
			Roots: []instrument.Root{
				{Function: "example.com/p.Enter", Traceparent: `""`},
				{Function: "example.com/p.EnterLater", Traceparent: `""`, Range: release.Range{Since: "v1.40"}},
			},
		}},
		Steps: []instrument.Step{
			step("example.com/p.Here", "name"), step("example.com/p.Removed", ""), step("example.com/p.inner", "renamed"), step("example.com/other.Function", ""),
		},
	}
	o := instrument.Options{Guide: guide, Program: "prog", Version: "v1.37.1", Vendor: changedSource(t), Out: t.TempDir()}
	result, missing, err := RewriteTolerantly(o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range missing {
		got = append(got, m.String())
	}
	for _, want := range []string{
		`the checkout has no package "example.com/gone", which the guide names: it is not traced`,
		`the checkout has no function "example.com/p.Enter", which the guide names: traces lack what it connects`,
		`the checkout has no function "example.com/p.Removed", which the guide names`,
		`the checkout has changed function "example.com/p.inner": `,
	} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("expected the report %q, got\n%s", want, strings.Join(got, "\n"))
		}
	}
	if len(got) != 4 {
		t.Errorf("expected 4 reports, got\n%s", strings.Join(got, "\n"))
	}
	if result.Files != 1 {
		t.Errorf("%d files are traced, expected only p.go", result.Files)
	}
	if prog := guide.Programs["prog"]; len(prog.Packages) != 3 || len(prog.Roots) != 2 || len(guide.Steps) != 4 || len(guide.Steps[2].Values) != 1 {
		t.Error("RewriteTolerantly changed the guide of its options, expected a copy")
	}
}

// TestSourceHasWhatTheGuideNames checks that nothing is reported if the source has
// everything that the guide names. Other mistakes, such as source that is not Go, must
// give an error.
func TestSourceHasWhatTheGuideNames(t *testing.T) {
	guide := &instrument.Guide{
		Programs: map[string]*instrument.ProgramGuide{"prog": {Packages: []instrument.Packages{{Path: "example.com/p"}}}},
		Steps:    []instrument.Step{step("example.com/p.Here", "name")},
	}
	o := instrument.Options{Guide: guide, Program: "prog", Version: "v1.37.1", Vendor: changedSource(t), Out: t.TempDir()}
	if result, missing, err := RewriteTolerantly(o); err != nil || len(missing) > 0 || result.Files != 1 {
		t.Errorf("got %+v, missing %v and the error %v, expected one file and nothing missing", result, missing, err)
	}
	o.Vendor = writeModule(t, map[string]string{"example.com/p/p.go": "package p\n\nfunc Here(name string {\n"})
	if _, missing, err := RewriteTolerantly(o); err == nil || len(missing) > 0 || !strings.Contains(err.Error(), "p.go:3:") {
		t.Errorf("source that is not Go: got missing %v and the error %v, expected an error with the place", missing, err)
	}
}
