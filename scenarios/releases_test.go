package scenarios

import (
	"strings"
	"testing"
)

func TestRunsOn(t *testing.T) {
	s := find(t, "policy-deny")
	if err := s.RunsOn("v1.30.4"); err != nil {
		t.Error(err)
	}
	err := s.RunsOn("v1.29.15")
	const want = `scenario "policy-deny" needs Kubernetes v1.30 or newer, this is v1.29.15: choose another release with --k8s`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s...", err, want)
	}
}
