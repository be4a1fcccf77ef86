package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The server of this test ends each answer after one line, so a watch sees one event.
func TestWatch(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
requests:
  - method: GET
    path: /api/v1/nodes
    status: 200
    traced: true
    warmup: []
    during: [%s]
    events: [%s]
`
	const one, two = `{method: POST, path: /api/v1/nodes, status: 201, as: admin, body: {metadata: {name: n1}}}`,
		`{method: DELETE, path: /api/v1/nodes/n1, status: 200, as: admin}`
	for _, test := range []struct{ during, events, want string }{
		{one, "", ""},
		{"", "ADDED", ""},
		{strings.Replace(one, "as: admin", "as: admin, unseen: true", 1), "ADDED", ""},
		{"", "BOOKMARK", `the watch sent an event ADDED, expected BOOKMARK: {"items":`},
		{one, "BOOKMARK", "waiting for an event BOOKMARK: EOF"},
		{one + ", " + two, "", "waiting for the event of DELETE /api/v1/nodes/n1: EOF"},
		{strings.Replace(one, "201", "409", 1), "", "during the watch: POST /api/v1/nodes answered 201, expected 409"},
	} {
		s, err := parse("mine.yaml", fmt.Appendf(nil, text, test.during, test.events), noFiles)
		if err != nil {
			t.Fatal(err)
		}
		server := newFakeServer(t)
		body := ""
		after := func(_ context.Context, _ *Request, sent *Sent) error { body = string(sent.Body); return nil }
		err = server.player().Play(t.Context(), s, after)
		switch {
		case test.want == "" && (err != nil || !strings.Contains(body, `"List"`)):
			t.Errorf("got the error %v and the events %q, expected one event", err, body)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("got %v, expected %s", err, test.want)
		}
		log := server.sent()
		if i := slices.Index(log, "learner GET /api/v1/nodes traced"); i < 0 || test.during != "" && !slices.Contains(log[i:], "admin POST /api/v1/nodes") {
			t.Errorf("sent\n%s\nexpected the watch, and then the change during it", strings.Join(log, "\n"))
		}
		if left := server.paths(); len(left) > 0 {
			t.Errorf("the run left the objects %q, expected none", left)
		}
	}
}

// TestHangUp checks that the player ends a watch after its hangUp, and that an event before
// that is an error.
func TestHangUp(t *testing.T) {
	for _, test := range []struct {
		hangUp, sends, path, want string
		ends                      bool
	}{
		{hangUp: "50ms", path: "/api/v1/pods?watch=true"},
		{hangUp: "1h", path: "/api/v1/pods?watch=true", sends: `{"type":"ADDED","object":"planted"}`, want: `the watch sent an event before hangUp, 1h0m0s, expected none: {"type":"ADDED","object":"planted"}`},
		{hangUp: "1h", path: "/api/v1/secrets?watch=true", sends: `{"type":"ADDED","object":"planted"}`, want: "expected none: (not shown: the watch is on secrets)"},
		{hangUp: "1h", path: "/api/v1/pods?watch=true", ends: true, want: "the watch ended before hangUp, 1h0m0s: EOF"},
	} {
		text := fmt.Sprintf(`name: mine
title: {en: Mine}
requests:
  - {method: GET, path: %q, status: 200, traced: true, warmup: [], hangUp: %s}
`, test.path, test.hangUp)
		if err := conforms(t, []byte(text)); err != nil {
			t.Error(err)
		}
		s := mustParse(t, text)
		server := newFakeServer(t)
		server.hold = func(w http.ResponseWriter, r *http.Request) bool {
			if test.sends != "" {
				fmt.Fprintln(w, test.sends)
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			if !test.ends {
				<-r.Context().Done() // the player has hung up
			}
			return true
		}
		err := server.player().Play(t.Context(), s, nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("hangUp %s: got %v, expected %q", test.hangUp, err, test.want)
		}
	}
}

// Play calls the function after for a watch first, and then for the traced requests during
// the watch, in the order in which they were sent.
func TestTracedDuringWatch(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - method: GET
    path: /api/v1/nodes
    status: 200
    traced: true
    warmup: []
    during:
      - {method: POST, path: /api/v1/nodes, status: 201, as: admin, traced: true, unseen: true, body: {metadata: {name: n1}}}
      - {method: POST, path: /api/v1/nodes, status: 201, as: admin, unseen: true, body: {metadata: {name: n2}}}
      - {method: DELETE, path: /api/v1/nodes/n1, status: 200, as: admin, traced: true, unseen: true}
`)
	var handed []string
	ids := map[string]bool{}
	after := func(_ context.Context, r *Request, sent *Sent) error {
		handed = append(handed, fmt.Sprintf("%s %s %d", sent.Method, r.Path, sent.Status))
		ids[sent.TraceID] = true
		return nil
	}
	server := newFakeServer(t)
	if err := server.player().Play(t.Context(), s, after); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET /api/v1/nodes 200", "POST /api/v1/nodes 201", "DELETE /api/v1/nodes/n1 200"}
	if !slices.Equal(handed, want) || len(ids) != len(want) {
		t.Errorf("after was called for %q with %d trace ids, expected %q", handed, len(ids), want)
	}
	var traced []string
	for _, r := range s.Traced() {
		traced = append(traced, fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Status))
	}
	if !slices.Equal(traced, want) {
		t.Errorf("Traced lists %q, expected %q", traced, want)
	}
}
