package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func find(t *testing.T, name string) *Scenario {
	t.Helper()
	s, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlayTwice plays some scenarios against a fake server. The end-to-end tests play the
// whole library against a real server.
func TestPlayTwice(t *testing.T) {
	server := newFakeServer(t)
	for _, name := range []string{"get-node", "get-not-found", "list-nodes", "create-deployment", "create-invalid", "delete-pod", "patch-strategic"} {
		s := find(t, name)
		for range 2 {
			traced := 0
			after := func(_ context.Context, r *Request, sent *Sent) error {
				traced++
				if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(sent.TraceID) || !r.Status.allow(sent.Status) || sent.Duration <= 0 {
					t.Errorf("%s: got %+v, expected a trace ID, an allowed status and a duration", s.Name, sent)
				}
				return nil
			}
			if err := server.player().Play(t.Context(), s, after); err != nil {
				t.Error(err)
			}
			if traced != 1 {
				t.Errorf("%s: %d traced requests, expected 1", s.Name, traced)
			}
			ownNamespace := func(path string) bool { return filepath.Dir(path) == "/api/v1/namespaces" } // this namespace stays
			if left := slices.DeleteFunc(server.paths(), ownNamespace); len(left) > 0 {
				t.Errorf("%s leaves the objects %q, expected none", s.Name, left)
			}
		}
	}
}

func TestOrderOfRequests(t *testing.T) {
	server := newFakeServer(t)
	after := func(context.Context, *Request, *Sent) error { server.log = append(server.log, "after"); return nil }
	player := server.player()
	player.Before = func(context.Context) error { server.log = append(server.log, "before"); return nil }
	if err := player.Play(t.Context(), find(t, "create-deployment"), after); err != nil {
		t.Fatal(err)
	}
	const deployments = "/apis/apps/v1/namespaces/create-deployment/deployments"
	want := []string{
		"learner POST " + deployments,
		"admin GET " + deployments + "/nginx", // until the cache has the object
		"learner DELETE " + deployments + "/nginx",
		"admin GET " + deployments + "/nginx",
		"before",
		"learner POST " + deployments + " traced",
		"after",
		"admin GET " + deployments + "/nginx",
		"admin GET " + deployments + "/nginx", // does the object exist?
		"admin DELETE " + deployments + "/nginx",
		"admin GET " + deployments + "/nginx",
	}
	got := server.sent()
	if start := slices.Index(got, want[0]); start < 0 || !slices.Equal(got[start:][:len(want)], want) {
		t.Errorf("got\n%s\nexpected in it\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWaitsForRights(t *testing.T) {
	server := newFakeServer(t)
	s := find(t, "get-node")
	server.forgetful = 4 // the first review shows that no rights are left from before
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if server.forgetful != 0 {
		t.Errorf("the player sent %d reviews too few", server.forgetful)
	}
}

// A killed run leaves objects on a server that keeps running. They must not disturb the next
// run.
func TestLeftoversGo(t *testing.T) {
	server := newFakeServer(t)
	server.objects["/apis/apps/v1/namespaces/create-deployment/deployments/nginx"] = map[string]any{"metadata": map[string]any{}}
	server.objects["/apis/rbac.authorization.k8s.io/v1/namespaces/create-deployment/roles/deployer"] = map[string]any{"rules": []any{}}
	if err := server.player().Play(t.Context(), find(t, "create-deployment"), nil); err != nil {
		t.Fatal(err)
	}
}

// The player sends no DELETE for missing objects, so a server may fail to answer that.
func TestNoDeletionOfMissingObjects(t *testing.T) {
	server := newFakeServer(t)
	server.refuse = func(r *http.Request) int {
		return when(r.Method == http.MethodDelete && server.objects[r.URL.Path] == nil, 500)
	}
	for range 2 {
		if err := server.player().Play(t.Context(), find(t, "create-deployment"), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// An object with an unknown kind is a mistake in the scenario's file. The error names the
// object's line.
func TestUnknownKind(t *testing.T) {
	for old, want := range map[string]string{
		"kind: Nod":            `mine.yaml:6: the server has no kind "Nod" in "v1": did you mean "Node"?`,
		"kind: CronJob":        `mine.yaml:6: the server has no kind "CronJob" in "v1", expected one of Node, Pod`,
		"apiVersion: app/v1\n": `mine.yaml:6: finding the resource of Node "n1": GET /apis/app/v1 answered 404`,
	} {
		replaced := "kind: Node"
		if strings.HasPrefix(old, "apiVersion") {
			replaced = "apiVersion: v1\n"
		}
		s := mustParse(t, strings.Replace(good, replaced, old, 1))
		server := newFakeServer(t)
		if err := server.player().Play(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", old, err, want)
		}
	}
}

// The player does not use a namespace with the scenario's name that somebody else created.
func TestNamespaceOfSomebodyElse(t *testing.T) {
	server := newFakeServer(t)
	const namespace = "/api/v1/namespaces/create-deployment"
	server.objects[namespace] = map[string]any{"metadata": map[string]any{"name": "create-deployment"}}
	err := server.player().Play(t.Context(), find(t, "create-deployment"), nil)
	if err == nil || !strings.Contains(err.Error(), `the namespace "create-deployment" belongs to somebody else`) {
		t.Errorf("got %v, expected that the namespace belongs to somebody else", err)
	}
	for _, request := range server.sent() {
		if strings.Contains(request, "POST") && strings.Contains(request, namespace) {
			t.Errorf("the player sent %s, expected no POST to somebody else's namespace", request)
		}
	}
}

func TestCleansUpAfterFailure(t *testing.T) {
	broken := errors.New("the collector is broken")
	ctx, cancel := context.WithCancel(t.Context())
	tests := []struct {
		name   string
		ctx    context.Context
		after  func(context.Context, *Request, *Sent) error
		refuse func(*http.Request) int
		want   string
	}{
		{name: "hook", after: func(context.Context, *Request, *Sent) error { return broken }, want: "the collector is broken"},
		{name: "interrupted", ctx: ctx, want: "context canceled",
			refuse: func(r *http.Request) int {
				if r.Header.Get("traceparent") != "" {
					cancel()
				}
				return 0
			}},
		{name: "status", want: `scenario "get-node": request 1 (library/get-node.yaml:30): GET /api/v1/nodes/n1 answered 503, expected 200: refused with 503`,
			refuse: func(r *http.Request) int { return when(r.Header.Get("traceparent") != "", 503) }},
		{name: "warm-up", want: `warming up: GET /api/v1/nodes/n1 answered 403, expected 200: refused with 403`,
			refuse: func(r *http.Request) int {
				return when(r.Header.Get("Authorization") == "Bearer learner-token" && strings.HasSuffix(r.URL.Path, "n1"), 403)
			}},
		{name: "setup", want: `preparing scenario "get-node": library/get-node.yaml:18: creating ClusterRole "node-reader": POST`,
			refuse: func(r *http.Request) int {
				return when(r.Method == "POST" && strings.HasSuffix(r.URL.Path, "clusterroles"), 500)
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newFakeServer(t)
			server.refuse = test.refuse
			if test.ctx == nil {
				test.ctx = t.Context()
			}
			err := server.player().Play(test.ctx, find(t, "get-node"), test.after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			ownNamespace := func(path string) bool { return filepath.Dir(path) == "/api/v1/namespaces" } // this namespace stays
			if left := slices.DeleteFunc(server.paths(), ownNamespace); len(left) > 0 {
				t.Errorf("the run left the objects %q, expected none", left)
			}
		})
	}
}

func when(condition bool, status int) int {
	if condition {
		return status
	}
	return 0
}

// The player calls after even for an unexpected answer, because the caller may want its trace.
func TestUnexpectedStatusIsStillShown(t *testing.T) {
	server := newFakeServer(t)
	server.refuse = func(r *http.Request) int { return when(r.Header.Get("traceparent") != "", 503) }
	status := 0
	after := func(_ context.Context, _ *Request, sent *Sent) error { status = sent.Status; return nil }
	if err := server.player().Play(t.Context(), find(t, "get-node"), after); err == nil {
		t.Error("Play returned no error, expected one about the status 503")
	}
	if status != 503 {
		t.Errorf("after was called with the status %d, expected 503", status)
	}
}

// TestTimeout checks that a request ends after its Timeout, and that the error says so. The
// HTTP client must have no other timeout.
func TestTimeout(t *testing.T) {
	server := newFakeServer(t)
	server.hold = func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}
	sent, err := server.player().Send(t.Context(), &HTTP{Method: "GET", Path: "/slow", Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(sent.Err, context.DeadlineExceeded) || !strings.Contains(sent.Err.Error(), "the answer was not complete after 50ms, the timeout of the request") {
		t.Errorf("got %v, expected that the request's timeout has passed", sent.Err)
	}
	wire, err := newWire(server.player(), &lock{learner: &tokenCache{}})
	if err != nil {
		t.Fatal(err)
	}
	defer wire.close()
	if limit := wire.client.Timeout; limit != 0 {
		t.Errorf("the HTTP client has the timeout %s, expected none", limit)
	}
}

// TestWarmUpRepeatsReads checks that a read is repeated until two successive answers are
// the same, unless the read fails.
func TestWarmUpRepeatsReads(t *testing.T) {
	for status, want := range map[int]int{200: 3, 504: 1} {
		text := strings.Replace(good, "    status: 200\n    traced", fmt.Sprintf("    status: %d\n    traced", status), 1)
		text = strings.Replace(text, "    warmup:\n      - method: GET\n        path: /healthz\n        status: 200\n", "", 1)
		s := mustParse(t, text)
		server := newFakeServer(t)
		untraced := 0
		server.hold = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer learner-token" {
				return false
			}
			if r.Header.Get("traceparent") == "" {
				untraced++
			}
			answer(w, status, map[string]any{"current": min(untraced, 2)})
			return true
		}
		if err := server.player().Play(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
		if untraced != want {
			t.Errorf("sent %d warm-up requests with the answer %d, expected %d requests", untraced, status, want)
		}
	}
}

// A request may allow several answers, for releases that differ.
func TestSeveralStatuses(t *testing.T) {
	for answer, want := range map[int]string{400: "", 403: "", 500: "GET /api/v1/nodes/n1 answered 500, expected 400 or 403: refused with 500"} {
		text := strings.Replace(good, "    status: 200\n    traced", "    status: [400, 403]\n    traced", 1)
		if err := conforms(t, []byte(text)); err != nil {
			t.Error(err)
		}
		s := mustParse(t, strings.Replace(text, "path: /healthz\n        status: 200", "path: /healthz\n        status: 404", 1))
		server := newFakeServer(t)
		server.refuse = func(r *http.Request) int { return when(r.Header.Get("traceparent") != "", answer) }
		err := server.player().Play(t.Context(), s, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("answered %d: got %v, expected %q", answer, err, want)
		}
	}
}

func TestRunsWaitForEachOther(t *testing.T) {
	server := newFakeServer(t)
	lockFile := filepath.Join(t.TempDir(), "lock")
	var playing, most atomic.Int32
	server.refuse = func(r *http.Request) int {
		switch { // the player creates this object first, and deletes it last
		case r.Method == "POST" && r.URL.Path == "/api/v1/nodes":
			playing.Add(1)
		case r.Method == "DELETE" && strings.HasSuffix(r.URL.Path, "/n1") && server.objects[r.URL.Path] != nil:
			playing.Add(-1)
		}
		most.Store(max(most.Load(), playing.Load()))
		return 0
	}
	var runs sync.WaitGroup
	begun := time.Now().Truncate(time.Second)
	for range 4 {
		runs.Go(func() {
			p := server.player()
			p.LockFile = lockFile
			if err := p.Play(t.Context(), find(t, "get-node"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if most.Load() != 1 {
		t.Errorf("%d runs played at the same time, expected 1", most.Load())
	}
	if known := readTokenCache(lockFile); len(known.born) != 1 || known.born[0].Before(begun) {
		t.Errorf("the lock file has the times %v, expected the time when the token was first used", known.born)
	}
}

func TestStrangeServerIsNotTrusted(t *testing.T) {
	server, other := newFakeServer(t), newFakeServer(t)
	p := server.player()
	p.CAPEM = []byte("no certificate")
	if err := p.Play(t.Context(), find(t, "get-node"), nil); err == nil || !strings.Contains(err.Error(), "no PEM certificate") {
		t.Errorf("got %v, expected an error about the CA without a certificate", err)
	}
	// Test servers share a certificate, so use a name that the certificate does not have.
	p = other.player()
	p.BaseURL = strings.Replace(p.BaseURL, "127.0.0.1", "localhost", 1)
	if err := p.Play(t.Context(), find(t, "get-node"), nil); err == nil || !strings.Contains(err.Error(), "x509") {
		t.Errorf("got %v, expected an error about the server's certificate", err)
	}
}

func TestTokenCacheKeepsClearOfExpiry(t *testing.T) { synctest.Test(t, keepClearOfExpiry) }

// keepClearOfExpiry runs with a clock that advances only while all goroutines sleep.
func keepClearOfExpiry(t *testing.T) {
	for age, waits := range map[time.Duration]time.Duration{
		0:                          0,
		5 * time.Second:            0,
		tokenLife:                  tokenMargin,
		tokenLife + 10*time.Second: 0,
	} {
		c := &tokenCache{born: []time.Time{time.Now().Add(-age)}}
		start := time.Now()
		if err := c.keepClearOfExpiry(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != waits {
			t.Errorf("entry of age %s: waited %s, expected %s", age, waited, waits)
		}
	}
	two := (&tokenCache{born: []time.Time{time.Now().Add(-tokenLife)}}).of(2)
	start := time.Now()
	if err := two.keepClearOfExpiry(t.Context()); err != nil || two.current != 1 || time.Since(start) != 0 {
		t.Errorf("with a second token: got the error %v and the token %d after %s, expected the token 1 at once", err, two.current, time.Since(start))
	}
	c := (&tokenCache{}).of(1)
	first := time.Now()
	c.used(first)
	c.used(first.Add(tokenLife / 2))
	if !c.born[0].Equal(first) {
		t.Error("the entry's time changed after a hit, expected that a hit does not extend the entry's life")
	}
	c.used(first.Add(tokenLife * 2))
	if !c.born[0].Equal(first.Add(tokenLife * 2)) {
		t.Error("the entry's time did not change after its life, expected a new entry")
	}
}
