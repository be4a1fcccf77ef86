package apiserver

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestStamp(t *testing.T) {
	up := program.Upstream{Version: "v1.30.4", Commit: "a51b3b7", Time: time.Date(2024, 8, 14, 1, 2, 3, 0, time.UTC)}
	got := strings.Join(stamp(up), "\n")
	want := `k8s.io/component-base/version.gitVersion=v1.30.4
k8s.io/component-base/version.gitMajor=1
k8s.io/component-base/version.gitMinor=30
k8s.io/component-base/version.gitTreeState=clean
k8s.io/component-base/version.gitCommit=a51b3b7
k8s.io/component-base/version.buildDate=2024-08-14T01:02:03Z
k8s.io/client-go/pkg/version.gitVersion=v1.30.4
k8s.io/client-go/pkg/version.gitMajor=1
k8s.io/client-go/pkg/version.gitMinor=30
k8s.io/client-go/pkg/version.gitTreeState=clean
k8s.io/client-go/pkg/version.gitCommit=a51b3b7
k8s.io/client-go/pkg/version.buildDate=2024-08-14T01:02:03Z`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestStagingModules(t *testing.T) {
	p := Program("v1.30.4")
	if v, ok := p.LocalReplace("k8s.io/api", "staging/src/k8s.io/api"); v != "v0.30.4" || !ok {
		t.Errorf("k8s.io/api is replaced by %q, %t, want v0.30.4", v, ok)
	}
	if v, ok := p.LocalReplace("example.org/x", "third_party/x"); ok {
		t.Errorf("a module outside of staging is replaced by %q, want no replacement", v)
	}
	if v, _ := Program("v1.37.0-rc.1").LocalReplace("k8s.io/api", "staging/src/k8s.io/api"); v != "v0.37.0-rc.1" {
		t.Errorf("the staging version of v1.37.0-rc.1 is %q, want v0.37.0-rc.1", v)
	}
}

// TestExplainUnknown checks that an unknown version and a failing network get different
// advice.
func TestExplainUnknown(t *testing.T) {
	unknown := &program.DownloadError{Module: module, Version: "v1.37.99", Reason: "unknown revision v1.37.99"}
	if err := explainUnknown("v1.37.99", unknown); !strings.Contains(err.Error(), "the source of Kubernetes v1.37.99 is not available: there is no such release") || !strings.Contains(err.Error(), "such as v1.37.1") {
		t.Errorf("an unknown version: got %v, want an error that names existing releases", err)
	}
	offline := &program.DownloadError{Module: module, Version: "v1.37.1", Reason: "dial tcp: connection refused"}
	if err := explainUnknown("v1.37.1", offline); !errors.Is(err, offline) || !strings.Contains(err.Error(), "network") {
		t.Errorf("no network: got %v, want the error itself", err)
	}
}
