package scenarios

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestKeptValues(t *testing.T) {
	values := kept{}
	answer := []byte(`{"metadata": {"continue": "a/b&c", "note": "say \"hi\"", "generation": 3}}`)
	h := &HTTP{Method: "GET", Path: "/p", Keep: map[string]string{"next": "metadata.continue", "note": "metadata.note"}}
	if err := values.take(h, answer); err != nil {
		t.Fatal(err)
	}
	filled := values.fill(&HTTP{Path: "/p?continue=${next}&x=${other}", Body: &Document{json: []byte(`{"a": "${note}"}`)}})
	if want := "/p?continue=a%2Fb%26c&x=${other}"; filled.Path != want {
		t.Errorf("path %q, expected %q", filled.Path, want)
	}
	if got, want := string(filled.Body.json), `{"a": "say \"hi\""}`; got != want {
		t.Errorf("body %s, expected %s", got, want)
	}
	for where, want := range map[string]string{
		"metadata.generation": `has no text at "metadata.generation" that could be kept as "x"`,
		"metadata.none.deep":  `has no text at "metadata.none.deep"`,
	} {
		err := values.take(&HTTP{Method: "GET", Path: "/p", Keep: map[string]string{"x": where}}, answer)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
	if err := values.take(h, []byte("no JSON")); err == nil || !strings.Contains(err.Error(), "reading the answer to GET /p") {
		t.Errorf("got %v, expected an error about an answer that is not JSON", err)
	}
}

// A header may have a kept value: the token of an answer, for example.
func TestKeptValueInHeader(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
setup:
  objects:
    - {apiVersion: v1, kind: Node, metadata: {name: learner-token}}
requests:
  - {method: GET, path: /api/v1/nodes/learner-token, status: 200, as: admin, keep: {token: metadata.name}}
  - {method: GET, path: /api/v1/nodes/n2, status: 404, as: anonymous, headers: {Authorization: "Bearer ${token}"}, traced: true, warmup: []}
`
	s := mustParse(t, text)
	server := newFakeServer(t)
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if want := "learner GET /api/v1/nodes/n2 traced"; !slices.Contains(server.sent(), want) {
		t.Errorf("sent\n%s\nexpected in it: %s", strings.Join(server.sent(), "\n"), want)
	}
	_, err := parse("mine.yaml", []byte(strings.Replace(text, "${token}", "${tokn}", 1)), noFiles)
	if want := `mine.yaml:8: no request before this one keeps a value as "tokn": did you mean "token"?`; err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
}

// TestBodyText checks that a bodyText is sent unchanged, also in a warm-up, except for kept
// values. The object that it describes is removed afterwards.
func TestBodyText(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
requests:
  - method: POST
    path: /api/v1/nodes
    status: 201
    as: admin
    bodyText: |
      {"metadata": {"name": "n1", "note": "a \"word\""}}
    keep: {note: metadata.note}
  - method: POST
    path: /api/v1/nodes
    status: 400
    as: admin
    traced: true
    warmup: [{method: POST, path: /api/v1/pods, status: 400, bodyText: "a: ["}]
    bodyText: "{${note}"
`
	if err := conforms(t, []byte(text)); err != nil {
		t.Error(err)
	}
	s := mustParse(t, text)
	server := newFakeServer(t)
	var bodies []string
	server.hold = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		return false
	}
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"{\"metadata\": {\"name\": \"n1\", \"note\": \"a \\\"word\\\"\"}}\n", "a: [", `{a "word"`}
	if !slices.Equal(bodies, want) {
		t.Errorf("sent %q, expected %q", bodies, want)
	}
	if left := server.paths(); len(left) > 0 {
		t.Errorf("the run left the objects %q, expected none", left)
	}
}

// TestKeptValueIsSent checks that the kept value is sent, and that Sent.Path has the
// scenario's own text, which is the same in every run.
func TestKeptValueIsSent(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
setup:
  objects:
    - {apiVersion: v1, kind: Node, metadata: {name: n1}}
requests:
  - {method: GET, path: /api/v1/nodes/n1, status: 200, as: admin, keep: {name: metadata.name}}
  - {method: GET, path: "/api/v1/nodes/${name}", status: 200, as: anonymous, traced: true}
`)
	server := newFakeServer(t)
	shown := ""
	after := func(_ context.Context, _ *Request, sent *Sent) error { shown = sent.Path; return nil }
	if err := server.player().Play(t.Context(), s, after); err != nil {
		t.Fatal(err)
	}
	if shown != "/api/v1/nodes/${name}" {
		t.Errorf("Sent.Path is %q, expected the path of the scenario's file", shown)
	}
	if want := " GET /api/v1/nodes/n1 traced"; !slices.Contains(server.sent(), want) {
		t.Errorf("sent\n%s\nexpected in it, without a user:%s", strings.Join(server.sent(), "\n"), want)
	}
}
