package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// A kind is a way to run the server. Tests share one server of each kind.
type kind struct {
	plain bool // upstream's own build
	check bool // with the probe's checking mode
	// version is the Kubernetes version; "" means the default version.
	version string
}

var (
	traced  = kind{}
	plain   = kind{plain: true}
	checked = kind{check: true}
	// older is the server of an older release, for a second replay of the library.
	older = kind{version: "v1.30.4"}
)

var servers struct {
	mu      sync.Mutex
	running map[kind]*apiserver.Server
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, s := range servers.running {
		if err := s.Stop(context.Background()); err != nil {
			println("stopping a server:", err.Error())
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// server returns the running server of a kind. The first test that asks for it starts
// it.
func server(tb testing.TB, k kind) *apiserver.Server {
	tb.Helper()
	servers.mu.Lock()
	defer servers.mu.Unlock()
	if s := servers.running[k]; s != nil {
		return s
	}
	s := start(tb, k, serverconfig.Extra{})
	if servers.running == nil {
		servers.running = map[kind]*apiserver.Server{}
	}
	servers.running[k] = s
	return s
}

// serverFor returns a server for a scenario: the shared server of the kind, or a
// separate server if the scenario needs one.
func serverFor(tb testing.TB, k kind, scenario *scenarios.Scenario) *apiserver.Server {
	tb.Helper()
	extra := scenario.Setup.Server
	if extra.IsZero() {
		return server(tb, k)
	}
	s := start(tb, k, extra)
	tb.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func start(tb testing.TB, k kind, extra serverconfig.Extra) *apiserver.Server {
	tb.Helper()
	s, err := apiserver.Start(context.Background(), buildKind(tb, k), apiserver.StartOptions{Check: k.check, Extra: extra})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// build builds the programs of the default version, or finds them in the cache.
func build(tb testing.TB, plain bool) *apiserver.Build {
	tb.Helper()
	return buildKind(tb, kind{plain: plain})
}

func buildKind(tb testing.TB, k kind) *apiserver.Build {
	tb.Helper()
	testenv.NeedsServer(tb)
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	b, err := apiserver.BuildPrograms(context.Background(), apiserver.BuildOptions{Version: k.version, Plain: k.plain, Progress: display})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// fate says whether a server has ended, and how. It waits up to three seconds, because a
// probe that breaks off its answer may be the first sign of the end, before the process
// has ended.
func fate(s *apiserver.Server) string {
	select {
	case <-s.Done():
		return fmt.Sprintf("the server has ended: %v", s.Err())
	case <-time.After(3 * time.Second):
		return "the server still runs"
	}
}

// play replays a scenario. It returns the traced requests and, on a server in the
// checking mode, the findings of that mode.
func play(tb testing.TB, s *apiserver.Server, name string) ([]trace.Request, *collect.Check) {
	tb.Helper()
	scenario, err := scenarios.Find(name)
	if err != nil {
		tb.Fatal(err)
	}
	etcd, err := s.Etcd.Open()
	if err != nil {
		tb.Fatal(err)
	}
	defer etcd.Close()
	sockets := maps.Clone(s.ProbeSockets)
	var requests []trace.Request
	all := &collect.Check{}
	player := scenarios.Player{
		BaseURL: s.BaseURL, CAPEM: s.CAPEM, AdminToken: s.AdminToken, UserTokens: s.PlayerTokens,
		LockFile: filepath.Join(s.RunDir, "play.lock"),
		Aggregate: func(ctx context.Context) (func(context.Context) error, error) {
			sample, start, found, err := startSample(ctx, s, scenario)
			if err != nil {
				return nil, err
			}
			all.Calls, all.Mismatches = found.Calls, append(all.Mismatches, found.Mismatches...)
			sockets[sampleserver.Name] = sample.ProbeSocket
			requests = append(requests, start...)
			return sample.Stop, nil
		},
	}
	err = player.Play(context.Background(), scenario, func(ctx context.Context, _ *scenarios.Request, sent *scenarios.Sent) error {
		r, found, err := collect.Request(ctx, sockets, trace.Sent{TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status})
		if err != nil {
			return err
		}
		if r.Stored, err = etcd.Stored(ctx, r); err != nil {
			return err
		}
		requests = append(requests, *r)
		all.Calls = found.Calls
		all.Mismatches = append(all.Mismatches, found.Mismatches...)
		return nil
	})
	if err != nil {
		tb.Fatalf("scenario %s: %v", name, err)
	}
	return requests, all
}

func buildSample(ctx context.Context, version string) (*program.Binary, error) {
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	recipe, err := apiserver.Recipe(ctx, sampleserver.Name, apiserver.BuildOptions{Version: version, Progress: display})
	if err != nil {
		return nil, err
	}
	return recipe.Build(ctx)
}

// sample builds the sample server of the default version.
func sample(tb testing.TB) *program.Binary {
	tb.Helper()
	b, err := buildSample(context.Background(), "")
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// startSample starts the sample server of a scenario, built like kube-apiserver. If the
// scenario has expectations for this start, it returns the trace of the start, and the
// findings of the checking mode.
func startSample(ctx context.Context, s *apiserver.Server, scenario *scenarios.Scenario) (*apiserver.Aggregated, []trace.Request, *collect.Check, error) {
	binary, err := buildSample(ctx, s.K8sVersion)
	if err != nil {
		return nil, nil, nil, err
	}
	o := apiserver.AggregatedOptions{Binary: binary}
	boot := trace.NewTraceID()
	if scenario.Boots(sampleserver.Name) {
		o.Boot = trace.Traceparent(boot)
	}
	sample, err := s.StartAggregated(ctx, o)
	if err != nil || o.Boot == "" {
		return sample, nil, &collect.Check{}, err
	}
	sockets := maps.Clone(s.ProbeSockets)
	sockets[sampleserver.Name] = sample.ProbeSocket
	start, found, err := collect.Request(ctx, sockets, trace.Sent{TraceID: boot, Method: trace.MethodStart, Path: sampleserver.Name, Boot: true})
	if err != nil {
		return nil, nil, nil, errors.Join(err, sample.Stop(ctx))
	}
	return sample, []trace.Request{*start}, found, nil
}

// get sends a GET request as the administrator.
func get(t *testing.T, s *apiserver.Server, path string) (status int, body []byte) {
	t.Helper()
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.AdminToken)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

// openAPI returns the server's OpenAPI document.
func openAPI(t *testing.T, s *apiserver.Server) []byte {
	t.Helper()
	status, body := get(t, s, "/openapi/v2")
	if status != http.StatusOK {
		t.Fatalf("GET /openapi/v2: got the status %d, expected 200: %s", status, body)
	}
	return body
}
