package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestNoRecordingHoldsSecrets checks that no recording holds a secret value that its
// scenario sends.
func TestNoRecordingHoldsSecrets(t *testing.T) {
	library, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, scenario := range library {
		var values []string
		for _, r := range scenario.Requests {
			if r.Body == nil || !(collect.Secrets{}).Hold(r.Path) {
				continue
			}
			for _, v := range collect.SecretValues(r.Body.JSON()) {
				if len(v) >= 6 {
					values = append(values, v)
				}
			}
		}
		if len(values) == 0 {
			continue
		}
		for _, release := range releases {
			recording, err := recordings.Load(release.K8sVersion, scenario.Name)
			if err != nil {
				continue // the release has no recording of the scenario
			}
			text, err := json.Marshal(recording)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			for _, v := range values {
				if strings.Contains(string(text), v) {
					t.Errorf("the recording of %s on %s holds %q", scenario.Name, release.K8sVersion, v)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no recording was checked, expected scenarios that send secret values")
	}
	t.Logf("checked %d recordings", checked)
}
