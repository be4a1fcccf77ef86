package main

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// carriedReleases are those that apitrace carries recordings of and that the test goes through.
func carriedReleases(t *testing.T) []recordings.Info {
	t.Helper()
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	return testenv.Releases(t, releases)
}

// carried calls f with each recording that apitrace carries of the releases that the test goes through.
func carried(t *testing.T, f func(t *testing.T, rec *trace.Recording)) {
	t.Helper()
	for _, version := range carriedReleases(t) {
		all, err := recordings.All(version.K8sVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range all {
			t.Run(rec.K8sVersion+"/"+rec.Scenario, func(t *testing.T) { f(t, rec) })
		}
	}
}

// TestDefaultView wants the view for a first look to fit on a screen, whatever the scenario:
// 60 lines of 80 columns, with the same text in colour, and no name cut without a mark; and the
// story of each request in 15 lines.
func TestDefaultView(t *testing.T) { checkDefaultViews(t) }

func TestSlowDefaultView(t *testing.T) {
	testenv.Slow(t)
	checkDefaultViews(t)
}

func checkDefaultViews(t *testing.T) {
	loaded, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	carried(t, func(t *testing.T, rec *trace.Recording) {
		guide := spoken.New(loaded, "en", rec)
		draw := func(palette render.Palette) string {
			var out bytes.Buffer
			if err := render.WriteTree(&out, rec, guide, render.Options{Palette: palette}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		plain := draw(render.Palette{})
		if n := strings.Count(plain, "\n"); n > 60 {
			t.Errorf("%d lines", n)
		}
		checkWidth(t, plain)
		if coloured := draw(render.Colours()); ansi.Strip(coloured) != plain {
			t.Errorf("in colour the text is another one:\n%s", ansi.Strip(coloured))
		}
		checkNames(t, rec, plain)
		for i := range rec.Requests {
			one := *rec
			one.Requests = rec.Requests[i : i+1]
			var out bytes.Buffer
			if err := render.WriteOutline(&out, &one, guide, render.Options{}); err != nil {
				t.Fatal(err)
			}
			checkWidth(t, out.String())
			checkOutline(t, &one.Requests[0], out.String())
		}
	})
}

func checkWidth(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if width := lipgloss.Width(strings.TrimSuffix(line, "\n")); width > 80 {
			t.Errorf("%d columns: %s", width, line)
		}
	}
}

// stageLine is a line of an outline: titles, calls, time, and the time's share as a bar.
var stageLine = regexp.MustCompile(`(?m)^\S.*? +([0-9,]+) calls? +[0-9.]+(ns|µs|ms|s)( +▇*)?$`)

// checkOutline wants the story of a request in 15 lines at most, and each call told of once.
func checkOutline(t *testing.T, r *trace.Request, outline string) {
	t.Helper()
	lines := stageLine.FindAllStringSubmatch(outline, -1)
	told := 0
	for _, line := range lines {
		n, err := strconv.Atoi(strings.ReplaceAll(line[1], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		told += n
	}
	if len(lines) > 15 || told != len(r.Calls) {
		t.Errorf("%d lines tell of %d calls, there are %d:\n%s", len(lines), told, len(r.Calls), outline)
	}
}

// namedLine is a line of a tree that has a name and a place, each of them whole or its end
// behind a mark.
var namedLine = regexp.MustCompile(`(?m)^[^a-z…]*(?:⋯\d+ |go |⇢ \+\S+ |etcd ▸ |[\w-]+ ▸ )*(…\S+|[a-z][^\s=]*\.[^\s=]+) .*?(…?\S+\.go:\d+) `)

// checkNames wants every name and place in a tree to be that of a call, or its end behind a mark.
func checkNames(t *testing.T, rec *trace.Recording, tree string) {
	t.Helper()
	names, places := map[string]bool{}, map[string]bool{}
	for i := range rec.Requests {
		for c := range rec.Requests[i].Calls {
			call := &rec.Requests[i].Calls[c]
			names[call.ShortName()] = true
			places[fmt.Sprintf("%s:%d", path.Base(call.File), call.Line)] = true
		}
	}
	lines := namedLine.FindAllStringSubmatch(tree, -1)
	for _, line := range lines {
		if !isEndOfOne(names, line[1]) || !isEndOfOne(places, line[2]) {
			t.Errorf("%q or %q is no name or place of a call, and not marked as cut", line[1], line[2])
		}
	}
	if len(lines) < 5*len(rec.Requests) {
		t.Errorf("only %d names found in\n%s", len(lines), tree)
	}
}

func isEndOfOne(all map[string]bool, text string) bool {
	end, cut := strings.CutPrefix(text, "…")
	if !cut {
		return all[text]
	}
	for full := range all {
		if strings.HasSuffix(full, end) {
			return true
		}
	}
	return false
}
