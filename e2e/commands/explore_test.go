package commands

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testterm"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// inTerminal starts apitrace in a terminal of 120 columns and 40 lines.
func (m *machine) inTerminal(args ...string) *testterm.Terminal {
	m.Helper()
	command := m.command(args...)
	command.Env = append(command.Env, "TERM=xterm-256color", "NO_COLOR=")
	return testterm.Start(m, command, 120, 40)
}

// TestExploreShowsTheSource checks that explore shows the source of the build, and
// opens the editor at the line.
func TestExploreShowsTheSource(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if _, notices, status := m.run("build"); status != 0 {
		t.Fatal(notices)
	}
	dir := t.TempDir()
	editor, got := filepath.Join(dir, "editor"), filepath.Join(dir, "got")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >%s\necho EDITOR IS OPEN\nread line\n", got)
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	m.set("VISUAL", editor)
	c := m.inTerminal("explore", "get-node")
	c.Shows("▾ 1  HTTP")
	c.Type("1")
	c.Shows("187 ▶func (a *APIServerHandler) ServeHTTP(w http.Response")
	c.Type("w")
	c.Shows("called from k8s.io/apiserver/pkg/server/handler.go:188")
	c.Shows("188 ▶    a.FullHandlerChain.ServeHTTP(w, r)")
	c.Type("o")
	c.Shows("EDITOR IS OPEN")
	c.Type("enter")
	c.Shows("▾ 1  HTTP")
	arguments, err := os.ReadFile(got)
	if err != nil || !regexp.MustCompile(`^\+188 \S+/vendor/k8s\.io/apiserver/pkg/server/handler\.go\n$`).Match(arguments) {
		t.Errorf("reading the editor's arguments: got the error %v and the arguments %q, expected line 188 of handler.go", err, arguments)
	}
	c.Type("q")
	if status := c.Wait(); status != 0 {
		t.Errorf("explore ended with exit status %d, expected 0", status)
	}
}

// TestExploreReplays replays a scenario on a running server. If the new trace takes the
// same path as the recording, explore shows only the new trace. Otherwise it shows a
// comparison; for this, the test gives the scenario the recording of another one.
func TestExploreReplays(t *testing.T) {
	t.Parallel()
	m := withServer(t)
	// etcd makes more calls for a key that it has never seen. The recorded server had
	// replayed the scenario before.
	m.run("run", "get-node")
	c := m.inTerminal("explore", "get-node")
	c.Shows("▾ 1  HTTP")
	const compared = "get-node shown → now  GET"
	replayed := func() (same bool) {
		c.Type("r")
		screen := c.Until("the end of a replay", func(screen string) bool {
			return strings.Contains(screen, "replayed just now") || strings.Contains(screen, compared)
		})
		return !strings.Contains(screen, compared)
	}
	// The server also serves other tests, which may change the path of a replay. So the
	// test tries several times.
	for attempt := 1; !replayed(); attempt++ {
		if attempt == 5 {
			t.Fatalf("%d replays took other paths than the recording, expected one with the same path; the last one:\n%s", attempt, c.Screen())
		}
		c.Type("esc")
		c.Until("the tree alone", func(screen string) bool { return !strings.Contains(screen, compared) })
	}
	c.Shows("get-node v1.37.1 now  GET")
	c.Type("q")
	if status := c.Wait(); status != 0 {
		t.Errorf("explore ended with exit status %d, expected 0", status)
	}

	rec, err := recordings.Load("v1.37.1", "get-node-cached")
	if err != nil {
		t.Fatal(err)
	}
	renamed := *rec
	renamed.Scenario = "get-node"
	file := filepath.Join(t.TempDir(), "other.jsonl")
	if err := trace.Save(t.Context(), file, &renamed); err != nil {
		t.Fatal(err)
	}
	c = m.inTerminal("explore", file)
	c.Shows("▾ 1  HTTP")
	c.Type("r")
	c.Shows(compared)
	c.Shows("changes: ")
	c.Type("/", "e", "t", "c", "d", "3", ".", "(", "*", "s", "t", "o", "r", "e", ")", ".", "G", "e", "t", "enter")
	c.Shows("only in now")
	c.Type("esc")
	c.Shows("get-node v1.37.1 now  GET")
	c.Type("q")
	c.Wait()
}

// TestRecordInteractive sends requests while the list is on the screen, opens a
// request, and comes back.
func TestRecordInteractive(t *testing.T) {
	t.Parallel()
	m := withServer(t)
	file := filepath.Join(t.TempDir(), "session.jsonl")
	c := m.inTerminal("record", "-i", "--save", file)
	screen := c.Shows("export APITRACE_TOKEN=")
	value := func(name string) string {
		found := regexp.MustCompile(name + `=(\S+)`).FindStringSubmatch(screen)
		if found == nil {
			t.Fatalf("the screen has no %s:\n%s", name, screen)
		}
		return found[1]
	}
	ca, err := os.ReadFile(value("APITRACE_CACERT"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	get := func(path string) {
		request, err := http.NewRequest(http.MethodGet, value("APITRACE_SERVER")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+value("APITRACE_TOKEN"))
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	get("/api/v1/namespaces/default")
	c.Until("the first request", func(screen string) bool {
		return regexp.MustCompile(`(?m)^».* 200 .* GET /api/v1/namespaces/default$`).MatchString(screen)
	})
	get("/api/v1/namespaces/nowhere")
	c.Until("the second request below the first, selected", func(screen string) bool {
		return regexp.MustCompile(`(?m)^ .* GET /api/v1/namespaces/default\n».* 404 .* GET /api/v1/namespaces/nowhere$`).MatchString(screen)
	})
	c.Type("enter")
	c.Shows("record v1.37.1  GET /api/v1/namespaces/nowhere → 404")
	c.Type("e")
	c.Shows("✗")
	get("/version")
	c.Type("q")
	c.Shows("GET /version")
	c.Type("q")
	if status := c.Wait(); status != 0 {
		t.Errorf("record ended with exit status %d, expected 0", status)
	}
	if !strings.Contains(c.Output(), "requests in "+file+": 3") {
		t.Errorf("record does not say at its end that it recorded 3 requests:\n%s", c.Screen())
	}
	rec, err := trace.Load(file)
	if err != nil || len(rec.Requests) != 3 {
		t.Errorf("loading the file: got the error %v, expected three requests", err)
	}
}
