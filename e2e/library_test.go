package e2e

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestLibrary replays each scenario of the library once, on servers in the checking
// mode: their probes compare each call with the goroutine's real stack. It compares the
// traces with the scenario's expectations and with its recording. It also checks that
// the scenarios leave nothing in etcd.
func TestLibrary(t *testing.T) { playLibrary(t, checked) }

// TestSlowLibraryWithoutChecks replays the library on servers without the checking mode,
// as users run them.
func TestSlowLibraryWithoutChecks(t *testing.T) {
	testenv.Slow(t)
	playLibrary(t, traced)
}

// TestSlowLibrary replays the library on an older release, without the checking mode.
func TestSlowLibrary(t *testing.T) {
	testenv.Slow(t)
	playLibrary(t, older)
}

func playLibrary(t *testing.T, k kind) {
	wanted, played, onShared := 0, 0, 0
	var called functions
	checks := map[*apiserver.Server]int64{}
	leavesNothing := watchKeys(t, server(t, k))
	for _, scenario := range library(t) {
		if scenario.RunsOn(cmp.Or(k.version, apiserver.DefaultVersion)) != nil {
			continue
		}
		wanted++
		t.Run(scenario.Name, func(t *testing.T) {
			s := serverFor(t, k, scenario)
			requests, found := play(t, s, scenario.Name)
			played++
			if scenario.Setup.Server.IsZero() { // otherwise the scenario has a server and an etcd of its own
				onShared++
			}
			called.add(requests)
			checkExpectations(t, scenario, requests)
			if k.check {
				checkParents(t, s, scenario, requests, found, checks)
			}
			if len(requests) > 0 { // otherwise there is no trace to compare
				checkRecording(t, s, scenario, requests)
			}
		})
	}
	if wanted == 0 {
		t.Error("no scenario of the library runs on the version")
	}
	if wanted == played { // otherwise the command line selects some scenarios
		called.checkAbsent(t)
		leavesNothing(onShared)
	}
}

// functions is the set of the functions that the traces of the library call.
type functions map[string]bool

func (f *functions) add(requests []trace.Request) {
	if *f == nil {
		*f = functions{}
	}
	for _, r := range requests {
		for _, c := range r.Calls {
			(*f)[c.Function] = true
		}
	}
}

// checkAbsent checks that each function that a scenario expects to be absent is called
// in another scenario. Otherwise its name may be wrong, and the expectation could never
// fail.
func (f functions) checkAbsent(t *testing.T) {
	for _, scenario := range library(t) {
		for _, r := range scenario.Traced() {
			for _, absent := range r.Expect.Absent {
				if !slices.ContainsFunc(slices.Collect(maps.Keys(f)), absent.Is) {
					t.Errorf("%s expects that %v is not called, but no scenario calls it", scenario.Name, absent)
				}
			}
		}
	}
}

// TestNightlyLibraryDoesNotDependOnLuck checks that a scenario's traces have the same
// names and nesting each time, unless the scenario says that it varies. Two runs of
// twenty may differ: a server also works in the background, and its writes can coincide
// with the writes of a request.
func TestNightlyLibraryDoesNotDependOnLuck(t *testing.T) {
	testenv.Nightly(t)
	for _, scenario := range library(t) {
		if scenario.Varies.En != "" {
			continue
		}
		t.Run(scenario.Name, func(t *testing.T) {
			s := serverFor(t, traced, scenario)
			seen := map[string]int{}
			for range 20 {
				requests, _ := play(t, s, scenario.Name)
				seen[names(t, requests)]++
			}
			trees := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
			if most := seen[trees[0]]; most < 18 {
				t.Errorf("%d different trees in 20 runs, the most frequent one %d times, expected at least 18 times. The next tree differs in:\n%s", len(seen), most, drift(trees[0], trees[1]))
			}
		})
	}
}

// library lists the scenarios that can be played on a running server.
func library(t testing.TB) []*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	// TestBoot, TestStop, and TestSlowServeControlPlane in e2e/commands test the others.
	return slices.DeleteFunc(all, func(s *scenarios.Scenario) bool {
		return s.Boots(apiserver.Name) || s.Stop != nil || s.Follow != nil
	})
}

func checkExpectations(t *testing.T, s *scenarios.Scenario, requests []trace.Request) {
	t.Helper()
	var wanted []scenarios.Expect
	if s.Boot != nil {
		wanted = append(wanted, s.Boot.Expect)
	}
	for _, r := range s.Traced() {
		wanted = append(wanted, r.Expect)
	}
	if len(requests) != len(wanted) {
		t.Fatalf("%d traces, want %d", len(requests), len(wanted))
	}
	for i, r := range requests {
		if err := wanted[i].Check(r); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
		}
		for _, missing := range r.Incomplete {
			t.Errorf("%s %s: %s", r.Method, r.Path, missing)
		}
	}
}

// ownKeys are keys that scenarios may leave changed. The server writes them itself,
// from time to time or soon after its start. The bitmaps of allocated ports and, in
// older releases, of IP addresses also stay. A key that ends with a slash stands for
// all keys below it.
var ownKeys = []string{
	"/registry/leases/", "/registry/events/", "/registry/masterleases/", "/registry/peerserverleases/", "/registry/apiregistration.k8s.io/",
	"/registry/services/specs/default/kubernetes", "/registry/ipaddresses/10.0.0.1", "/registry/ranges/",
}

// watchKeys remembers the revision of a server's etcd. The returned function checks that
// the scenarios played since then have left nothing there, except for their namespaces.
// played is the number of these scenarios.
func watchKeys(t *testing.T, s *apiserver.Server) (leavesNothing func(played int)) {
	t.Helper()
	etcd, err := s.Etcd.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { etcd.Close() })
	before, err := etcd.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func(played int) {
		t.Helper()
		checkKeys(t, etcd, before, played)
	}
}

func checkKeys(t *testing.T, etcd *storage.Reader, before int64, played int) {
	t.Helper()
	changes, err := etcd.Changes(t.Context(), before, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, change := range changes {
		left[change.Key] = change.Op != "DELETE"
	}
	for _, scenario := range library(t) {
		if scenario.OwnNamespace { // the namespace exists as long as the server: see docs/scenarios.md
			delete(left, "/registry/namespaces/"+scenario.Name)
		}
	}
	written := 0
	for key, is := range left {
		if slices.ContainsFunc(ownKeys, func(own string) bool { return key == own || strings.HasSuffix(own, "/") && strings.HasPrefix(key, own) }) {
			continue
		}
		written++
		if is {
			t.Errorf("the scenarios have left the key %s in etcd", key)
		}
	}
	if written < played {
		t.Errorf("only %d keys were written, expected at least one for each played scenario", written)
	}
}
