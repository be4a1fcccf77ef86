package witness

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// replayed are the scenarios of the test. Scenarios that send untraced requests during a
// watch are not possible, because the counters also count these requests.
var replayed = []string{
	"get-node", "get-node-cached", "get-table", "get-not-found", "get-forbidden", "impersonate", "list-nodes", "list-paged", "watch-list",
	"create-deployment", "create-dry-run", "create-invalid", "apply-configmap", "patch-json", "patch-strategic", "update-deployment",
	"delete-pod",
}

const (
	// countedRuns is how often each scenario is replayed with counters. Functions that
	// work for the request run each time. Background work does not.
	countedRuns = 3
	// tracedRuns is how often each scenario is replayed with tracing.
	tracedRuns = 2
	// idleWindows is the number of windows without a request.
	idleWindows = 24
	// after is the time from the answer to the end of a window. Work on other goroutines
	// can end in this time.
	after = 50 * time.Millisecond
)

// TestNightlyEveryCallIsInTheTrace replays scenarios with upstream's programs. Go's
// coverage counters give the functions that ran between a request and its answer, and
// in no idle window. Each such function in a traced package must be in the trace of the
// same request. The exceptions are in the guide's list of accessors and in
// testdata/exceptions.yaml.
func TestNightlyEveryCallIsInTheTrace(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Nightly(t)
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := programsOf(t, guide, apiserver.DefaultVersion)
	excepted := readExceptions(t, p)
	ran := countRuns(t, p)
	traced := traceRuns(t, p)
	missing := map[string][]string{} // scenarios, by function
	for _, name := range replayed {
		var compared, named, explained, missed int
		for i, request := range ran[name] {
			for _, program := range slices.Sorted(maps.Keys(request)) {
				for _, f := range sorted(request[program]) {
					compared++
					switch {
					case traced[name][i][f.key()]:
					case isNamed(guide, p.sources[program], f.name):
						named++
					case excepted.explain(name, program, f.name):
						explained++
					default:
						missed++
						missing[program+" "+f.key()] = append(missing[program+" "+f.key()], name)
					}
				}
			}
		}
		t.Logf("%s: %d functions were called for its requests alone: %d are in the trace, %d are accessors that the guide names, %d are explained exceptions, %d are missing",
			name, compared, compared-named-explained-missed, named, explained, missed)
		if compared < fewest {
			t.Errorf("%s: the counters report %d functions that were called only for its requests, expected at least %d", name, compared, fewest)
		}
	}
	for _, function := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s was called, but is not in the trace of %q", function, slices.Compact(missing[function]))
	}
}

// fewest is the number of functions that the counters must report for each scenario.
// With fewer functions the test proves nothing.
const fewest = 100

// key identifies a function by its place and name. Several functions may begin on the
// same line.
func (f function) key() string { return f.place + " " + f.name }

func sorted(functions set) []function {
	return slices.SortedFunc(maps.Values(functions), func(a, b function) int {
		return strings.Compare(a.key(), b.key())
	})
}

// isNamed reports whether the guide names a function as one without a span.
func isNamed(guide *instrument.Guide, s *source, function string) bool {
	for _, step := range guide.Steps {
		if step.Span != "" && step.Has(s.version) && step.Function.Match(function) {
			return step.Span == "never"
		}
	}
	for _, pattern := range guide.Programs[s.program].Never {
		if pattern.Match(function) {
			return true
		}
	}
	return false
}

// traceRuns replays the scenarios with tracing. The result has the keys of the
// functions in the traces of each traced request of a scenario, including the traces of
// requests during it.
func traceRuns(t *testing.T, p *programs) map[string][]map[string]bool {
	t.Helper()
	build, err := apiserver.BuildPrograms(t.Context(), apiserver.BuildOptions{Version: p.apiserver.Version, Cache: p.cache, Progress: p.display})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, build)
	all := map[string][]map[string]bool{}
	for run := range tracedRuns {
		for _, name := range replayed {
			at := -1
			before := func(context.Context) error {
				if at++; run == 0 {
					all[name] = append(all[name], map[string]bool{})
				}
				return nil
			}
			replay(t, server, name, before, func(ctx context.Context, sent *scenarios.Sent) error {
				request, _, err := collect.Request(ctx, server.ProbeSockets, trace.Sent{TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status})
				if err != nil {
					return err
				}
				if len(request.Incomplete) > 0 {
					return fmt.Errorf("the trace is incomplete: %q", request.Incomplete)
				}
				for _, call := range request.Calls {
					all[name][at][function{name: call.Function, place: fmt.Sprintf("%s:%d", call.File, call.Line)}.key()] = true
				}
				return nil
			})
		}
	}
	return all
}

func start(t *testing.T, build *apiserver.Build) *apiserver.Server {
	t.Helper()
	server, err := apiserver.Start(t.Context(), build, apiserver.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server
}

// replay replays a scenario as a session does. It calls before at the begin of each
// traced request, and after at the end of each traced request and of each request during
// a watch.
func replay(t *testing.T, s *apiserver.Server, name string, before func(context.Context) error, after func(context.Context, *scenarios.Sent) error) {
	t.Helper()
	scenario, err := scenarios.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	player := scenarios.Player{
		BaseURL: s.BaseURL, CAPEM: s.CAPEM, AdminToken: s.AdminToken, UserTokens: s.PlayerTokens,
		LockFile: filepath.Join(s.RunDir, "play.lock"), Before: before,
	}
	err = player.Play(t.Context(), scenario, func(ctx context.Context, _ *scenarios.Request, sent *scenarios.Sent) error { return after(ctx, sent) })
	if err != nil {
		t.Fatal(err)
	}
}
