package view_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// TestStop checks the sentences about the end of a program, and their order.
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
	if texts, _ := sentencesOf(tree); !slices.Equal(texts, want) {
		t.Errorf("got %q, expected %q", texts, want)
	}
	listener.Unfinished = true
	if texts, _ := sentencesOf(tree); !slices.Equal(texts, want[:2]) {
		t.Errorf("with a listener that has not returned: got %q, expected %q", texts, want[:2])
	}
}

// TestStepsOfTheEnd checks that a call that waits for the end is a step in the
// view of the end, not in the view of the start.
func TestStepsOfTheEnd(t *testing.T) {
	tree := start(t, `
runtime.main
  k8s.io/apiserver/pkg/server.preparedGenericAPIServer.RunWithContext
    k8s.io/apiserver/pkg/server.preparedGenericAPIServer.RunWithContext.func3
      k8s.io/apiserver/pkg/server.(*namedChannelWrapper).Signal
    k8s.io/apiserver/pkg/server.RunServer.func2
    k8s.io/apiserver/pkg/server.(*GenericAPIServer).RunPreShutdownHooks
      k8s.io/apiserver/pkg/storage/etcd3.(*store).Delete`)
	calls := tree.Request.Calls
	calls[2].NewGoroutine, calls[4].NewGoroutine, calls[4].Unfinished = true, true, true
	rules, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	guide := rules.ForReader("en", &trace.Recording{K8sVersion: "v1.37.1"})
	shown := func() []string {
		var names []string
		var collect func(n *view.Node)
		collect = func(n *view.Node) {
			names = append(names, strings.TrimPrefix(tree.Call(n.Calls[0]).Function, "k8s.io/apiserver/pkg/server."))
			for _, child := range n.Children {
				collect(child)
			}
		}
		collect(view.NewView(tree, guide, view.Choice{}).Root)
		return names
	}
	const run, signal, hooks = "preparedGenericAPIServer.RunWithContext", "(*namedChannelWrapper).Signal", "(*GenericAPIServer).RunPreShutdownHooks"
	if want, got := []string{"runtime.main", run, run + ".func3", signal, hooks}, shown(); !slices.Equal(got, want) {
		t.Errorf("view of a start: got %q, expected %q", got, want)
	}
	tree.Request.Method = trace.MethodStop
	if want, got := []string{"runtime.main", run, run + ".func3", signal, "RunServer.func2", hooks}, shown(); !slices.Equal(got, want) {
		t.Errorf("view of an end: got %q, expected %q", got, want)
	}
}
