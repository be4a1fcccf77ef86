package instrument

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// calls returns a request with the calls in text. Each line is a call: two blanks for
// each level, then the function. "~" after the function marks a leaf, "!" marks generated
// code.
func calls(text string) trace.Request {
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/"}
	var above []string
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		function := strings.TrimSpace(line)
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		call := trace.Call{ID: fmt.Sprintf("%016x", len(r.Calls)+1), Process: "mine", File: "p/code.go"}
		if plain, generated := strings.CutSuffix(function, "!"); generated {
			function, call.File = plain, "p/zz_generated.conversion.go"
		}
		if call.Function, call.Leaf = strings.CutSuffix(function, "~"); depth > 0 {
			call.Parent = above[depth-1]
		}
		above = append(above[:depth], call.ID)
		r.Calls = append(r.Calls, call)
	}
	return r
}

// TestCodeThatTheUserLooksFor checks the key steps in the user's module and in packages
// that --trace named. A function there is a key step if other code called it.
func TestCodeThatTheUserLooksFor(t *testing.T) {
	guide, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	rec := &trace.Recording{
		Servers: []string{"mine example.com/mine v0.1.0"},
		Edition: "0123456789ab k8s.io/chosen/... k8s.io/single",
		Requests: []trace.Request{calls(`
k8s.io/apiserver/pkg/endpoints/handlers.createHandler.func1
  example.com/mine/pkg/registry.(*REST).Create
    example.com/mine/pkg/registry.check
    k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Create
      example.com/mine/pkg/registry.strategy.PrepareForCreate
        example.com/mine/pkg/registry.check
      example.com/mine/pkg/registry.strategy.NamespaceScoped~
      example.com/mine/pkg/apis.RegisterConversions.func1!
      example.com/mine/pkg/apis.(*Object).DeepCopyObject
  example.com/mine2/pkg.F
  k8s.io/chosen/a.F
    k8s.io/chosen/b.G
    k8s.io/other.Each
      k8s.io/chosen/a.F.func1
  k8s.io/chosen/a.Handler.func2
    k8s.io/single.F
      k8s.io/chosen/b.H
    k8s.io/single.Leaf~
  k8s.io/single/below.F`)},
	}
	if err := rec.Validate(); err != nil {
		t.Fatal(err)
	}
	reader := guide.ForReader("en", rec)
	for function, want := range map[string]struct {
		layer      string
		key, minor bool
	}{
		"example.com/mine/pkg/registry.(*REST).Create":                   {"own", true, false},
		"example.com/mine/pkg/registry.check":                            {"own", false, false},
		"example.com/mine/pkg/registry.strategy.PrepareForCreate":        {"own", true, false},
		"example.com/mine/pkg/registry.strategy.NamespaceScoped":         {"own", true, false},
		"example.com/mine/pkg/apis.RegisterConversions.func1":            {"own", true, true},
		"example.com/mine/pkg/apis.(*Object).DeepCopyObject":             {"own", false, false},
		"example.com/mine2/pkg.F":                                        {"", false, false},
		"k8s.io/chosen/a.F":                                              {"more", true, false},
		"k8s.io/chosen/b.G":                                              {"more", false, false},
		"k8s.io/chosen/a.F.func1":                                        {"more", false, false}, // a callback: a.F, which made it, still runs
		"k8s.io/chosen/a.Handler.func2":                                  {"more", true, false},  // a.Handler, which made it, has returned
		"k8s.io/single.F":                                                {"more", true, false},
		"k8s.io/single.Leaf":                                             {"more", true, true},
		"k8s.io/chosen/b.H":                                              {"more", true, false},
		"k8s.io/single/below.F":                                          {"", false, false},
		"k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Create": {"registry", true, false},
	} {
		if layer, key, minor := reader.Layer(function), reader.Key(function), reader.Minor(function); layer != want.layer || key != want.key || minor != want.minor {
			t.Errorf("%s: layer %q, key step %v, minor %v, expected %+v", function, layer, key, minor, want)
		}
	}
	for lang, want := range map[string]string{"en": "The server's own code (example.com/mine)", "zh": "服务器自己的代码（example.com/mine）"} {
		if got := guide.ForReader(lang, rec).Title(trace.LayerOwn); got != want {
			t.Errorf("%s: the title of the layer is %q, expected %q", lang, got, want)
		}
	}
	if usual := guide.ForReader("en", &trace.Recording{Requests: rec.Requests}); usual.Key("example.com/mine/pkg/registry.(*REST).Create") || usual.Title(trace.LayerOwn) != "" {
		t.Error("a recording without a server of the user has key steps in the user's module")
	}
}
