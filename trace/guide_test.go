package trace_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
)

// constants returns the values of a file's constants, by name. It skips a constant that is
// not a single literal.
func constants(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			value, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				return true // for example, the variable processes
			}
			all[spec.Names[0].Name] = constant.StringVal(constant.MakeFromLiteral(value.Value, value.Kind, 0))
		}
		return true
	})
	return all
}

// TestConstantsMatchTheGuide compares the layers, attributes and programs of this package
// with those in the guide, so that neither can be renamed alone.
func TestConstantsMatchTheGuide(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	layers, keys := map[string]bool{}, map[string]bool{}
	for _, layer := range guide.Layers {
		layers[layer.Name] = true
	}
	for _, step := range guide.Steps {
		for _, value := range step.Values {
			keys[value.Name] = true
			if !strings.HasPrefix(value.Name, "apitrace.") && value.Name != trace.AttrStatusCode && value.Name != trace.AttrNamespace {
				t.Errorf("the guide has the value %q: expected a name that begins with \"apitrace.\", or %q or %q", value.Name, trace.AttrStatusCode, trace.AttrNamespace)
			}
		}
	}
	for _, program := range guide.Programs {
		for _, source := range program.Sources {
			for _, value := range source.Values {
				keys[value.Name] = true
			}
		}
	}
	for _, layer := range []string{trace.LayerOwn, trace.LayerMore} {
		if layers[layer] {
			t.Errorf("the guide has the layer %q, which is only for functions that the guide does not know", layer)
		}
		layers[layer] = true
	}
	declared := slices.Sorted(maps.Values(constants(t, "layers.go")))
	if used := slices.Sorted(maps.Keys(layers)); !slices.Equal(declared, used) {
		t.Errorf("trace/layers.go has the layers\n%q\nexpected the guide's layers and LayerOwn and LayerMore:\n%q", declared, used)
	}
	writers := map[string]string{ // by attribute that is not a value of the guide, the file with the code that sets it
		trace.AttrHandoff:           "../instrument/probe/handoff.go",
		trace.AttrCauses:            "../instrument/probe/cause.go",
		trace.AttrClientTraceparent: "../session/session.go",
	}
	for name, key := range constants(t, "attributes.go") {
		if file := writers[key]; file != "" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			} else if !strings.Contains(string(text), `"`+key+`"`) && !strings.Contains(string(text), "trace."+name) {
				t.Errorf("%s does not contain %q or trace.%s: expected that it sets the attribute", file, key, name)
			}
		} else if !keys[key] {
			t.Errorf("%s: the guide has no value %q", name, key)
		}
	}
	for _, program := range guide.Programs {
		for _, hop := range program.Causes {
			isTimer := slices.ContainsFunc(hop.Give, func(p instrument.Place) bool { return p.Delay != "" })
			if isTimer != (hop.Name == trace.HandoffTimer) {
				t.Errorf("the guide's link %q has delays: %t; expected it of %q only", hop.Name, isTimer, trace.HandoffTimer)
			}
		}
	}
	for name := range guide.Programs {
		if !slices.Contains(slices.Collect(maps.Values(constants(t, "processes.go"))), name) {
			t.Errorf("the guide's program %q has no constant in trace/processes.go", name)
		}
	}
}
