package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/routes"
)

// TestBoot traces the start of kube-apiserver. It compares the routes that the start
// built with the routes that the server publishes.
func TestBoot(t *testing.T) {
	t.Parallel()
	traceBoot(t, traced)
}

// TestSlowBoot traces the start of an older release in the same way.
func TestSlowBoot(t *testing.T) {
	testenv.Slow(t)
	traceBoot(t, older)
}

func traceBoot(t *testing.T, k kind) {
	scenario, err := scenarios.Find("boot")
	if err != nil {
		t.Fatal(err)
	}
	id := trace.NewTraceID()
	s, err := apiserver.Start(t.Context(), buildKind(t, k), apiserver.StartOptions{Boot: trace.Traceparent(id)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	start, _, err := collect.Request(t.Context(), s.ProbeSockets, trace.Sent{TraceID: id, Method: trace.MethodStart, Path: apiserver.Name, Boot: true})
	if err != nil {
		t.Fatalf("%v; %s", err, fate(s))
	}
	if err := scenario.Boot.Expect.Check(*start); err != nil {
		t.Error(err)
	}
	for _, m := range start.Incomplete {
		t.Error(m)
	}
	compareRoutes(t, s, start)

	// A server with a traced start traces requests like any other.
	requests, _ := play(t, s, "get-node")
	if len(requests) != 1 || requests[0].Calls[0].Function != "k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP" {
		t.Errorf("get-node gave %d traces after a traced start, expected one that begins with ServeHTTP", len(requests))
	}
}

// compareRoutes checks that each operation of the server's OpenAPI document was built
// as a route, with the same method and path. There may be more routes: the document has
// no watches by path.
func compareRoutes(t *testing.T, s *apiserver.Server, start *trace.Request) {
	t.Helper()
	all, err := routes.Of(start)
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for _, r := range all {
		built[strings.ToLower(r.Method)+" "+strings.ReplaceAll(r.Path, ":*}", "}")] = true
	}
	published := operations(t, s)
	if len(published) < 500 {
		t.Errorf("the server publishes %d operations, expected at least 500", len(published))
	}
	for _, o := range published {
		if !built[o] {
			t.Errorf("no route was built for %q", o)
		}
	}
}

// operations lists the method and path of each operation in the server's OpenAPI document.
func operations(t *testing.T, s *apiserver.Server) []string {
	t.Helper()
	body := openAPI(t, s)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			if method != "parameters" {
				all = append(all, method+" "+path)
			}
		}
	}
	return all
}
