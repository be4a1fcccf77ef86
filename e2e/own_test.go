package e2e

import (
	"testing"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestOwnScenarios plays scenario files that were written from docs/scenarios.md alone:
// one with a webhook, and one with an object of a kind that the scenario defines.
func TestOwnScenarios(t *testing.T) {
	s := server(t, traced)
	for _, file := range []string{"testdata/no-load-balancers.yaml", "testdata/change-status.yaml"} {
		scenario, err := scenarios.Find(file)
		if err != nil {
			t.Fatal(err)
		}
		requests, _ := play(t, s, file)
		checkExpectations(t, scenario, requests)
		usualTree(t, s, file, 2, 5)
	}
}
