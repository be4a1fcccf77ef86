package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestSteps compares each step of a scenario with a comparison of recordings that were loaded for it alone.
func TestSteps(t *testing.T) {
	const scenario = "watch-list" // not every release has it
	steps, err := Steps(scenario, func(c *diff.Comparison) (*diff.Comparison, error) { return c, nil })
	if err != nil {
		t.Fatal(err)
	}
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var was *trace.Recording
	i, compared := 0, 0
	for step, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
		if step.Version != infos[i].K8sVersion || step.NotRecorded == infos[i].Has(scenario) {
			t.Errorf("step %d is %s, not recorded: %v", i, step.Version, step.NotRecorded)
		}
		i++
		if step.NotRecorded {
			continue
		}
		rec, err := recordings.Load(step.Version, scenario)
		if err != nil {
			t.Fatal(err)
		}
		if (step.Changes == nil) != (was == nil) {
			t.Fatalf("%s: changes %v", step.Version, step.Changes)
		}
		if was != nil {
			want := diff.CompareRecordings(was, rec, diff.Options{})
			if step.Changes.A.K8sVersion != was.K8sVersion || step.Changes.B.K8sVersion != step.Version {
				t.Errorf("%s is compared with %s", step.Changes.B.K8sVersion, step.Changes.A.K8sVersion)
			}
			for n := range want.Requests {
				if d := cmp.Diff(want.Requests[n].Diff.Changes, step.Changes.Requests[n].Diff.Changes); d != "" {
					t.Errorf("%s, request %d (-alone +in the history):\n%s", step.Version, n+1, d)
				}
			}
			compared++
		}
		was = rec
	}
	if i != len(infos) || compared < 2 {
		t.Errorf("%d of %d releases, %d comparisons", i, len(infos), compared)
	}
}
