package e2e

import (
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// TestScenarioFiles plays scenario files with requests that no scenario of the library
// has: a subresource that cannot be read, a broken body, a watch without events, a token
// from an answer in a header. It plays each file twice, because the second run finds the
// objects that the first one has left.
func TestScenarioFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario files: %v", err)
	}
	s := server(t, traced)
	for _, file := range files {
		scenario, err := scenarios.Find(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for range 2 {
			requests, _ := play(t, s, file)
			checkExpectations(t, scenario, requests)
		}
	}
}
