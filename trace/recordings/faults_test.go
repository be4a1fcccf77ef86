package recordings

import (
	"slices"
	"strings"
	"testing"
)

// maxFault is the maximum average size of a fault's recording in bytes.
const maxFault = 40_000

// TestFaultsLoad checks that each recording of a fault can be read, has the fault's
// name as its only edited file, and is not a scenario of the release.
func TestFaultsLoad(t *testing.T) {
	info, err := faultsInfo(Latest)
	if err != nil || len(info.Scenarios) == 0 || info.Recorded.IsZero() || info.Command == "" || info.Go == "" {
		t.Fatalf("faultsInfo = %+v, %v, expected recordings and how they were made", info, err)
	}
	if strings.HasSuffix(info.Apitrace, "-dirty") {
		t.Errorf("recorded by %s: record from a clean commit", info.Apitrace)
	}
	if info.Size > maxFault*int64(len(info.Scenarios)) {
		t.Errorf("%d recordings take %d bytes, expected at most %d bytes each", len(info.Scenarios), info.Size, maxFault)
	}
	release, err := find(Latest)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range info.Scenarios {
		rec, err := Load(Latest, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rec.Scenario != name || rec.K8sVersion != release.K8sVersion || len(rec.Requests) != 1 || !slices.Equal(rec.Edited, []string{name}) {
			t.Errorf("recording of fault %s: got the scenario %s, release %s, edited files %q and %d requests, expected the fault as scenario and edited file, the newest release and one request", name, rec.Scenario, rec.K8sVersion, rec.Edited, len(rec.Requests))
		}
		if has, err := Has(Latest, name); err != nil || !has || release.Has(name) {
			t.Errorf("%s: Has = %v, %v, expected true; the release has such a scenario: %v, expected false", name, has, err, release.Has(name))
		}
	}
}

// TestFaultsOfARelease checks faultsInfo, Has and Load for a release without
// recordings of faults.
func TestFaultsOfARelease(t *testing.T) {
	if info, err := faultsInfo("v1.30"); err != nil || len(info.Scenarios) > 0 {
		t.Errorf("faultsInfo of v1.30 = %+v, %v, expected no scenarios", info, err)
	}
	for scenario, want := range map[string]bool{"get-node": true, "fault-a": false, "no-such": false} {
		if has, err := Has("v1.30", scenario); err != nil || has != want {
			t.Errorf("Has(v1.30, %s) = %v, %v, expected the opposite", scenario, has, err)
		}
	}
	if _, err := Has("v1.99", "get-node"); err == nil {
		t.Error("Has of the unknown release v1.99 returned no error")
	}
	if _, err := Load("v1.30", "fault-a"); err == nil {
		t.Error("Load of a fault for v1.30, which has no faults, returned no error")
	}
}
