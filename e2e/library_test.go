package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestLibrary plays each scenario of the library and demands what it expects of its
// traces, and the same names and nesting each time but where it says otherwise.
func TestLibrary(t *testing.T) {
	s := server(t, traced)
	runs := 2
	if os.Getenv("APITRACE_SLOW") != "" {
		runs = 20
	}
	for _, scenario := range library(t) {
		t.Run(scenario.Name, func(t *testing.T) {
			var first string
			for n := range runs {
				requests, _ := play(t, s, scenario.Name)
				checkExpectations(t, scenario, requests)
				if scenario.Varies.En == "" {
					compareNames(t, &first, requests, fmt.Sprintf("run %d", n+1))
				}
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
