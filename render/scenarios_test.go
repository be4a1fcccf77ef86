package render

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// widths are the widths, in columns, at which the tests draw scenarios.
var widths = []int{40, 80, 120, 200}

// recorded draws the trees of a recording at a width.
func recorded(t *testing.T, rec *trace.Recording, width int) string {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := writeTree(&out, rec, guide.ForReader("en", rec), Options{Layout: Layout{Width: width}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestEveryScenario draws every scenario of the newest release. all.golden has a
// line for each scenario and width: the number of lines and their checksum. Three
// scenarios have golden files with the whole drawing, for people to read.
func TestEveryScenario(t *testing.T) {
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	newest := infos[len(infos)-1]
	var sums strings.Builder
	for _, scenario := range newest.Scenarios {
		rec, err := recordings.Load(newest.K8sVersion, scenario)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range widths {
			text := recorded(t, rec, width)
			fmt.Fprintf(&sums, "%s %d: %d lines, %x\n", scenario, width, strings.Count(text, "\n"), sha256.Sum256([]byte(text)))
			checkLines(t, scenario, text, width)
			checkNames(t, rec, text, width)
			if slices.Contains([]string{"get-node", "create-deployment", "get-forbidden"}, scenario) {
				golden(t, fmt.Sprintf("%s.%d", scenario, width), text)
			}
		}
	}
	golden(t, "all", sums.String())
}

// golden compares a text with a golden file or, with -update, writes this file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "scenarios", name+".golden")
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
		t.Errorf("the drawing differs from %s (go test ./render -update writes this file anew)", file)
	}
}

// checkLines checks that no line is wider than the width. A line with only a part of a
// name may be wider.
func checkLines(t *testing.T, scenario, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if columns := lipgloss.Width(line); columns > width && !oneName(line) {
			t.Errorf("%s: a line has %d columns, expected at most %d: %q", scenario, columns, width, line)
		}
	}
}

// squeezed returns a drawing without blanks and without the lines of its tree. So a
// name that continues on the next line is in one piece.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("─│├└┄", r) {
			return -1
		}
		return r
	}, text)
}

// checkNames checks that a drawing has the whole names of all steps, in order. The
// steps do not depend on the width.
func checkNames(t *testing.T, rec *trace.Recording, text string, width int) {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	rest := squeezed(text)
	traces, err := view.NewTraces(rec, guide.ForReader("en", rec), view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var steps func(s *view.TraceStep)
	steps = func(s *view.TraceStep) {
		name := squeezed(s.Name)
		_, behind, ok := strings.Cut(rest, name)
		if !ok {
			t.Errorf("%s at %d columns: the name %q is missing, or not in the order of the steps", rec.Scenario, width, name)
		} else {
			rest = behind
		}
		for i := range s.Children {
			if child := &s.Children[i]; child.Section == 0 {
				steps(child)
			}
		}
	}
	for _, shown := range traces {
		for i := range shown.Sections {
			steps(&shown.Sections[i].Root)
		}
	}
}
