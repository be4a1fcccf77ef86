package sampleserver

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
)

// TestOwnFlags checks that a server gets only flags that it knows, and its kubeconfig for
// each flag with a name that ends in -kubeconfig. The user's flags replace other flags.
func TestOwnFlags(t *testing.T) {
	o := Options{Kubeconfig: "/k", Own: &serverconfig.Own{Flags: []string{"--bind-address=::1", "--client=${kubeconfig}"}}}
	known := map[string]bool{}
	for _, name := range []string{"--bind-address", "--kubeconfig", "--authorization-kubeconfig", "--lister-kubeconfig", "--client", "--secure-port"} {
		known[name] = true
	}
	got := o.ownFlags([]string{"--etcd-servers=x", "--bind-address=127.0.0.1", "--kubeconfig=/k", "--authorization-kubeconfig=/k"}, known)
	want := []string{"--kubeconfig=/k", "--authorization-kubeconfig=/k", "--lister-kubeconfig=/k", "--bind-address=::1", "--client=/k"}
	if !slices.Equal(got, want) {
		t.Errorf("flags %q, expected %q", got, want)
	}
}
