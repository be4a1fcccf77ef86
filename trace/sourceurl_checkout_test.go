package trace

import (
	"testing"
)

// TestSourceURLOfACheckout checks that the source of a checkout has no address.
func TestSourceURLOfACheckout(t *testing.T) {
	call := &Call{Process: ProcessAPIServer, File: "k8s.io/kubernetes/pkg/x/x.go", Line: 3}
	if url := (&Recording{K8sVersion: "v1.37.1"}).SourceURL(call); url == "" {
		t.Error("SourceURL of a release = \"\", expected an address")
	}
	if url := (&Recording{K8sVersion: "v1.37.1+0123456789.dirty.5d41e2aa"}).SourceURL(call); url != "" {
		t.Errorf("SourceURL of a checkout = %q, expected \"\"", url)
	}
}
