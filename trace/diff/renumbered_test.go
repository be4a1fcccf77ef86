package diff

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestNumbersOfLiteralsShift checks that literals are compared by their numbers
// only if their function has the same literals on both sides.
func TestNumbersOfLiteralsShift(t *testing.T) {
	code := func(names ...string) *recordings.Code {
		p := &recordings.Program{}
		for _, name := range names {
			p.Functions = append(p.Functions, recordings.Source{Name: name})
		}
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: p})
	}
	one := code("p.Run", "p.Run.func1", "p.Run.func2", "p.Stay", "p.Stay.func1", "p.Went", "p.Went.func1", "p.init.func1")
	two := code("p.Run", "p.Run.func1", "p.Run.func2", "p.Run.func3", "p.Stay", "p.Stay.func1", "p.Went", "p.init.func1", "p.init.func2")
	for function, want := range map[string]bool{
		"p.Run": false, "p.Run.func1": true, "p.Stay.func1": false, "p.Went.func1": false, "p.init.func1": true,
	} {
		if got := renumbered(one, two, trace.ProcessAPIServer, function); got != want {
			t.Errorf("%s: %v, expected %v", function, got, want)
		}
	}
}

// TestLiteralsThatChangedPlaces compares p.Register with two literals on both
// sides. In the newer text, the second literal has the call of the first. So
// nothing shows that the first no longer calls it. A call that no literal has any
// more is gone.
func TestLiteralsThatChangedPlaces(t *testing.T) {
	code := func(first, second string) *recordings.Code {
		call := func(name string) []recordings.SourceCall { return []recordings.SourceCall{{Name: name, Line: 1}} }
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: []recordings.Source{
			{Name: "p.ConvertA"}, {Name: "p.ConvertB"}, {Name: "p.Register"},
			{Name: "p.Register.func1", Calls: call(first)}, {Name: "p.Register.func2", Calls: call(second)},
		}}})
	}
	ran := func(called ...string) *trace.Recording {
		rec := recorded(called...)
		rec.Requests[0].Calls[0].Function = "p.Register.func1"
		for i := range rec.Requests[0].Calls {
			rec.Requests[0].Calls[i].CallerLine = 1
		}
		return rec
	}
	a, b := ran("p.ConvertA"), ran()
	for _, test := range []struct {
		name  string
		newer *recordings.Code
		want  Why
	}{
		{"the second has it now", code("p.ConvertB", "p.ConvertA"), NoReason},
		{"none has it", code("p.ConvertB", "p.ConvertB"), NewCall},
	} {
		d := CompareRecordings(a, b, Options{}).Requests[0].Diff
		if len(d.Changes) != 1 {
			t.Fatalf("%d changes, expected one: %+v", len(d.Changes), d.Changes)
		}
		if got := NewReasonsOf(code("p.ConvertA", "p.ConvertB"), test.newer).Of(d, d.Changes[0]); got.Why != test.want {
			t.Errorf("%s: %q, expected %q", test.name, got.Why, test.want)
		}
	}
}

// TestLiteralWhosePlaceAnotherFunctionTook compares a literal of p.Register with
// another function that ran in its place in the newer source. There, p.Register
// has one more literal. The other function lacks the call, but this says nothing
// about the literal.
func TestLiteralWhosePlaceAnotherFunctionTook(t *testing.T) {
	call := []recordings.SourceCall{{Name: "p.Convert", Line: 1}}
	code := func(more ...recordings.Source) *recordings.Code {
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: append([]recordings.Source{
			{Name: "p.Convert"}, {Name: "p.Register"}, {Name: "p.Register.func1", Calls: call},
		}, more...)}})
	}
	caller := func(name string, called ...string) *trace.Recording {
		rec := recorded(called...)
		rec.Requests[0].Calls[0].Function = name
		for i := range rec.Requests[0].Calls {
			rec.Requests[0].Calls[i].CallerLine = 1
		}
		return rec
	}
	a, b := caller("p.Register.func1", "p.Convert"), caller("q.Register.func1")
	d := &Diff{A: trace.TreeOfValid(&a.Requests[0]), B: trace.TreeOfValid(&b.Requests[0]), InB: []int{0, None}, InA: []int{0}}
	newer := code(recordings.Source{Name: "p.Register.func2"}, recordings.Source{Name: "q.Register"}, recordings.Source{Name: "q.Register.func1"})
	if got := NewReasonsOf(code(), newer).Of(d, Change{Kind: Removed, A: 1, B: None}); got.Why != NoReason {
		t.Errorf("%q, expected that nothing is known", got.Why)
	}
}

// TestFilterThatOnlyOneSourceMakes checks the reason why a filter ran on one side
// only. Its caller reaches it through an interface.
func TestFilterThatOnlyOneSourceMakes(t *testing.T) {
	code := func(makers ...string) *recordings.Code {
		functions := []recordings.Source{{Name: "p.Chain"}, {Name: "p.Filter"}, {Name: "p.Filter.func1"}, {Name: "p.Insecure"}}
		for i := range functions {
			if slices.Contains(makers, functions[i].Name) {
				functions[i].Calls = []recordings.SourceCall{{Name: "p.Filter"}}
			}
		}
		functions = append(functions, recordings.Source{Name: "p.Serve", Calls: []recordings.SourceCall{{Name: "http.Handler.ServeHTTP", Kind: recordings.CallInterface, Line: 1}}})
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: functions}})
	}
	a, b := recorded("p.Filter.func1"), recorded()
	d := CompareRecordings(a, b, Options{}).Requests[0].Diff
	for _, test := range []struct {
		name        string
		here, there []string
		want        Why
	}{
		{"both make it", []string{"p.Chain"}, []string{"p.Chain"}, OtherWay},
		{"only one makes it", []string{"p.Chain"}, nil, NewCall},
		{"one of two places makes it", []string{"p.Chain", "p.Insecure"}, []string{"p.Insecure"}, NoReason},
		{"another place makes it, too", []string{"p.Chain"}, []string{"p.Chain", "p.Insecure"}, OtherWay},
	} {
		if got := NewReasonsOf(code(test.here...), code(test.there...)).Of(d, d.Changes[0]); got.Why != test.want {
			t.Errorf("%s: %q, expected %q", test.name, got.Why, test.want)
		}
	}
}
