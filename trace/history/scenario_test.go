package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestSteps compares each step of a scenario with a comparison of recordings that the test loads
// itself.
func TestSteps(t *testing.T) {
	const scenario = "watch-list" // not every release has recorded it
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
			t.Errorf("step %d: got %s with NotRecorded = %v, expected the next release and whether it has the recording", i, step.Version, step.NotRecorded)
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
			t.Fatalf("%s: got the changes %v, expected nil for the first recorded release only", step.Version, step.Changes)
		}
		if was != nil {
			want := diff.CompareRecordings(was, rec, diff.Options{})
			if step.Changes.A.K8sVersion != was.K8sVersion || step.Changes.B.K8sVersion != step.Version {
				t.Errorf("%s was compared with %s, expected the step's release and the last earlier one", step.Changes.B.K8sVersion, step.Changes.A.K8sVersion)
			}
			for n := range want.Requests {
				if d := cmp.Diff(want.Requests[n].Diff.Changes, step.Changes.Requests[n].Diff.Changes); d != "" {
					t.Errorf("%s, request %d: -own comparison +Steps:\n%s", step.Version, n+1, d)
				}
			}
			compared++
		}
		was = rec
	}
	if i != len(infos) || compared < 2 {
		t.Errorf("got %d steps for %d releases, and %d comparisons, expected a step for each release and at least 2 comparisons", i, len(infos), compared)
	}
}
