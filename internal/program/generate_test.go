package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// lacking returns a program that cannot be built from its module alone: it needs Replace and
// Generate.
func lacking() Program {
	return Program{
		Name: "lacking", Module: "example.org/lacking", Version: "v1.0.0", Main: "cmd/lacking/lacking.go", Space: 1,
		Replace:  map[string]module.Version{"example.gone/dep": {Path: "example.org/dep"}},
		Generate: []Generator{{Tool: "example.org/gen", Marker: "+wish=", Args: []string{"${packages}", "${vendor}"}}},
	}
}

// TestGenerate checks that the source that upstream's module lacks is generated from the packages
// of the workspace, and becomes part of the vendor folder.
func TestGenerate(t *testing.T) {
	needsBuilds(t)
	b, r := mustBuild(t, lacking(), Options{Cache: newCache(t)})
	if got, want := output(t, b), "hello example.org/lacking/wish"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	if got, want := r.stages(), "resolve download tidy vendor generate compile link done"; got != want {
		t.Errorf("stages %q, want %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join(b.Workspace, "vendor/example.org/lacking/generated/zz_generated.go"))
	if err != nil || !strings.Contains(string(text), "example.org/lacking/wish") {
		t.Errorf("the generated source is %q (error %v), want the marked package in it", text, err)
	}
	if _, err := os.Stat(filepath.Join(b.Workspace, generateDir)); !os.IsNotExist(err) {
		t.Errorf("looking for the generator in the workspace: got the error %v, want that it was removed", err)
	}
}

// TestLackingWithoutRepairs checks that the program does not build without Generate, without
// Replace, or without a marked package.
func TestLackingWithoutRepairs(t *testing.T) {
	needsBuilds(t)
	for name, change := range map[string]func(*Program){
		"undefined: generated.Packages": func(p *Program) { p.Generate = nil },
		"example.gone/dep":              func(p *Program) { p.Replace = nil },
		`no package has the comment "+nobody="`: func(p *Program) {
			p.Generate[0].Marker = "+nobody="
		},
	} {
		p := lacking()
		change(&p)
		if _, err := Build(t.Context(), p, Options{Cache: newCache(t)}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Build: got the error %v, expected %q in it", err, name)
		}
	}
}

// TestGeneratorsAreKeyed checks that the workspace's key depends on the generators.
func TestGeneratorsAreKeyed(t *testing.T) {
	keys := map[string]bool{}
	for _, p := range []Program{{}, lacking(), {Generate: []Generator{{Tool: "example.org/other"}}}} {
		keys[p.workspaceKey(Upstream{}, nil)] = true
	}
	if len(keys) != 3 {
		t.Errorf("got %d keys for three lists of generators, want 3", len(keys))
	}
}

func TestMarkedIn(t *testing.T) {
	g := Generator{Marker: "+wish="}
	for text, want := range map[string]bool{
		"// +wish=true\npackage p\n":                                      true,
		"package p\n//+wish=true\n":                                       true,
		"package p\n\n// The comment \"+wish=\" asks for it.\n":           false,
		"package p\n\nconst text = \"// +wish=\"\n":                       false,
		"package p\n\ntype T struct {\n\t// +wish=false\n\tF string\n}\n": false,
	} {
		if got := g.markedIn([]byte(text)); got != want {
			t.Errorf("markedIn(%q) = %t, want %t", text, got, want)
		}
	}
}
