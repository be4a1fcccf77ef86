package calls

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

const featuresSource = `package features

type Feature string

const (
	Fast Feature = "Fast"
	Safe Feature = "Safe"
)

type Spec struct{ Default bool }

var defaults = map[Feature]Spec{Fast: {Default: true}, Safe: {Default: false}}

type gates struct{}

func (gates) Enabled(f Feature) bool { return defaults[f].Default }

var Gates gates
`

const gatedSource = `package gated

import "x.io/features"

func direct() {}
func local() {}
func twoSteps() {}
func once() {}
func twice() {}
func pointer() {}
func parameter() {}
func text() {}

func F(name string, given bool) {
	if name == "" && features.Gates.Enabled(features.Fast) {
		direct()
	}
	fast := features.Gates.Enabled(features.Fast)
	cached := name == "" && fast
	if cached {
		local()
	}
	slow := !(cached || name == "x")
	if slow {
		twoSteps()
	}
	var set bool
	if name != "" {
		set = name == "y" || features.Gates.Enabled(features.Safe)
	}
	if set {
		once()
	}
	both := fast && name == "a"
	both = name == "b"
	if both {
		twice()
	}
	shared := fast && name == "c"
	write(&shared)
	if shared {
		pointer()
	}
	given = given && fast
	if given {
		parameter()
	}
	word := pick(fast)
	if word == "" {
		text()
	}
}

func write(to *bool)         { *to = false }
func pick(fast bool) string { return "" }
`

// TestGates checks which feature gate each call in F depends on. A condition may use a
// gate through local variables that are assigned once. Another variable may have another
// value than the gate, so the calls in its branch have no gate.
func TestGates(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"x.io/features/features.go": featuresSource, "x.io/gated/gated.go": gatedSource} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const program = "kube-apiserver"
	guide := &instrument.Guide{Programs: map[string]*instrument.ProgramGuide{program: {Packages: []instrument.Packages{{Path: "x.io/gated"}}, Partial: true}}}
	read, err := Read(guide, &source.Tree{Program: program, Version: "v1.37.1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"Fast": true, "Safe": false}, read.Gates); diff != "" {
		t.Errorf("defaults, -want +got:\n%s", diff)
	}
	at := slices.IndexFunc(read.Functions, func(f recordings.Source) bool { return f.Name == "x.io/gated.F" })
	if at < 0 {
		t.Fatalf("no function F: %v", read.Functions)
	}
	gates, asked := map[string]string{}, []string{}
	for _, c := range read.Functions[at].Calls {
		switch c.Kind {
		case recordings.CallStatic:
			gates[c.Name] = c.Gate
		case recordings.CallAsks:
			asked = append(asked, c.Name)
		}
	}
	want := map[string]string{
		"x.io/features.gates.Enabled": "",
		"x.io/gated.direct":           "Fast", "x.io/gated.local": "Fast", "x.io/gated.twoSteps": "Fast", "x.io/gated.once": "Safe",
		"x.io/gated.twice": "", "x.io/gated.pointer": "", "x.io/gated.parameter": "", "x.io/gated.text": "",
		"x.io/gated.write": "", "x.io/gated.pick": "",
	}
	if diff := cmp.Diff(want, gates); diff != "" {
		t.Errorf("gates of the calls, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Fast", "Fast", "Safe"}, asked); diff != "" {
		t.Errorf("gates that F asks for, -want +got:\n%s", diff)
	}
}
