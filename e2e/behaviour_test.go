package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// TestSlowBehaviour checks that the instrumented server answers as upstream's own build
// does, with tracing of the request and without. It needs both builds.
func TestSlowBehaviour(t *testing.T) {
	testenv.Slow(t)
	compareBuilds(t, "", exchanges)
}

// TestNightlyBehaviourOfOlderReleases compares the two builds of three old releases, which
// apitrace must repair to build them. The two builds of a release take minutes. -run
// TestNightlyBehaviourOfOlderReleases/v1.20.15 selects one release.
func TestNightlyBehaviourOfOlderReleases(t *testing.T) {
	testenv.Nightly(t)
	for _, version := range []string{"v1.16.15", "v1.20.15", "v1.25.16"} {
		t.Run(version, func(t *testing.T) {
			var served []exchange
			for _, e := range exchanges {
				if e.since == "" || semver.Compare(version, e.since) >= 0 {
					served = append(served, e)
				}
			}
			compareBuilds(t, version, served)
		})
	}
}

// compareBuilds sends the same requests to both builds of a release. version "" is the
// default release.
func compareBuilds(t *testing.T, version string, all []exchange) {
	upstream, instrumented := server(t, kind{plain: true, version: version}), server(t, kind{version: version})
	for _, sampled := range []bool{true, false} {
		t.Run(fmt.Sprintf("sampled=%v", sampled), func(t *testing.T) {
			want := answersOf(t, upstream, sampled, all)
			got := answersOf(t, instrumented, sampled, all)
			compareAnswers(t, want.answers, got.answers)
			if sampled {
				mustBeTraced(t, instrumented, got.sent)
			}
		})
	}
}

// compareAnswers reports the differences between the answers of two servers.
func compareAnswers(t *testing.T, want, got []namedAnswer) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("got %d answers of upstream's build and %d of the instrumented one, expected equal numbers", len(want), len(got))
	}
	wantIDs, gotIDs := newIDs(), newIDs()
	for i := range want {
		w, g := normalise(want[i].answer, wantIDs), normalise(got[i].answer, gotIDs)
		if w != g {
			t.Errorf("%s: the answers of the two builds differ (- upstream's, + instrumented):\n%s", want[i].name, cmp.Diff(lines(w), lines(g)))
		}
	}
}

// lines splits an answer into lines. It indents JSON, so that the diff has short lines.
func lines(answer string) []string {
	var out []string
	for line := range strings.Lines(answer) {
		var indented bytes.Buffer
		if json.Indent(&indented, []byte(line), "", " ") == nil {
			line = indented.String()
		}
		out = append(out, strings.Split(strings.TrimRight(line, "\r\n"), "\n")...)
	}
	return out
}

// mustBeTraced checks that the requests were traced.
func mustBeTraced(t *testing.T, s *apiserver.Server, all []trace.Sent) {
	t.Helper()
	for _, sent := range all {
		r, _, err := collect.Request(t.Context(), s.ProbeSockets, sent)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(r.Incomplete) > 0 {
			t.Errorf("%s %s: the trace is incomplete: %q", sent.Method, sent.Path, r.Incomplete)
		}
	}
}

// An answer has all parts of an HTTP answer that a client sees.
type answer struct {
	proto, status string
	header        http.Header
	body          []byte
}

type namedAnswer struct {
	name string
	answer
}

// A session sends the requests of the comparison to one server.
type session struct {
	t       *testing.T
	server  *apiserver.Server
	client  *http.Client
	sampled bool

	// last is the metadata of the last answer. Requests can refer to it.
	last struct {
		Continue        string `json:"continue"`
		ResourceVersion string `json:"resourceVersion"`
	}
	answers []namedAnswer
	sent    []trace.Sent // the traced requests
}

// answersOf sends requests to a server, one after the other.
func answersOf(t *testing.T, s *apiserver.Server, sampled bool, all []exchange) *session {
	t.Helper()
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	run := &session{t: t, server: s, client: client, sampled: sampled}
	makeNamespace(t, s, behaviourNamespace)
	for _, e := range all {
		run.exchange(e)
	}
	return run
}

