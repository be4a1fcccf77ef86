package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestAggregatedServerIsPartOfTheTree follows a request through several programs.
// kube-apiserver calls the sample server, which asks kube-apiserver for the user's
// rights. Both call etcd. In the tree, each program's first call must be below the call
// that leads to the program.
func TestAggregatedServerIsPartOfTheTree(t *testing.T) {
	for _, name := range []string{"aggregated-api", "aggregated-deny"} {
		requests, _ := play(t, server(t, traced), name)
		if len(requests) != 1 {
			t.Fatalf("%s: got %d traces, expected 1", name, len(requests))
		}
		crossings := crossingsOf(t, &requests[0])
		if crossings["kube-apiserver to sample-apiserver"] != 1 || crossings["sample-apiserver to kube-apiserver"] != 1 {
			t.Errorf("%s: got the crossings %v, expected one into the sample server and one back", name, crossings)
		}
		if stores := crossings["sample-apiserver to etcd"] > 0; stores != (name == "aggregated-api") {
			t.Errorf("%s: got the crossings %v, expected calls from the sample server to etcd only for aggregated-api", name, crossings)
		}
	}
}

// crossingsOf counts how often a trace goes from one program to another. The keys are
// "FROM to TO". It checks that each crossing is below the function that makes it.
func crossingsOf(t *testing.T, r *trace.Request) map[string]int {
	t.Helper()
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	crossings := map[string]int{}
	for i := 1; i < tree.Len(); i++ {
		from, to := tree.Call(tree.Parent(i)), tree.Call(i)
		if from.Process == to.Process || to.Afterwards() {
			continue // a call that only follows a write has no caller
		}
		way := from.Process + " to " + to.Process
		crossings[way]++
		if wanted := leadsTo[way]; wanted == "" || !hasAncestor(tree, i, wanted) {
			t.Errorf("%s %s: %s enters %s below %s, expected it below %q", r.Method, r.Path, way, to.Function, from.Function, wanted)
		}
	}
	return crossings
}

// leadsTo has, for each crossing between two programs, a part of the name of the function
// that makes it.
var leadsTo = map[string]string{
	apiserver.Name + " to " + sampleserver.Name: "kube-aggregator/pkg/apiserver.(*proxyHandler).ServeHTTP",
	sampleserver.Name + " to " + apiserver.Name: "authorizer/webhook.(*WebhookAuthorizer).Authorize",
	sampleserver.Name + " to " + storage.Name:   "storage/etcd3.(*store).",
	apiserver.Name + " to " + storage.Name:      "storage/etcd3.(*store).",
}

func hasAncestor(tree *trace.Tree, i int, function string) bool {
	for i = tree.Parent(i); i >= 0; i = tree.Parent(i) {
		if strings.Contains(tree.Call(i).Function, function) {
			return true
		}
	}
	return false
}

// TestSampleServerLeavesNothing checks that a stopped sample server leaves nothing, and
// that the next sample server replaces one that was not stopped.
func TestSampleServerLeavesNothing(t *testing.T) {
	s := server(t, traced)
	binary := sample(t)
	deserted, err := s.StartAggregated(t.Context(), apiserver.AggregatedOptions{Binary: binary})
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.StartAggregated(t.Context(), apiserver.AggregatedOptions{Binary: binary})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*apiserver.Aggregated{"the second": next, "the first": deserted} {
		if err := a.Stop(t.Context()); err != nil {
			t.Errorf("stopping %s server: %v", name, err)
		}
		if _, err := os.Stat(a.ProbeSocket); !os.IsNotExist(err) {
			t.Errorf("the folder of %s server still exists (error of Stat: %v)", name, err)
		}
	}
	for _, path := range []string{
		"/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1." + sampleserver.Group, "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1." + sampleserver.Group,
		"/api/v1/namespaces/default/services/" + sampleserver.Name, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/" + sampleserver.Name,
	} {
		if status, _ := get(t, s, path); status != http.StatusNotFound {
			t.Errorf("GET %s: %d, expected 404", path, status)
		}
	}
}

// TestSampleServerThatDies checks that the death of the sample server is reported, with
// the last lines of its log.
func TestSampleServerThatDies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this test needs /proc to find the process")
	}
	s := server(t, traced)
	a, err := s.StartAggregated(t.Context(), apiserver.AggregatedOptions{Binary: sample(t)})
	if err != nil {
		t.Fatal(err)
	}
	process, err := processIn(filepath.Dir(a.ProbeSocket))
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the process is gone", func() bool { return process.Signal(syscall.Signal(0)) != nil }) // its parent has waited for it, so it is not even a zombie
	testenv.Await(t, "the aggregator answers 503 for a server that is gone", func() bool {
		status, _ := get(t, s, "/apis/"+sampleserver.Group+"/v1alpha1/fischers")
		return status == http.StatusServiceUnavailable
	})
	if err := a.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "sample-apiserver ended: signal: killed; its last log lines:") {
		t.Errorf("stopping a server that was killed: got the error %v, expected the signal and the last log lines", err)
	}
}

// processIn finds the process with the working directory dir.
func processIn(dir string) (*os.Process, error) {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			pid, err := strconv.Atoi(strings.Split(link, "/")[2])
			if err != nil {
				return nil, err
			}
			return os.FindProcess(pid)
		}
	}
	return nil, fmt.Errorf("no process runs in %s", dir)
}
