package e2e

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/instrument/probe"
	programs "github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// toy is the HTTP server of testdata/toy as a program that apitrace traces.
func toy(t *testing.T, cache *program.Cache) programs.Program {
	t.Helper()
	dir, err := filepath.Abs("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	return programs.Program{
		Name: "toy",
		ForVersion: func(string, func() (program.Upstream, error)) (program.Program, error) {
			p := program.Program{Name: "toy", Module: "example.com/toy", Main: "main.go"}
			local := program.Local{Dir: dir, Name: "toy", Release: "v0.0.0", Like: "v0.0.0", Commit: "0", Dirty: true, Time: time.Unix(0, 0)}
			up, err := program.CopySource(t.Context(), p, local, program.Options{Cache: cache})
			p.Version = up.Version
			return p, err
		},
		Adapt: func(guide *instrument.Guide) *instrument.Guide {
			adapted := *guide
			adapted.Programs = maps.Clone(guide.Programs)
			adapted.Programs["toy"] = &instrument.ProgramGuide{
				Packages: []instrument.Packages{{Path: "example.com/toy/greeter"}},
				Roots: []instrument.Root{{
					Function: "example.com/toy/greeter.(*Handler).ServeHTTP", Traceparent: "r.Header.Values(METADATAKEY)", Path: "r.URL.Path",
				}},
			}
			return &adapted
		},
	}
}

// TestAnotherProgram adds a program to the traced programs, with a single
// programs.Program, and checks that its requests are traced. The program is not an API
// server.
func TestAnotherProgram(t *testing.T) {
	testenv.NeedsServer(t)
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	added, ok := programs.Find(append(apiserver.Programs(), toy(t, cache)), "toy")
	if !ok {
		t.Fatal("programs.Find does not find the added program")
	}
	recipe, err := added.Recipe(programs.Options{Version: apiserver.DefaultVersion, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	binary, err := recipe.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address, socket := startToy(t, binary)

	id := trace.NewTraceID()
	get := func(path string, traced bool) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if traced {
			request.Header.Set(probe.MetadataKey, trace.Traceparent(id))
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	get("/nobody", false)
	if status, body := get("/gopher", true); status != http.StatusOK || body != "hello gopher\n" {
		t.Fatalf("GET /gopher: got the status %d and the body %s, expected 200 and \"hello gopher\"", status, body)
	}
	request, _, err := collect.Request(t.Context(), map[string]string{"toy": socket}, trace.Sent{TraceID: id, Method: http.MethodGet, Path: "/gopher", Status: http.StatusOK})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for i, c := range request.Calls {
		depth := ""
		if i > 0 && c.Parent == request.Calls[0].ID {
			depth = "  "
		}
		calls = append(calls, fmt.Sprintf("%s%s %s:%d %s", depth, c.Function, c.File, c.Line, c.Process))
	}
	want := []string{
		"example.com/toy/greeter.(*Handler).ServeHTTP example.com/toy/greeter/greeter.go:13 toy",
		"  example.com/toy/greeter.nameOf example.com/toy/greeter/greeter.go:22 toy",
		"  example.com/toy/greeter.(*Handler).greet example.com/toy/greeter/greeter.go:30 toy",
	}
	if !slices.Equal(calls, want) {
		t.Errorf("the calls are\n%s\nexpected\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"))
	}
}

// startToy starts the server on a free port. socket is the socket of its probe.
func startToy(t *testing.T, binary *program.Binary) (address, socket string) {
	t.Helper()
	runDir, err := program.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runDir.Close(); err != nil {
			t.Error(err)
		}
	})
	dir, err := runDir.Part("toy")
	if err != nil {
		t.Fatal(err)
	}
	child, err := program.WithFreePort(func(port int) (*program.Child, error) {
		address = fmt.Sprintf("127.0.0.1:%d", port)
		server := program.Server{
			Name: "toy", Path: binary.Path, Args: []string{"--address=" + address}, Dir: dir,
			Ready: func(ctx context.Context) error {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/ready", nil)
				if err != nil {
					return err
				}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					return err
				}
				return response.Body.Close()
			},
		}
		socket = server.Socket()
		return program.Start(t.Context(), server)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := child.Stop(context.WithoutCancel(t.Context()), time.Second); err != nil {
			t.Error(err)
		}
	})
	return address, socket
}
