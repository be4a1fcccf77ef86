package controlplane

import (
	"errors"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// The guide has each program, and trace.Versions knows the program's version.
func TestProgramsAreKnown(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Programs() {
		if guide.Programs[p.Name] == nil {
			t.Errorf("the guide has no program %q", p.Name)
		}
		if version := trace.Versions("v1.37.1", p.Name, "").Version(p.Name); version != "v1.37.1" {
			t.Errorf("the version of %s is %q", p.Name, version)
		}
	}
}

// Changes keep the lines of the file, so that a trace has upstream's line numbers.
func TestChangesKeepLines(t *testing.T) {
	for _, version := range []string{"v1.30.4", "v1.37.1"} {
		for _, p := range Programs() {
			found, err := p.ForVersion(version, nil)
			if err != nil {
				t.Fatal(err)
			}
			if changed := len(found.Changes) > 0; changed != (p.Name == kubelet) {
				t.Errorf("%s %s has changes: %t, expected changes of kubelet only", p.Name, version, changed)
			}
			for _, c := range found.Changes {
				if strings.Count(c.Old, "\n") != strings.Count(c.New, "\n") {
					t.Errorf("%s %s: %q does not have as many lines as %q", p.Name, version, c.New, c.Old)
				}
			}
		}
	}
}

func TestCheckVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.30.0": "", "v1.37.1": "", "v1.38.0": "",
		"v1.29.15":                    "needs Kubernetes v1.30 or newer, not v1.29.15",
		"v1.37.1+d5ef25b8cd.06f22a28": "not built from a checkout",
	} {
		err := CheckVersion(version)
		if want == "" && err == nil {
			continue
		}
		if err == nil || want == "" || !strings.Contains(err.Error(), want) || !errors.As(err, new(*message.UsageError)) {
			t.Errorf("%s: %v, expected %q", version, err, want)
		}
	}
}