// makeNamespace makes a namespace if it does not exist. The namespace stays, because
// only the controller manager can finish its deletion.
func makeNamespace(t *testing.T, s *apiserver.Server, name string) {
	t.Helper()
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	body := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q}}`, name)
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.BaseURL+"/api/v1/namespaces", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.AdminToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusConflict {
		t.Fatalf("creating the namespace %q: got the status %s, expected 201, or 409 if it exists", name, resp.Status)
	}
}

// exchange sends a request, and then the requests in its field during, and keeps the
// answers. It stops the test if an answer does not have the expected status, because a
// comparison of two failing servers proves nothing.
func (s *session) exchange(e exchange) {
	s.t.Helper()
	// At the return, cancel ends a watch. All other requests are complete by then.
	ctx, cancel := context.WithTimeout(s.t.Context(), testenv.Patience)
	defer cancel()
	resp, err := s.client.Do(s.request(ctx, e))
	if err != nil {
		s.t.Fatalf("%s: %v", e.name, err)
	}
	defer resp.Body.Close()
	for _, d := range e.during {
		s.exchange(d)
	}
	body, err := read(resp.Body, len(e.during))
	if err != nil {
		s.t.Fatalf("%s: reading the answer failed after %q: %v", e.name, body, err)
	}
	if resp.StatusCode != e.status {
		s.t.Fatalf("%s: %s %s answered %s, expected %d: %s", e.name, e.method, e.path, resp.Status, e.status, body)
	}
	s.remember(body)
	s.answers = append(s.answers, namedAnswer{e.name, answer{resp.Proto, resp.Status, resp.Header, body}})
}

// read reads a body. If lines is not 0, it reads only so many lines.
func read(body io.Reader, lines int) ([]byte, error) {
	if lines == 0 {
		return io.ReadAll(body)
	}
	var got []byte
	in := bufio.NewReader(body)
	for range lines {
		line, err := in.ReadBytes('\n')
		got = append(got, line...)
		if err != nil {
			return got, err
		}
	}
	return got, nil
}

func (s *session) remember(body []byte) {
	var object struct {
		Metadata any `json:"metadata"`
	}
	s.last.Continue, s.last.ResourceVersion = "", ""
	object.Metadata = &s.last
	_ = json.Unmarshal(body, &object) // an answer may have no metadata
}

func (s *session) request(ctx context.Context, e exchange) *http.Request {
	s.t.Helper()
	fill := strings.NewReplacer("{continue}", s.last.Continue, "{resourceVersion}", s.last.ResourceVersion)
	path := fill.Replace(e.path)
	req, err := http.NewRequestWithContext(ctx, e.method, s.server.BaseURL+path, strings.NewReader(fill.Replace(e.body)))
	if err != nil {
		s.t.Fatal(err)
	}
	tokens := map[string]string{"": s.server.AdminToken, learner: s.server.LearnerToken, stranger: "no-such-token"}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + tokens[e.as],
		"Accept":        "application/json",
		"Content-Type":  "application/json",
		// The server derives the name of the field manager from it.
		"User-Agent": "behaviour/1",
		// Otherwise the HTTP client asks for gzip and decompresses the answer.
		"Accept-Encoding": "identity",
		// Otherwise the server chooses a random id.
		"Audit-Id": fmt.Sprintf("behaviour-%d", len(s.answers)),
	} {
		req.Header.Set(name, value)
	}
	for name, value := range e.header {
		req.Header.Set(name, value)
	}
	if s.sampled {
		id := hexID(16)
		req.Header.Set("Traceparent", "00-"+id+"-"+hexID(8)+"-01")
		s.sent = append(s.sent, trace.Sent{TraceID: id, Method: e.method, Path: path, Status: e.status})
	}
	return req
}

// hexID returns n random bytes in hexadecimal.
func hexID(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// TestCompareFindsDifferences checks that a difference in any part of an answer is
// found, so that the other tests can fail.
func TestCompareFindsDifferences(t *testing.T) {
	const object = `{"kind":"ConfigMap","metadata":{"name":"a","uid":"11111111-1111-1111-1111-111111111111","resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"k":"v"}}`
	of := func(body string) answer {
		return answer{"HTTP/2.0", "200 OK", http.Header{"Content-Type": {"application/json"}, "Content-Length": {fmt.Sprint(len(body))}, "Date": {"now"}}, []byte(body)}
	}
	replaced := func(old, new string) answer { return of(strings.Replace(object, old, new, 1)) }
	with := func(change func(*answer)) answer { a := of(object); change(&a); return a }
	tests := []struct {
		name  string
		other answer
		same  bool
	}{
		{"another server's ids and times", of(strings.NewReplacer("1111", "2222", `"7"`, `"1234"`, "2026-01", "2027-02").Replace(object)), true},
		{"another date", with(func(a *answer) { a.header.Set("Date", "then") }), true},
		{"value", replaced(`"v"`, `"w"`), false},
		{"no uid", replaced(`"uid":"11111111-1111-1111-1111-111111111111",`, ""), false},
		{"no resourceVersion", replaced(`"resourceVersion":"7",`, ""), false},
		{"a time in an unknown place", replaced(`"v"`, `"2026-01-01T00:00:00Z"`), false},
		{"order of fields", replaced(`"name":"a","uid":"11111111-1111-1111-1111-111111111111"`, `"uid":"11111111-1111-1111-1111-111111111111","name":"a"`), false},
		{"white space", replaced(`,"data"`, `, "data"`), false},
		{"status", with(func(a *answer) { a.status = "201 Created" }), false},
		{"protocol", with(func(a *answer) { a.proto = "HTTP/1.1" }), false},
		{"additional header", with(func(a *answer) { a.header.Set("Warning", "299") }), false},
		{"header value", with(func(a *answer) { a.header.Set("Content-Type", "text/plain") }), false},
		{"missing header", with(func(a *answer) { a.header.Del("Date") }), false},
		{"wrong length", with(func(a *answer) { a.header.Set("Content-Length", "3") }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a, b := normalise(of(object), newIDs()), normalise(tt.other, newIDs()); (a == b) != tt.same {
				t.Errorf("same: %v, want %v\n%s", a == b, tt.same, cmp.Diff(lines(a), lines(b)))
			}
		})
	}
	t.Run("mixed up ids", func(t *testing.T) {
		other := "22222222-2222-2222-2222-222222222222"
		one, two := of(object), replaced("11111111-1111-1111-1111-111111111111", other)
		ids, mixed := newIDs(), newIDs()
		a := []string{normalise(one, ids), normalise(two, ids), normalise(one, ids)}
		b := []string{normalise(one, mixed), normalise(two, mixed), normalise(two, mixed)}
		if slices.Equal(a, b) {
			t.Error("answers with the uid of another object count as equal, expected a difference")
		}
	})
}
