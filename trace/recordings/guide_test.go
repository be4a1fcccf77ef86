package recordings_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// goMain is the function of the Go runtime above all calls of a program's start.
const goMain = "runtime.main"

// TestFunctionsHaveLayers checks that every recorded function belongs to a layer.
func TestFunctionsHaveLayers(t *testing.T) { checkLayers(t) }

func TestSlowFunctionsHaveLayers(t *testing.T) {
	testenv.Slow(t)
	checkLayers(t)
}

func checkLayers(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	lookup := guide.Lookup()
	without := map[string]string{}
	for _, info := range testenv.Releases(t, all) {
		traces, err := recordings.All(info.K8sVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range traces {
			for _, r := range rec.Requests {
				for i := range r.Calls {
					if f := r.Calls[i].Function; f != goMain && lookup.Layer(f) == "" {
						without[f] = info.K8sVersion + " " + rec.Scenario
					}
				}
			}
		}
	}
	for _, function := range slices.Sorted(maps.Keys(without)) {
		t.Errorf("%s (%s) is in no layer of the guide: give it one in instrument/guide", function, without[function])
	}
}

// TestStepsExist checks that every release has the functions of the guide's steps.
// Without the right "since" or "until" of a step, building another release would fail.
func TestStepsExist(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		code, err := recordings.CodeOf(info.K8sVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range code.Programs() {
			version := info.K8sVersion
			if trace.ProcessOf(program).Store {
				version = info.EtcdVersion
			}
			for _, s := range guide.Steps {
				name := string(s.Function)
				if s.Function.Exact() && s.Has(version) && code.Traces(program, funcname.Package(name)) && code.Function(program, name) == nil {
					t.Errorf("%s %s has no function %q, which the guide names: give the step \"since\" or \"until\"", program, version, name)
				}
			}
		}
	}
}
