package commands

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowOwnServers puts servers of other releases than kube-apiserver's behind the aggregator, one of which keeps
// nothing in etcd: a request goes through both processes, and each call is that of the real stack.
func TestSlowOwnServers(t *testing.T) {
	testenv.Slow(t)
	needsServer(t)
	for server, test := range map[string]struct{ path, process string }{
		"sigs.k8s.io/metrics-server@v0.9.0": {"/apis/metrics.k8s.io/v1beta1", "metrics-server v0.9.0"},
		"k8s.io/sample-apiserver@v0.30.4":   {"/apis/wardle.example.com/v1beta1/flunders", "own-sample-apiserver v0.30.4"},
	} {
		out, notices, status := apitrace(t, "request", "--check", "--fresh", "--server", server, "GET", test.path)
		if status != 0 || !strings.Contains(notices, "calls with the real stack: 0 differ") {
			t.Fatalf("%s: status %d:\n%s", server, status, notices)
		}
		for _, want := range []string{"GET " + test.path + " → 200", test.process, "apiserver.(*proxyHandler).ServeHTTP"} {
			if !strings.Contains(unwrapped(out), unwrapped(want)) {
				t.Errorf("%s: the tree lacks %q:\n%s", server, want, out)
			}
		}
	}
}
