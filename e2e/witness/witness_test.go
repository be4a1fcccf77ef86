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

// replayed are the scenarios whose requests the counters are asked about. Those with a watch during which requests without
// a trace are sent do not fit: the counters see those, too.
var replayed = []string{
	"get-node", "get-node-cached", "get-table", "get-not-found", "get-forbidden", "impersonate", "list-nodes", "list-paged", "watch-list",
	"create-deployment", "create-dry-run", "create-invalid", "apply-configmap", "patch-json", "patch-strategic", "update-deployment",
	"delete-pod",
}

const (
	// countedRuns is how often each scenario is replayed with counters: what works for the request runs each time, what
	// works beside it does not.
	countedRuns = 3
	// tracedRuns is how often each scenario is replayed with tracing.
	tracedRuns = 2
	// idleWindows is how many windows without a request are looked at.
	idleWindows = 24
	// after is the time from the answer to the end of a window, for what goes on on other goroutines.
	after = 50 * time.Millisecond
)

// TestNightlyEveryCallIsInTheTrace replays scenarios with upstream's programs, in which Go's coverage counters say which
// functions were called between a request and its answer, and in no time without a request. Each of those in the traced packages must
// be in the trace of the same request, or be named in the guide's list of accessors or in testdata/exceptions.yaml.
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
			t.Errorf("%s: the counters tell of %d functions that were called for its requests alone, expected at least %d: there is too little to compare", name, compared, fewest)
		}
	}
	for _, function := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s was called and is not in the trace of %q", function, slices.Compact(missing[function]))
	}
}

// fewest is the number of functions that the counters must tell of for each scenario: with fewer the test proves nothing.
const fewest = 100

// key identifies a function by its place; the name tells apart those that begin in the same line.
func (f function) key() string { return f.place + " " + f.name }

func sorted(functions set) []function {
	return slices.SortedFunc(maps.Values(functions), func(a, b function) int {
		return strings.Compare(a.key(), b.key())
	})
}

// isNamed reports whether the guide names a function as one that gets no span.
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

// traceRuns replays the scenarios with tracing. The result has, for each traced request of a scenario, the keys of the
// functions in its traces and in those of the requests during it.
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

// replay replays a scenario as the session does.
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
