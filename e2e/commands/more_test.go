package commands

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestSlowTraceMorePackages traces a package that the guide does not name. Its calls must be in
// the tree, and each must agree with the real stack. The recording and the cache must say
// that the package was traced.
func TestSlowTraceMorePackages(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	const pkg = "k8s.io/kubernetes/pkg/api/pod"
	explained, notices, status := m.run("explain", pkg+".DropDisabledPodFields")
	if want := "apitrace run SCENARIO --k8s v1.37.1 --trace " + pkg; status != 0 || !strings.Contains(explained, want) {
		t.Errorf("explain: status %d, expected %q in\n%s%s", status, want, explained, notices)
	}
	if _, notices, status = m.run("run", "create-pod", "--trace", "api/pod"); status != 2 || !strings.Contains(notices, "the nearest are "+pkg) {
		t.Errorf("an unknown package: status %d\n%s", status, notices)
	}
	if offered, _, _ := m.run("__complete", "run", "create-pod", "--trace", "k8s.io/kubernetes/pkg/api/po"); !strings.Contains(offered, pkg+"\n") {
		t.Errorf("completion offers\n%s", offered)
	}
	saved := m.tmp + "/more.jsonl"
	tree, notices, status := m.run("run", "create-pod", "--check", "--fresh", "--trace", pkg, "--save", saved)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, notices)
	}
	for _, want := range []string{"admission.(*Admission).Validate", "packages that are traced here only because --trace named them: " + pkg} {
		if !strings.Contains(unwrapped(tree), unwrapped(want)) {
			t.Errorf("the tree lacks %q:\n%s", want, tree)
		}
	}
	for _, want := range []string{"it also traces " + pkg, "calls with the real stack: 0 differ"} {
		if !strings.Contains(notices, want) {
			t.Errorf("it does not say %q:\n%s", want, notices)
		}
	}
	if names, notices, status := m.run("show", saved, "-o", "names"); status != 0 || !strings.Contains(names, pkg+".(*Admission).ValidatePod\n") {
		t.Errorf("show: status %d, and no call of ValidatePod in\n%s%s", status, names, notices)
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

	// Other commands find the server without the flag.
	if _, notices, status := m.run("serve", "--background", "--trace", pkg); status != 0 {
		t.Fatalf("serve: status %d\n%s", status, notices)
	}
	if _, notices, status := m.run("request", "GET", "/api/v1/namespaces"); status != 0 || !strings.Contains(notices, "using the server that is running") || !strings.Contains(notices, "it also traces "+pkg) {
		t.Errorf("request: status %d\n%s", status, notices)
	}
	if _, notices, status := m.run("run", "get-node"); status != 0 || strings.Contains(notices, "using the server that is running") {
		t.Errorf("run get-node uses the server with more packages: status %d\n%s", status, notices)
	}
}
