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
			t.Errorf("renumbered(%s) = %v, expected %v", function, got, want)
		}
	}
}

// fromFirstLine records calls that a function makes from its first line after the header.
func fromFirstLine(caller string, called ...string) *trace.Recording {
	rec := recorded(called...)
	rec.Requests[0].Calls[0].Function = caller
	for i := range rec.Requests[0].Calls {
		rec.Requests[0].Calls[i].CallerLine = 1
	}
	return rec
}

// TestLiteralsThatChangedPlaces compares p.Register with two literals on both
// sides. The first literal calls p.ConvertA in the older source. If the second
// has that call in the newer source, the literals may have swapped numbers, so
// the reason is not known. If no literal has the call, the reason is known.
func TestLiteralsThatChangedPlaces(t *testing.T) {
	code := func(first, second string) *recordings.Code {
		call := func(name string) []recordings.SourceCall { return []recordings.SourceCall{{Name: name, Line: 1}} }
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: []recordings.Source{
			{Name: "p.ConvertA"}, {Name: "p.ConvertB"}, {Name: "p.Register"},
			{Name: "p.Register.func1", Calls: call(first)}, {Name: "p.Register.func2", Calls: call(second)},
		}}})
	}
	a, b := fromFirstLine("p.Register.func1", "p.ConvertA"), fromFirstLine("p.Register.func1")
	for _, test := range []struct {
		name  string
		newer *recordings.Code
		want  Why
	}{
		{"the second literal has the call", code("p.ConvertB", "p.ConvertA"), NoReason},
		{"no literal has the call", code("p.ConvertB", "p.ConvertB"), NewCall},
	} {
		d := CompareRecordings(a, b, Options{}).Requests[0].Diff
		if len(d.Changes) != 1 {
			t.Fatalf("got %d changes, expected one: %+v", len(d.Changes), d.Changes)
		}
		if got := NewReasonsOf(code("p.ConvertA", "p.ConvertB"), test.newer).Of(d, d.Changes[0]); got.Why != test.want {
			t.Errorf("%s: got the reason %q, expected %q", test.name, got.Why, test.want)
		}
	}
}

// TestCallThroughAnotherInterface compares a call of a method that only the newer release
// ran. The older source calls a method of that name through another interface. It may be the
// same call.
func TestCallThroughAnotherInterface(t *testing.T) {
	code := func(kind recordings.CallKind, called string) *recordings.Code {
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: []recordings.Source{
			{Name: "p.Chain", Calls: []recordings.SourceCall{{Kind: kind, Name: called, Line: 1}}}, {Name: "p.T.Authorize"},
		}}})
	}
	for _, test := range []struct {
		name  string
		older *recordings.Code
		want  Why
	}{
		{"another interface", code(recordings.CallInterface, "p.Authorizer.Authorize"), NoReason},
		{"another method", code(recordings.CallInterface, "p.Authorizer.RulesFor"), NewCall},
		{"a function of that name", code(recordings.CallStatic, "q.Authorize"), NewCall},
	} {
		d := CompareRecordings(fromFirstLine("p.Chain"), fromFirstLine("p.Chain", "p.T.Authorize"), Options{}).Requests[0].Diff
		if len(d.Changes) != 1 {
			t.Fatalf("got %d changes, expected one: %+v", len(d.Changes), d.Changes)
		}
		reasons := NewReasonsOf(test.older, code(recordings.CallInterface, "p.UnconditionalAuthorizer.Authorize"))
		if got := reasons.Of(d, d.Changes[0]); got.Why != test.want {
			t.Errorf("%s: got the reason %q, expected %q", test.name, got.Why, test.want)
		}
	}
}

// TestAnotherFunctionInPlaceOfALiteral compares a literal of p.Register with
// q.Register.func1, which ran in its place in the newer release. In the newer
// source, p.Register has one more literal. q.Register.func1 does not call
// p.Convert, but this says nothing about the literal of p.Register.
func TestAnotherFunctionInPlaceOfALiteral(t *testing.T) {
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
		t.Errorf("got the reason %q, expected NoReason", got.Why)
	}
}

// TestFilterThatOnlyOneSourceMakes checks the reason why the filter
// p.Filter.func1 ran on one side only. Its caller reaches it through an
// interface.
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
		{"both sources make the filter", []string{"p.Chain"}, []string{"p.Chain"}, OtherWay},
		{"only this source makes it", []string{"p.Chain"}, nil, NewCall},
		{"the other source makes it in one of two places", []string{"p.Chain", "p.Insecure"}, []string{"p.Insecure"}, NoReason},
		{"the other source makes it in one more place", []string{"p.Chain"}, []string{"p.Chain", "p.Insecure"}, OtherWay},
	} {
		if got := NewReasonsOf(code(test.here...), code(test.there...)).Of(d, d.Changes[0]); got.Why != test.want {
			t.Errorf("%s: got the reason %q, expected %q", test.name, got.Why, test.want)
		}
	}
}
