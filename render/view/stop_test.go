package view_test

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// The listener's goroutine began first, and returned last.
func TestStop(t *testing.T) {
	tree := start(t, `
runtime.main
  k8s.io/apiserver/pkg/server.RunServer
    k8s.io/apiserver/pkg/server.RunServer.func2
  k8s.io/apiserver/pkg/server.preparedGenericAPIServer.RunWithContext
    k8s.io/apiserver/pkg/server.(*namedChannelWrapper).Signal
    k8s.io/apiserver/pkg/server.(*namedChannelWrapper).Signal
    k8s.io/apiserver/pkg/server.(*GenericAPIServer).RunPreShutdownHooks`)
	tree.Request.Method = trace.MethodStop
	listener := &tree.Request.Calls[2]
	listener.DurationNs = 100
	want := []string{
		"a step of the shutdown is signalled, which wakes the goroutines that wait for it",
		"the pre-shutdown hooks run",
		"the server stops listening; connections that are open may go on",
	}
	if texts, _ := told(tree); !slices.Equal(texts, want) {
		t.Errorf("got %q, expected %q", texts, want)
	}
	listener.Unfinished = true
	if texts, _ := told(tree); !slices.Equal(texts, want[:2]) {
		t.Errorf("while it listens: got %q, expected %q", texts, want[:2])
	}
}
