package workshop

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/fault"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestEachFaultIsAsked checks that each fault has a recording and one exercise. The
// exercise must compare the recording with the recording of a server without the fault.
// Only its explanation may show the patch.
func TestEachFaultIsAsked(t *testing.T) {
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	faults, err := fault.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if has, err := recordings.Has(recordings.Latest, f.Name); err != nil || !has {
			t.Errorf("%s is not recorded (%v): run \"make faults\"", f.Name, err)
		}
		var asked []*Exercise
		for _, e := range course.Exercises() {
			if e.Scenario == f.Name {
				asked = append(asked, e)
			}
		}
		if len(asked) != 1 {
			t.Errorf("%d exercises ask about %s, expected one", len(asked), f.Name)
			continue
		}
		e := asked[0]
		if e.Also["right"].Scenario != f.Scenario {
			t.Errorf("%s: right is %q, expected %q", e.Name, e.Also["right"].Scenario, f.Scenario)
		}
		if !strings.Contains(e.Debrief.En, f.Diff) || !strings.Contains(e.Debrief.Zh, f.Diff) {
			t.Errorf("%s: the explanation does not show the patch", e.Name)
		}
		shown := e.Question.En + e.Question.Zh + e.Title.En
		for _, hint := range e.Hints {
			shown += hint.En + hint.Zh
		}
		for _, file := range f.Files() {
			if strings.Contains(shown, file) {
				t.Errorf("%s: a text before the explanation names %s", e.Name, file)
			}
		}
	}
}
