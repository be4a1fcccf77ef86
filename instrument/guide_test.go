package instrument

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kubeapitrace/apitrace/internal/message"
)

func TestGuideIsComplete(t *testing.T) {
	g, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range g.Steps {
		if s.Note.En == "" || s.Note.Zh == "" {
			t.Errorf("step %q: the note lacks a language", s.Function)
		}
		// One function may have an entry for each range of versions.
		id := string(s.Function) + " " + s.Since + " " + s.Until
		if seen[id] {
			t.Errorf("step %q has two entries with the same range of releases", s.Function)
		}
		seen[id] = true
	}
	if len(g.Steps) < 150 {
		t.Errorf("%d key steps, expected 150 or more", len(g.Steps))
	}
	titles := map[string]message.Text{}
	for _, l := range g.Layers {
		if l.Title != (message.Text{}) && titles[l.Name] != (message.Text{}) && titles[l.Name] != l.Title {
			t.Errorf("layer %q has two titles", l.Name)
		}
		if l.Title != (message.Text{}) {
			titles[l.Name] = l.Title
		}
		if len(l.Match) == 0 {
			t.Errorf("layer %q has no patterns (match)", l.Name)
		}
	}
	for _, l := range g.Layers {
		if titles[l.Name].En == "" || titles[l.Name].Zh == "" {
			t.Errorf("layer %q lacks a title in one language", l.Name)
		}
	}
}

func TestLookup(t *testing.T) {
	g, err := load(fstest.MapFS{"a.yaml": {Data: []byte(`
layers:
  - {name: special, match: [p.F]}
  - {name: general, match: [p...]}
steps:
  - {function: p...., group: any}
  - {function: p.F, group: exact}
`)}})
	if err != nil {
		t.Fatal(err)
	}
	l := g.Lookup()
	for function, want := range map[string]string{"p.F": "special exact true", "p.G": "general any true", "q.F": "  false"} {
		key := "false"
		if l.Key(function) {
			key = "true"
		}
		if got := strings.Join([]string{l.Layer(function), l.Group(function), key}, " "); got != want {
			t.Errorf("%s: %q, expected %q", function, got, want)
		}
	}
}

func TestKeyChangesWithWhatBecomesCode(t *testing.T) {
	const base = "programs: {prog: {packages: [{path: p}]}, other: {packages: [{path: o}]}}\nsteps: [{function: p.F, span: never, note: {en: a note}}]"
	key := func(guide string) string {
		g, err := load(fstest.MapFS{"a.yaml": {Data: []byte(guide)}})
		if err != nil {
			t.Fatal(err)
		}
		return g.Key("prog", "v1.30.4")
	}
	for from, to := range map[string]string{
		"path: p":     "path: q",
		"never,":      "always,",
		"never, note": "never, values: [{name: v, at: entry, expr: x}], note",
		"never, ":     "never, until: v1.29, ",
		"path: p}":    "path: p}, {path: q, since: v1.30}",
		"path: p}]":   "path: p}], exits: [{function: p.F, statement: x}]",
		"{path: p}]":  "{path: p}], tail: [{function: p.F, revision: x, until: v1.30}]",
	} {
		if key(base) == key(strings.Replace(base, from, to, 1)) {
			t.Errorf("%q in place of %q does not change the key, expected another key", to, from)
		}
	}
	for from, to := range map[string]string{
		"a note":    "another note",
		"path: o":   "path: q",
		"steps: [":  "steps: [{function: p.G}, {function: o.F, span: never}, {function: p.H, span: never, since: v1.31}, ",
		"never, ":   "never, since: v1.28, ",
		"path: p}]": "path: p}, {path: q, until: v1.29}], exits: [{function: p.F, statement: x, since: v1.31}], tail: [{function: p.F, revision: x, until: v1.29}]",
	} {
		if key(base) != key(strings.Replace(base, from, to, 1)) {
			t.Errorf("%q in place of %q changes the key, expected the same key", to, from)
		}
	}
}

// FuzzGuide checks that no text of a guide causes a panic. Errors are allowed.
func FuzzGuide(f *testing.F) {
	f.Add("layers: [{name: a, match: [p...]}]\nsteps: [{function: p.F, values: [{name: v, at: entry, expr: x}]}]\nprograms: {prog: {packages: [{path: p}]}}")
	f.Add("programs: {prog: }")
	f.Add("steps: [{function: '....', since: v1}]\n---\nlayers: {}")
	f.Fuzz(func(t *testing.T, text string) {
		const source = "package p\n\nfunc F(x int) error { return G() }\n\nfunc G() error { return F(1) }\n"
		g, err := load(fstest.MapFS{"a.yaml": {Data: []byte(text)}})
		if err != nil {
			return
		}
		g.Key("prog", "v1.2.3")
		g.Lookup().Entry("p.F")
		_, _, _ = rewriteOne(t, source, text)
	})
}
