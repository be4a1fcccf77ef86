package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestSlowTraceMorePackages traces a package that the guide does not name. Its calls must
// be in the tree below their callers, and agree with the real stack. Their places must be
// as in the index of the sources. The recording and the cache must say that the package
// was traced.
func TestSlowTraceMorePackages(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	const pkg = "k8s.io/kubernetes/pkg/api/pod"
	usual, more := m.tmp+"/usual.jsonl", m.tmp+"/more.jsonl"
	if _, notices, status := m.run("run", "create-pod", "--fresh", "--save", usual); status != 0 || strings.Contains(notices, "it also traces") {
		t.Fatalf("run without --trace: exit status %d, expected 0 and no further packages in\n%s", status, notices)
	}
	tree, notices, status := m.run("run", "create-pod", "--check", "--fresh", "--trace", pkg, "--save", more)
	if status != 0 {
		t.Fatalf("run --trace: exit status %d\n%s", status, notices)
	}
	for _, want := range []string{"Packages that --trace named", "pod.DropDisabledPodFields", "packages that are traced here only because --trace named them: " + pkg} {
		if !strings.Contains(unwrapped(tree), unwrapped(want)) {
			t.Errorf("the tree lacks %q:\n%s", want, tree)
		}
	}
	for _, want := range []string{"it also traces " + pkg, "calls with the real stack: 0 differ"} {
		if !strings.Contains(notices, want) {
			t.Errorf("run --trace does not say %q:\n%s", want, notices)
		}
	}
	if others := callersIn(t, usual, pkg); len(others) > 0 {
		t.Errorf("without --trace, the recording has calls of %s: %v", pkg, others)
	}
	callers := callersIn(t, more, pkg)
	for function, caller := range map[string]string{
		pkg + ".DropDisabledPodFields": "k8s.io/kubernetes/pkg/registry/core/pod.podStrategy.PrepareForCreate",
		pkg + ".GetWarningsForPod":     "k8s.io/kubernetes/pkg/registry/core/pod.podStrategy.WarningsOnCreate",
	} {
		call, ok := callers[function]
		if !ok || call.caller != caller {
			t.Errorf("%s is called by %q, expected %q", function, call.caller, caller)
			continue
		}
		explained, notices, status := m.run("explain", function)
		if want := "apitrace run SCENARIO --k8s v1.37.1 --trace " + pkg; status != 0 || !strings.Contains(explained, want) {
			t.Errorf("explain: status %d, expected %q in\n%s%s", status, want, explained, notices)
		}
		if !strings.Contains(explained, " "+call.place+"\n") {
			t.Errorf("the recording has %s at %s, expected the place in the index:\n%s", function, call.place, explained)
		}
	}

	list, _, _ := m.run("cache", "list")
	var own string
	for line := range strings.Lines(list) {
		if strings.HasSuffix(strings.TrimSpace(line), " "+pkg) {
			own += line
		}
	}
	if !strings.Contains(own, "kube-apiserver") || strings.Contains(own, "etcd") {
		t.Errorf("expected a build of kube-apiserver with %s, and none of etcd, which lacks it:\n%s", pkg, list)
	}
	if offered, _, _ := m.run("__complete", "run", "create-pod", "--trace", "k8s.io/kubernetes/pkg/api/po"); !strings.Contains(offered, pkg+"\n") {
		t.Errorf("completion of --trace does not offer the package:\n%s", offered)
	}

	// Other commands find the server without the flag.
	if _, notices, status := m.run("serve", "--background", "--trace", pkg); status != 0 {
		t.Fatalf("serve: exit status %d\n%s", status, notices)
	}
	if _, notices, status := m.run("request", "GET", "/api/v1/namespaces"); status != 0 || !strings.Contains(notices, "using the server that is running") || !strings.Contains(notices, "it also traces "+pkg) {
		t.Errorf("request: exit status %d, expected 0 and the running server with the package in\n%s", status, notices)
	}
	if _, notices, status := m.run("run", "get-node"); status != 0 || strings.Contains(notices, "using the server that is running") {
		t.Errorf("run get-node: exit status %d, expected 0 and another server than the one with the package in\n%s", status, notices)
	}
}

// A placedCall is the place of a function, and the function that called it first.
type placedCall struct{ place, caller string }

// callersIn returns the functions of a package that a recording calls. The keys are
// their names.
func callersIn(t *testing.T, file, pkg string) map[string]placedCall {
	t.Helper()
	rec, err := trace.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]placedCall{}
	for i := range rec.Requests {
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			t.Fatal(err)
		}
		for c := range tree.Len() {
			call := tree.Call(c)
			if _, known := called[call.Function]; !known && funcname.Package(call.Function) == pkg {
				called[call.Function] = placedCall{fmt.Sprintf("%s:%d", call.File, call.Line), tree.Call(tree.Parent(c)).Function}
			}
		}
	}
	return called
}
