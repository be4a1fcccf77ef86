package view

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// The source of a checkout has no address.
func TestSourceURLOfACheckout(t *testing.T) {
	call := &trace.Call{Process: trace.ProcessAPIServer, File: "k8s.io/kubernetes/pkg/x/x.go", Line: 3}
	if url := SourceURL(&trace.Recording{K8sVersion: "v1.37.1"}, call); url == "" {
		t.Error("the source of a release has no address")
	}
	if url := SourceURL(&trace.Recording{K8sVersion: "v1.37.1+0123456789.dirty.5d41e2aa"}, call); url != "" {
		t.Errorf("the source of a checkout has the address %q", url)
	}
}
