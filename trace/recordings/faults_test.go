package recordings

import (
	"slices"
	"strings"
	"testing"
)

// maxFault is the maximum average size of a fault's recording.
const maxFault = 40_000

// TestFaultsLoad checks that each recording of a fault can be read, names no
// file, and is in no list of scenarios.
func TestFaultsLoad(t *testing.T) {
	info, err := faultsInfo(Latest)
	if err != nil || len(info.Scenarios) == 0 || info.Recorded.IsZero() || info.Command == "" || info.Go == "" {
		t.Fatalf("%+v, %v", info, err)
	}
	if strings.HasSuffix(info.Apitrace, "-dirty") {
		t.Errorf("recorded by %s: record from a clean commit", info.Apitrace)
	}
	if info.Size > maxFault*int64(len(info.Scenarios)) {
		t.Errorf("%d recordings take %d bytes, expected %d each", len(info.Scenarios), info.Size, maxFault)
	}
	right, err := find(Latest)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range info.Scenarios {
		rec, err := Load(Latest, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rec.Scenario != name || rec.K8sVersion != right.K8sVersion || len(rec.Requests) != 1 || !slices.Equal(rec.Edited, []string{name}) {
			t.Errorf("%s: it is of %s, %s, edited %q, with %d requests", name, rec.Scenario, rec.K8sVersion, rec.Edited, len(rec.Requests))
		}
		if has, err := Has(Latest, name); err != nil || !has || right.Has(name) {
			t.Errorf("%s: Has is %v, %v; a scenario of the release: %v", name, has, err, right.Has(name))
		}
	}
}

// TestFaultsOfARelease checks that a release without faults has none, and that
// Has knows scenarios.
func TestFaultsOfARelease(t *testing.T) {
	if info, err := faultsInfo("v1.30"); err != nil || len(info.Scenarios) > 0 {
		t.Errorf("%+v, %v", info, err)
	}
	for scenario, want := range map[string]bool{"get-node": true, "fault-a": false, "no-such": false} {
		if has, err := Has("v1.30", scenario); err != nil || has != want {
			t.Errorf("%s: %v, %v", scenario, has, err)
		}
	}
	if _, err := Has("v1.99", "get-node"); err == nil {
		t.Error("a release that is not recorded has a recording")
	}
	if _, err := Load("v1.30", "fault-a"); err == nil {
		t.Error("a release without faults gave the recording of one")
	}
}
