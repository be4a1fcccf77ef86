package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// carriedReleases returns those recorded releases that the test covers.
func carriedReleases(t *testing.T) []recordings.Info {
	t.Helper()
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	return testenv.Releases(t, releases)
}

// carried calls f with each embedded recording of the releases that the test covers.
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

// TestDefaultView checks the default view of every scenario. It must have at most 80
// columns, and at most 300 lines for each request. Colour must not change its text. The
// outline of a request must have at most 15 sentences. Package render tests that no name
// is cut.
func TestDefaultView(t *testing.T) {
	testenv.Costly(t, "draws every recording of two releases")
	checkDefaultViews(t)
}

func TestSlowDefaultView(t *testing.T) {
	testenv.Slow(t)
	checkDefaultViews(t)
}

func checkDefaultViews(t *testing.T) {
	const most = 350 // lines of a request, at 80 columns: one to three pages per layer
	loaded, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	carried(t, func(t *testing.T, rec *trace.Recording) {
		guide := loaded.ForReader("en", rec)
		draw := func(palette render.Palette) string {
			var out bytes.Buffer
			traces, err := view.NewTraces(rec, guide, view.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := render.WriteTree(&out, traces, render.Options{Layout: render.Layout{Palette: palette}}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		plain := draw(render.Palette{})
		if n := strings.Count(plain, "\n"); n > most*len(rec.Requests) {
			t.Errorf("the view has %d lines for %d requests, expected at most %d lines for each", n, len(rec.Requests), most)
		}
		checkWidth(t, plain)
		if coloured := draw(render.Colours()); ansi.Strip(coloured) != plain {
			t.Errorf("with colour the text differs from the text without:\n%s", ansi.Strip(coloured))
		}
		for i := range rec.Requests {
			one := *rec
			one.Requests = rec.Requests[i : i+1]
			var out bytes.Buffer
			traces, err := view.NewTraces(&one, guide, view.Options{Outline: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := render.WriteOutline(&out, traces, render.Options{}); err != nil {
				t.Fatal(err)
			}
			checkWidth(t, out.String())
			if !rec.Requests[i].IsEvent() { // the story tells of events
				checkOutline(t, out.String())
			}
		}
	})
}

func checkWidth(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if width := lipgloss.Width(strings.TrimSuffix(line, "\n")); width > 80 {
			t.Errorf("%d columns, expected at most 80: %s", width, line)
		}
	}
}

// sentenceLine matches the beginning of a sentence in an outline: its number and its layer.
var sentenceLine = regexp.MustCompile(`(?m)^ ?[0-9]+  \S`)

// checkOutline checks that an outline has 1 to 15 sentences, each with the place and the
// duration of its call.
func checkOutline(t *testing.T, outline string) {
	t.Helper()
	begun := sentenceLine.FindAllStringIndex(outline, -1)
	if len(begun) == 0 || len(begun) > 15 {
		t.Errorf("%d sentences, expected 1 to 15:\n%s", len(begun), outline)
	}
	for i, at := range begun {
		end := len(outline)
		if i+1 < len(begun) {
			end = begun[i+1][0]
		}
		if !regexp.MustCompile(`\.go:[0-9]+,\s+([0-9.]+(ns|µs|ms|s)|still\s+running)`).MatchString(outline[at[0]:end]) {
			t.Errorf("no place, or no duration, in the sentence %q", outline[at[0]:end])
		}
	}
}
