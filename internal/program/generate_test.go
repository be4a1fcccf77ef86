package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// lacking is a program that cannot be built from its module alone.
func lacking() Program {
	return Program{
		Name: "lacking", Module: "example.org/lacking", Version: "v1.0.0", Main: "cmd/lacking/lacking.go", Space: 1,
		Replace:  map[string]module.Version{"example.gone/dep": {Path: "example.org/dep"}},
		Generate: []Generator{{Tool: "example.org/gen", Marker: "+wish=", Args: []string{"${packages}", "${vendor}"}}},
	}
}

// Source that upstream's module lacks is generated from the packages of the workspace, with the
// version of the tool that upstream requires. It becomes part of the source tree for readers.
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
		t.Errorf("the generated source in the workspace: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(b.Workspace, generateDir)); !os.IsNotExist(err) {
		t.Errorf("the generator was left in the workspace (%v)", err)
	}
}

// Without Generate and Replace, the program does not build.
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
			t.Errorf("the build says %v, expected it to speak of %q", err, name)
		}
	}
}

// A generator is part of the workspace's key. Another generator gives another workspace.
func TestGeneratorsAreKeyed(t *testing.T) {
	keys := map[string]bool{}
	for _, p := range []Program{{}, lacking(), {Generate: []Generator{{Tool: "example.org/other"}}}} {
		keys[p.workspaceKey(Upstream{}, nil)] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys for three ways of generating", len(keys))
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
			t.Errorf("%q asks for it: %t, want %t", text, got, want)
		}
	}
}
