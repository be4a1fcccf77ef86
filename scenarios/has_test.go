package scenarios

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestTextAt(t *testing.T) {
	var answer any
	const text = `{"kind": "List", "count": 3, "ready": true, "empty": [], "items": [{"name": "a"}, {"name": "b", "labels": {"x": "y"}}]}`
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"kind": "List", "count": "3", "ready": "true", "empty": "[]", "items.1.name": "b", "items.1.labels": `{"x":"y"}`,
		"none": "", "items.2.name": "", "items.-1.name": "", "items.name": "", "kind.none": "", "empty.0": "",
	} {
		if got := textAt(answer, place); got != want {
			t.Errorf("at %q is %q, expected %q", place, got, want)
		}
	}
}

// TestAwaitHas checks that the player waits for a value, and says which value it got instead.
func TestAwaitHas(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /apis/apps/v1/deployments/web, status: 200, as: admin, await: true, has: {status.readyReplicas: 2, items: "[]"}}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`
	if err := conforms(t, []byte(text)); err != nil {
		t.Error(err)
	}
	for wait, test := range map[string]struct{ want string }{
		"true": {""},
		"30ms": {`waited 30ms for GET /apis/apps/v1/deployments/web to be answered 200, with "items": "[]", "status.readyReplicas": "2"; the last answer: 200, with "0" at "status.readyReplicas"`},
	} {
		s := mustParse(t, strings.Replace(text, "await: true", "await: "+wait, 1))
		server := newFakeServer(t)
		asked := 0
		server.hold = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "deployments/web") {
				return false
			}
			ready := 0
			if asked++; asked >= 3 && test.want == "" {
				ready = 2
			}
			answer(w, 200, map[string]any{"items": []any{}, "status": map[string]any{"readyReplicas": ready}})
			return true
		}
		err := server.player().Play(t.Context(), s, nil)
		if test.want == "" && (err != nil || asked != 3) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("await: %s: sent the request %d times and got %v, expected %q", wait, asked, err, test.want)
		}
		if test.want != "" {
			continue
		}
		asked = 0
		if err := server.player().Play(t.Context(), s.AnyAnswer(), nil); err != nil || asked != 3 {
			t.Errorf("of a changed server: sent the request %d times and got %v, expected 3 times", asked, err)
		}
	}
}

// What an awaited Secret has is not in the error.
func TestAwaitHasOfSecret(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /api/v1/namespaces/x/secrets/s, status: 200, as: admin, await: 30ms, has: {data.key: ""}}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`)
	server := newFakeServer(t)
	server.hold = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "secrets/s") {
			return false
		}
		answer(w, 200, map[string]any{"data": map[string]any{"key": "c2VjcmV0"}})
		return true
	}
	err := server.player().Play(t.Context(), s, nil)
	if err == nil || strings.Contains(err.Error(), "c2VjcmV0") || !strings.Contains(err.Error(), "the request is on secrets") {
		t.Errorf("got %v, expected an error without the value", err)
	}
}
