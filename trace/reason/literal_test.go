package reason

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestNumbersOfLiteralsShift compares literals by their numbers only if their function has the same ones on both sides.
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
