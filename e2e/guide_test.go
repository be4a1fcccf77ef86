package e2e

import (
	"path/filepath"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
)

// TestGuideKnowsEveryFunction wants a layer for whatever can appear in a trace. That
// each function which the guide names exists, Rewrite itself demands.
func TestGuideKnowsEveryFunction(t *testing.T) {
	b := build(t, false)
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	lookup := guide.Lookup()
	for program, workspace := range map[string]string{"kube-apiserver": b.APIServer.Workspace, "etcd": b.Etcd.Workspace} {
		version := map[string]string{"kube-apiserver": b.K8sVersion, "etcd": b.EtcdVersion}[program]
		res, err := instrument.Rewrite(instrument.Options{
			Guide: guide, Program: program, Version: version, Vendor: filepath.Join(workspace, "vendor"), Out: t.TempDir(),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range res.Functions {
			if lookup.Layer(f.Name) == "" {
				t.Errorf("%s belongs to no layer of the guide", f.Name)
			}
		}
	}
}
