package commands

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// TestOwnEtcd gives commands a running etcd. A request works on it, and creates a node.
// Then a scenario must fail, because the etcd holds objects. With another prefix, the
// scenario must work.
func TestOwnEtcd(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	flags := startOwnEtcd(t)
	node := filepath.Join(t.TempDir(), "node.yaml")
	if err := os.WriteFile(node, []byte("apiVersion: v1\nkind: Node\nmetadata: {name: worker}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		fails  bool
		output []string
	}{
		{"request POST /api/v1/nodes -f " + node, false, []string{
			"is not traced: traces end at the etcd client in kube-apiserver", "POST /api/v1/nodes → 201", "incomplete: the etcd at",
		}},
		{"run get-node -o names", true, []string{
			"error: the etcd at", "holds the objects of a cluster below /registry (nodes: 1)", "such as --etcd-prefix /apitrace",
		}},
		{"run get-node -o names --etcd-prefix /apitrace", false, []string{
			"# GET /api/v1/nodes/n1 -> 200", "go.etcd.io/etcd/client/v3.(*retryKVClient).Range", "were not checked: part of the trace is in etcd",
		}},
	} {
		out, err := m.command(append(strings.Fields(test.args), flags...)...).CombinedOutput()
		if (err != nil) != test.fails {
			t.Errorf("apitrace %s: got the error %v, expected one only for the scenario on the etcd with objects", test.args, err)
		}
		for _, want := range test.output {
			if !strings.Contains(strings.Join(strings.Fields(string(out)), " "), want) {
				t.Errorf("apitrace %s does not say %q:\n%.2000s", test.args, want, out)
			}
		}
		if strings.Contains(string(out), "go.etcd.io/etcd/server/") {
			t.Errorf("apitrace %s shows calls of an etcd that is not traced", test.args)
		}
	}
}

// startOwnEtcd starts an etcd with TLS, and returns flags with its address and
// certificates.
func startOwnEtcd(t *testing.T) []string {
	t.Helper()
	build, err := apiserver.BuildPrograms(t.Context(), apiserver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := program.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	etcd, err := storage.Start(t.Context(), storage.Options{Binary: build.Etcd.Path, RunDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { etcd.Stop(context.Background()) })
	return etcd.Endpoint.Flags()
}
