package main

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/recordings"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
)

// carried calls f with each recording that apitrace carries.
func carried(t *testing.T, f func(t *testing.T, rec *trace.Recording)) {
	t.Helper()
	versions, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
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
// 60 lines of 80 columns, with the same text in colour.
func TestDefaultView(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	carried(t, func(t *testing.T, rec *trace.Recording) {
		draw := func(palette render.Palette) string {
			var out bytes.Buffer
			if err := render.WriteTree(&out, rec, newSpokenGuide(guide, "en"), render.Options{Palette: palette}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		plain := draw(render.Palette{})
		if n := strings.Count(plain, "\n"); n > 60 {
			t.Errorf("%d lines", n)
		}
		for line := range strings.Lines(plain) {
			if width := lipgloss.Width(strings.TrimSuffix(line, "\n")); width > 80 {
				t.Errorf("%d columns: %s", width, line)
			}
		}
		if coloured := draw(render.Colours()); ansi.Strip(coloured) != plain {
			t.Errorf("in colour the text is another one:\n%s", ansi.Strip(coloured))
		}
	})
}

// TestRecordedFunctionsHaveLayers wants to know to which part of the server each function
// belongs that was ever seen.
func TestRecordedFunctionsHaveLayers(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	lookup := guide.Lookup()
	carried(t, func(t *testing.T, rec *trace.Recording) {
		for _, r := range rec.Requests {
			for i := range r.Calls {
				if f := r.Calls[i].Function; lookup.Layer(f) == "" {
					t.Errorf("%s belongs to no layer of the guide", f)
				}
			}
		}
	})
}
