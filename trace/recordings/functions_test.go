package recordings

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestFunctions compares the result of Functions with the calls in all recordings of a release.
func TestFunctions(t *testing.T) {
	all, err := All(Latest)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Function{}
	for _, rec := range all {
		for _, r := range rec.Requests {
			for i := range r.Calls {
				call := &r.Calls[i]
				f, known := want[call.Function]
				if !known {
					f = Function{Name: call.Function, Process: call.Process, File: call.File, Line: call.Line}
				}
				if call.Process == trace.ProcessAPIServer {
					f.Process, f.File, f.Line = call.Process, call.File, call.Line
				}
				if !slices.Contains(f.Scenarios, rec.Scenario) {
					f.Scenarios = append(f.Scenarios, rec.Scenario)
				}
				want[call.Function] = f
			}
		}
	}
	functions, err := Functions(Latest)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Function{}
	for _, f := range functions {
		got[f.Name] = f
	}
	if len(got) != len(functions) {
		t.Errorf("%d functions have %d different names, expected each name once", len(functions), len(got))
	}
	if create := got["k8s.io/apiserver/pkg/registry/rest.BeforeCreate"]; create.Process != trace.ProcessAPIServer {
		t.Errorf("rest.BeforeCreate is of %s, expected kube-apiserver, although sample-apiserver runs it first", create.Process)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-called +listed:\n%s", diff)
	}
}

func TestFunctionsOfUnknownVersion(t *testing.T) {
	if _, err := Functions("v1.2.3"); err == nil {
		t.Error("Functions of a release without recordings returned no error")
	}
}
