package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestNightlyOwnServers runs API servers behind the aggregator that use other releases of
// Kubernetes' libraries than kube-apiserver. Some of them keep nothing in etcd. A request
// must go through both processes, and each call must agree with the real stack.
func TestNightlyOwnServers(t *testing.T) {
	testenv.Nightly(t)
	m := newMachine(t)
	for server, test := range map[string]struct{ k8s, path, process, own string }{
		"sigs.k8s.io/metrics-server@v0.9.0": {apiserver.DefaultVersion, "/apis/metrics.k8s.io/v1beta1", "metrics-server v0.9.0", ""},
		"sigs.k8s.io/metrics-server@v0.7.2": {"v1.30.4", "/apis/metrics.k8s.io/v1beta1/nodes", "metrics-server v0.7.2", "api.(*nodeMetrics).List"},
		"k8s.io/sample-apiserver@v0.30.4":   {apiserver.DefaultVersion, "/apis/wardle.example.com/v1beta1/flunders", "own-sample-apiserver v0.30.4", "flunder.MatchFlunder"},
	} {
		out, notices, status := m.run("request", "--check", "--fresh", "--k8s", test.k8s, "--server", server, "GET", test.path)
		if status != 0 || !strings.Contains(notices, "calls with the real stack: 0 differ") {
			t.Fatalf("request to %s: exit status %d, expected 0 and no differences from the stack in\n%s", server, status, notices)
		}
		for _, want := range []string{"GET " + test.path + " → 200", test.process, "apiserver.(*proxyHandler).ServeHTTP", test.own} {
			if !strings.Contains(unwrapped(out), unwrapped(want)) {
				t.Errorf("%s: the tree lacks %q:\n%s", server, want, out)
			}
		}
	}
}

// TestSlowEditOwnServer builds a server that uses an older release of Kubernetes' libraries
// than kube-apiserver. It builds the server with an edit of the server's source and an edit
// of a library, and then without the edits.
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
		t.Fatalf("run: exit status %d\n%s", status, notices)
	}
	for _, want := range []string{
		"own-sample-apiserver@v0.30.4 is built with your edit of k8s.io/apiserver/pkg/endpoints/handlers/create.go",
		"own-sample-apiserver@v0.30.4 is built with your edit of k8s.io/sample-apiserver/pkg/registry/wardle/flunder/strategy.go",
		"THIS SERVER IS CHANGED by your edits of k8s.io/apiserver/pkg/endpoints/handlers/create.go, k8s.io/sample-apiserver/pkg/registry/wardle/flunder/strategy.go",
	} {
		if !strings.Contains(notices, want) {
			t.Errorf("run does not say %q:\n%s", want, notices)
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
		t.Errorf("an edit that does not compile: status %d, expected 1 and the place in\n%s", status, notices)
	}
	if _, notices, status := m.run("edit", "--revert", "--all", "--server", server); status != 0 {
		t.Fatalf("edit --revert: %s", notices)
	}
	_, notices, status = m.run("request", "--fresh", "--server", server, "GET", "/apis/wardle.example.com/v1beta1/flunders")
	if status != 0 || strings.Contains(notices, "your edit") {
		t.Errorf("after reverting: status %d, expected 0 and no edit in\n%s", status, notices)
	}
}

// TestSlowOwnCode creates an object in a server that the guide does not know: a renamed
// copy of the sample server, with an added storage method. The tree must show this method
// and the hooks of the strategy, with their lines.
func TestSlowOwnCode(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	const module = "example.com/mine"
	dir := copyOfSample(t, module)
	storage := filepath.Join(dir, "pkg", "registry", "create.go")
	if err := os.WriteFile(storage, []byte(`package registry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	return r.Store.Create(ctx, obj, validate, options)
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	object, saved := filepath.Join(m.tmp, "flunder.yaml"), filepath.Join(m.tmp, "own.jsonl")
	if err := os.WriteFile(object, []byte("apiVersion: wardle.example.com/v1alpha1\nkind: Flunder\nmetadata: {name: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, notices, status := m.run("request", "--check", "--fresh", "--server", dir, "POST", "/apis/wardle.example.com/v1alpha1/namespaces/default/flunders", "-f", object, "--save", saved, "--width", "200")
	if status != 0 || !strings.Contains(notices, "calls with the real stack: 0 differ") {
		t.Fatalf("request: exit status %d, expected 0 and no differences from the stack in\n%s", status, notices)
	}
	const strategy = module + "/pkg/registry/wardle/flunder"
	calls := callersIn(t, saved, module+"/pkg/registry")
	maps.Copy(calls, callersIn(t, saved, strategy))
	for _, want := range []struct{ function, caller, file, declaration, shown string }{
		{module + "/pkg/registry.(*REST).Create", "k8s.io/apiserver/pkg/endpoints/handlers.(*namedCreaterAdapter).Create", "pkg/registry/create.go", "func (r *REST) Create(", "registry.(*REST).Create registry/create.go"},
		{strategy + ".flunderStrategy.PrepareForCreate", "k8s.io/apiserver/pkg/registry/rest.BeforeCreate", "pkg/registry/wardle/flunder/strategy.go", "func (flunderStrategy) PrepareForCreate(", "flunder.flunderStrategy.PrepareForCreate flunder/strategy.go"},
		{strategy + ".flunderStrategy.Validate", "k8s.io/apiserver/pkg/registry/rest.ValidateCreate", "pkg/registry/wardle/flunder/strategy.go", "func (flunderStrategy) Validate(", "flunder.flunderStrategy.Validate flunder/strategy.go"},
	} {
		line := declaredAt(t, filepath.Join(dir, want.file), want.declaration)
		if got, place := calls[want.function], fmt.Sprintf("%s/%s:%d", module, want.file, line); got.place != place || got.caller != want.caller {
			t.Errorf("%s is called by %q and stands at %s, expected %q and %s", want.function, got.caller, got.place, want.caller, place)
		}
		if shown := fmt.Sprintf("%s:%d", want.shown, line); !strings.Contains(unwrapped(tree), unwrapped(shown)) {
			t.Errorf("the tree lacks %q:\n%s", shown, tree)
		}
	}
	if own, notices, status := m.run("show", saved, "--layer", "own", "--width", "200"); status != 0 || !strings.Contains(own, "The server's own code ("+module+")") {
		t.Errorf("show --layer own: exit status %d, expected 0 and the title of the layer in\n%s%s", status, own, notices)
	}
}

// copyOfSample returns a folder with a copy of the sample server's module, under another
// name.
func copyOfSample(t *testing.T, name string) string {
	t.Helper()
	const sample = "k8s.io/sample-apiserver"
	listed, err := exec.Command("go", "mod", "download", "-json", sample+"@v0.37.1").Output()
	var module struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal(listed, &module)); err != nil {
		t.Fatalf("go mod download: %v\n%s", err, listed)
	}
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" && d.Name() != "go.mod" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, bytes.ReplaceAll(text, []byte(sample), []byte(name)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// declaredAt returns the number of the line of a file that begins with a text. It returns
// 0 if there is no such line; several are an error.
func declaredAt(t *testing.T, file, beginning string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, beginning) {
			if found > 0 {
				t.Fatalf("%s has several lines that begin with %q", file, beginning)
			}
			found = i + 1
		}
	}
	return found
}
