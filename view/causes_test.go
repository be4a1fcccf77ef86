package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestCausesOnlyInFullView checks that only the full view shows the ids of further causes.
func TestCausesOnlyInFullView(t *testing.T) {
	rec := viewtest.FollowedDeployment()
	const merged = 3 // the event of the ReplicaSet
	if len(rec.Requests[merged].Calls[1].Causes()) == 0 {
		t.Fatal("expected a call with further causes")
	}
	for _, full := range []bool{false, true} {
		doc, err := view.NewTrace(rec, merged, viewtest.EveryStep{}, view.Options{Choice: view.Choice{Full: full}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), trace.AttrCauses); got != full {
			t.Errorf("full view %t: shows the causes: %t", full, got)
		}
	}
}
