package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestLibrary plays each scenario of the library and demands what it expects of its
// traces.
func TestLibrary(t *testing.T) {
	s := server(t, traced)
	for _, scenario := range library(t) {
		t.Run(scenario.Name, func(t *testing.T) {
			requests, _ := play(t, s, scenario.Name)
			checkExpectations(t, scenario, requests)
		})
	}
}

// TestLibraryDoesNotDependOnLuck wants the same names and nesting of a scenario's traces each
// time, but where it says otherwise. Two runs of twenty may differ: a server works in
// the background, too, and its writes can meet those of a request.
func TestLibraryDoesNotDependOnLuck(t *testing.T) {
	if os.Getenv("APITRACE_SLOW") == "" {
		t.Skip("plays each scenario twenty times: set APITRACE_SLOW=1")
	}
	s := server(t, traced)
	for _, scenario := range library(t) {
		if scenario.Varies.En != "" {
			continue
		}
		t.Run(scenario.Name, func(t *testing.T) {
			seen := map[string]int{}
			most := 0
			for range 20 {
				requests, _ := play(t, s, scenario.Name)
				seen[names(t, requests)]++
				most = max(most, seen[names(t, requests)])
			}
			if most < 18 {
				t.Errorf("%d different trees in 20 runs, the most frequent one %d times", len(seen), most)
			}
		})
	}
}

func library(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func checkExpectations(t *testing.T, s *scenarios.Scenario, requests []trace.Request) {
	t.Helper()
	wanted := slices.DeleteFunc(slices.Clone(s.Requests), func(r scenarios.Request) bool { return !r.Traced })
	if len(requests) != len(wanted) {
		t.Fatalf("%d traces, want %d", len(requests), len(wanted))
	}
	for i, r := range requests {
		if err := wanted[i].Expect.Check(r); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
		}
		for _, missing := range r.Incomplete {
			t.Errorf("%s %s: %s", r.Method, r.Path, missing)
		}
	}
}

// ownKeys are what the server itself writes, now and then, whoever asks for what.
var ownKeys = []string{"/registry/leases/", "/registry/events/", "/registry/masterleases/", "/registry/peerserverleases/", "/registry/apiregistration.k8s.io/"}

// TestLibraryLeavesNothing demands that what the scenarios have written to etcd is gone.
func TestLibraryLeavesNothing(t *testing.T) {
	s := server(t, traced)
	etcd, err := s.Etcd.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	before, err := etcd.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, scenario := range library(t) {
		play(t, s, scenario.Name)
	}
	t.Logf("the whole library took %v", time.Since(start).Round(time.Millisecond))
	changes, err := etcd.Changes(t.Context(), before, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, change := range changes {
		left[change.Key] = change.Op != "DELETE"
	}
	written := 0
	for key, is := range left {
		if slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(key, own) }) {
			continue
		}
		written++
		if is {
			t.Errorf("%s is still there", key)
		}
	}
	if written < len(library(t)) {
		t.Errorf("only %d keys were written, fewer than there are scenarios", written)
	}
}
