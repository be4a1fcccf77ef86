package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// rewriteEdited rewrites package p, with the files a.go and b.go. edited are the edited
// files. Package q is not traced.
func rewriteEdited(t *testing.T, guide string, edited map[string]EditedFile) (vendor string, _ *Result, err error) {
	t.Helper()
	vendor = filepath.Join(t.TempDir(), "vendor")
	for name, text := range map[string]string{
		"p/a.go": "package p\n\nfunc A() { B() }\n",
		"p/b.go": "package p\n\nfunc B() { A() }\n",
		"q/q.go": "package q\n\nfunc Q() { Q() }\n",
	} {
		file := filepath.Join(vendor, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := load(fstest.MapFS{"guide.yaml": {Data: []byte(guide)}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Rewrite(Options{Guide: g, Program: "prog", Version: "v1.2.3", Vendor: vendor, Out: t.TempDir(), Edited: edited})
	return vendor, res, err
}

func TestRewriteEdited(t *testing.T) {
	vendor, res, err := rewriteEdited(t, plainGuide, map[string]EditedFile{
		"p/a.go": {Path: "mine/a.go", Text: []byte("package p\n\n// Mine.\nfunc A() { C() }\n\nfunc C() { B() }\n")},
		"q/q.go": {Path: "mine/q.go", Text: []byte("package q\n\nfunc Q() { println() }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(res.Overlay[filepath.Join(vendor, name)])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := read("p/a.go"); !strings.Contains(text, "func A() {") || !strings.Contains(text, "C()") || !strings.Contains(text, "apitraceProbe") {
		t.Errorf("the edited file was not instrumented:\n%s", text)
	}
	if text := read("q/q.go"); text != "package q\n\nfunc Q() { println() }\n" {
		t.Errorf("expected the unchanged text of an edited file in a package that is not traced, got\n%s", text)
	}
	lines := map[string]int{}
	for _, f := range res.Functions {
		lines[f.Name] = f.Line
	}
	if lines["p.A"] != 4 || lines["p.C"] != 6 {
		t.Errorf("the lines of the functions are %v, expected the lines in the edited text", lines)
	}
	if text, err := os.ReadFile(filepath.Join(vendor, "p", "a.go")); err != nil || !strings.Contains(string(text), "A() { B() }") {
		t.Errorf("the pristine file must not change: got %s and the error %v", text, err)
	}
}

func TestRewriteEditedMistakes(t *testing.T) {
	const guide = "programs: {prog: {packages: [{path: p}]}}\nlayers: [{name: l, title: {en: L, zh: L}, match: [p.*]}]\nsteps: [{function: p.A, values: [{name: n, at: entry, expr: 1}], note: {en: n, zh: n}}]"
	for name, c := range map[string]struct {
		file EditedFile
		at   string
		want []string
	}{
		"syntax":  {EditedFile{"mine/a.go", []byte("package p\n\nfunc A() {\n")}, "p/a.go", []string{"mine/a.go:3"}},
		"renamed": {EditedFile{"mine/a.go", []byte("package p\n\nfunc Z() { B() }\n")}, "p/a.go", []string{`no function "p.A" any more`, "mine/a.go"}},
		"nowhere": {EditedFile{"mine/z.go", []byte("package p\n")}, "p/z.go", []string{`"p/z.go" is edited`, "no such file"}},
	} {
		_, _, err := rewriteEdited(t, guide, map[string]EditedFile{c.at: c.file})
		if err == nil {
			t.Errorf("%s: got no error, expected one", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; expected it to say %q", name, err, want)
			}
		}
	}
}
