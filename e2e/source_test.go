package e2e

import (
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestRecordedFunctionsAreInTheSource checks that the pristine source has every
// function of a real recording at the recorded place.
func TestRecordedFunctionsAreInTheSource(t *testing.T) {
	t.Parallel()
	testenv.NeedsServer(t)
	rec, err := trace.Load("../cmd/apitrace/testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]*source.Tree{}
	seen := map[string]bool{}
	for _, call := range rec.Requests[0].Calls {
		if seen[call.Function] {
			continue
		}
		seen[call.Function] = true
		if trees[call.Process] == nil {
			src, err := controlplane.SourceOf(t.Context(), call.Process, apiserver.BuildOptions{Version: rec.K8sVersion})
			if err != nil {
				t.Fatal(err)
			}
			trees[call.Process] = &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir}
		}
		f, err := trees[call.Process].Function(call.Function)
		if err != nil {
			t.Error(err)
		} else if f.File != call.File || f.Line != call.Line {
			t.Errorf("%s: found in the source at %s:%d, but recorded at %s:%d", call.Function, f.File, f.Line, call.File, call.Line)
		}
	}
}
