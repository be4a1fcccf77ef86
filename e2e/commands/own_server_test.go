package commands

import (
	"os"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestNightlyOwnServers runs servers of other releases than kube-apiserver's behind the
// aggregator. Some of them keep nothing in etcd. A request must go through both
// processes, and each call must agree with the real stack.
func TestNightlyOwnServers(t *testing.T) {
	testenv.Nightly(t)
	m := newMachine(t)
	for server, test := range map[string]struct{ k8s, path, process string }{
		"sigs.k8s.io/metrics-server@v0.9.0": {apiserver.DefaultVersion, "/apis/metrics.k8s.io/v1beta1", "metrics-server v0.9.0"},
		"sigs.k8s.io/metrics-server@v0.7.2": {"v1.30.4", "/apis/metrics.k8s.io/v1beta1/nodes", "metrics-server v0.7.2"},
		"k8s.io/sample-apiserver@v0.30.4":   {apiserver.DefaultVersion, "/apis/wardle.example.com/v1beta1/flunders", "own-sample-apiserver v0.30.4"},
	} {
		out, notices, status := m.run("request", "--check", "--fresh", "--k8s", test.k8s, "--server", server, "GET", test.path)
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

// TestSlowEditOwnServer builds a server of a separate release with an edit of its
// source, with an edit of its library, and without the edits again.
func TestSlowEditOwnServer(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	const server = "k8s.io/sample-apiserver@v0.30.4"
	edit := func(name, old, by string) string {
		t.Helper()
		out, notices, status := m.run("edit", name, "--server", server)
		if status != 0 || !strings.Contains(notices, "this is your copy") {
			t.Fatalf("edit %s: status %d\n%s", name, status, notices)
		}
		file := strings.TrimSpace(out)
		change(t, file, old, by)
		return file
	}
	const create = "func (flunderStrategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {\n"
	strategy := edit("wardle/flunder/strategy.go", create, create+"\townRule(ctx)\n}\n\nfunc ownRule(ctx context.Context) {\n\t_ = ctx.Err()\n")
	const handler = "func createHandler(r rest.NamedCreater, scope *RequestScope, admit admission.Interface, includeName bool) http.HandlerFunc {\n"
	edit("endpoints/handlers/create.go", handler, "func ownStep(scope *RequestScope) { _ = scope.Kind.String() }\n\n"+handler+"\townStep(scope)\n")
	out, notices, status := m.run("run", "aggregated-api", "--fresh", "--server", server, "-o", "names")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, notices)
	}
	for _, want := range []string{
		"own-sample-apiserver@v0.30.4 is built with your edit of k8s.io/apiserver/pkg/endpoints/handlers/create.go",
		"own-sample-apiserver@v0.30.4 is built with your edit of k8s.io/sample-apiserver/pkg/registry/wardle/flunder/strategy.go",
		"THIS SERVER IS CHANGED by your edits of k8s.io/apiserver/pkg/endpoints/handlers/create.go, k8s.io/sample-apiserver/pkg/registry/wardle/flunder/strategy.go",
	} {
		if !strings.Contains(notices, want) {
			t.Errorf("it does not say %q:\n%s", want, notices)
		}
	}
	for _, want := range []string{"k8s.io/sample-apiserver/pkg/registry/wardle/flunder.ownRule", "k8s.io/apiserver/pkg/endpoints/handlers.ownStep"} {
		if !strings.Contains(out, want) {
			t.Errorf("the trace lacks %s", want)
		}
	}
	text, err := os.ReadFile(strategy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strategy, []byte(strings.Replace(string(text), "_ = ctx.Err()", "_ = ctx.Errr()", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, notices, status = m.run("request", "--fresh", "--server", server, "GET", "/apis/wardle.example.com/v1beta1/flunders")
	if status != 1 || !strings.Contains(notices, "your change does not compile:\n\t"+strategy+":") {
		t.Errorf("an edit that does not compile: status %d\n%s", status, notices)
	}
	if _, notices, status := m.run("edit", "--revert", "--all", "--server", server); status != 0 {
		t.Fatalf("reverting: %s", notices)
	}
	_, notices, status = m.run("request", "--fresh", "--server", server, "GET", "/apis/wardle.example.com/v1beta1/flunders")
	if status != 0 || strings.Contains(notices, "your edit") {
		t.Errorf("after reverting: status %d\n%s", status, notices)
	}
}
