package recordings_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// goMain is Go's own function above all calls of a program's start.
const goMain = "runtime.main"

// Every recorded function must belong to a layer, in every release.
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
