package e2e

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// rewritten caches the result of rewrite for the default build.
var rewritten struct {
	mu        sync.Mutex
	functions map[string][]instrument.Function
}

// rewrite rewrites the workspaces of the default build again, once for all tests. It
// returns the functions with a span, by program.
func rewrite(tb testing.TB, b *apiserver.Build) map[string][]instrument.Function {
	tb.Helper()
	rewritten.mu.Lock()
	defer rewritten.mu.Unlock()
	if rewritten.functions == nil {
		rewritten.functions = rewriteAgain(tb, b)
	}
	return rewritten.functions
}

func rewriteAgain(tb testing.TB, b *apiserver.Build) map[string][]instrument.Function {
	tb.Helper()
	guide, err := instrument.Load()
	if err != nil {
		tb.Fatal(err)
	}
	functions := map[string][]instrument.Function{}
	for _, p := range []struct {
		name, version string
		binary        *program.Binary
	}{{apiserver.Name, b.K8sVersion, b.APIServer}, {storage.Name, b.EtcdVersion, b.Etcd}, {sampleserver.Name, b.K8sVersion, sample(tb)}} {
		res, err := instrument.Rewrite(instrument.Options{
			Guide: guide, Program: p.name, Version: p.version,
			Vendor: filepath.Join(p.binary.Workspace, "vendor"), Out: tb.TempDir(),
		})
		if err != nil {
			tb.Fatal(err)
		}
		functions[p.name] = res.Functions
	}
	return functions
}

// TestGuideKnowsEveryFunction checks that every function that can occur in a trace has
// a layer. Rewrite itself checks that the functions in the guide exist.
func TestGuideKnowsEveryFunction(t *testing.T) {
	t.Parallel()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	lookup := guide.Lookup()
	for _, functions := range rewrite(t, build(t, false)) {
		for _, f := range functions {
			if lookup.Layer(f.Name) == "" {
				t.Errorf("the guide has no layer for %s", f.Name)
			}
		}
	}
}
