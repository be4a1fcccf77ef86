package diff

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestNamesThatManyPackagesHave compares calls of Register, a function that
// every package has. It must not match the Register of another package, unless
// the whole package has moved.
func TestNamesThatManyPackagesHave(t *testing.T) {
	register := func(packages ...string) trace.Request {
		r := trace.Request{Method: "GET", Path: "/", Calls: []trace.Call{{ID: "top", Function: "k8s.io/a/scheme.Build", File: "k8s.io/a/scheme/build.go"}}}
		for _, pkg := range packages {
			id := "of " + pkg
			r.Calls = append(r.Calls,
				trace.Call{ID: id, Parent: "top", Function: "k8s.io/" + pkg + ".Register", File: "k8s.io/" + pkg + "/zz_generated.go"},
				trace.Call{ID: "in " + id, Parent: id, Function: "k8s.io/a/scheme.Add", File: "k8s.io/a/scheme/build.go"})
		}
		return r
	}
	both := []string{"b/v1", "c/v1", "d/v1", "e/v1", "f/v1", "g/v1"}
	for _, test := range []struct{ name, gone, came, want string }{
		{"another group", "apis/old/v1beta1", "apis/new/v1beta1", "added"},
		{"another version", "apis/old/v1beta1", "apis/old/v1", "added"},
		{"the same group elsewhere", "pkg/apis/old/v1beta1", "api/old/v1beta1", "renamed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := register(slices.Concat(both, []string{test.gone})...)
			b := register(slices.Concat(both, []string{test.came})...)
			d := compare(trace.TreeOfValid(&a), trace.TreeOfValid(&b), Options{})
			var kinds []string
			for _, c := range d.Changes {
				if c.B != None && d.B.Call(c.B).Function == "k8s.io/"+test.came+".Register" {
					kinds = append(kinds, string(c.Kind))
				}
			}
			if !slices.Contains(kinds, test.want) || len(kinds) != 1 {
				t.Errorf("changes of Register in package %s: got the kinds %v, expected only %s", test.came, kinds, test.want)
			}
		})
	}
}
