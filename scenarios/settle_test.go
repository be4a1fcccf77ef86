package scenarios

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAwait(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /apis/example.com/v1/widgets, status: 201, as: admin, await: true}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`)
	server := newFakeServer(t)
	asked := 0
	server.refuse = func(r *http.Request) int {
		if !strings.HasSuffix(r.URL.Path, "widgets") {
			return 0
		}
		asked++
		return when(asked >= 3, 201)
	}
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if asked != 3 {
		t.Errorf("the player sent the awaited request %d times, expected 3", asked)
	}
}

// If the server cuts the answer to an awaited request, the player sends the request again.
func TestAwaitAfterCut(t *testing.T) {
	for wait, want := range map[string]string{"true": "", "30ms": "waited 30ms for GET /apis/example.com/v1/widgets to be answered 201; the last time: "} {
		s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /apis/example.com/v1/widgets, status: 201, as: admin, await: `+wait+`}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`)
		server := newFakeServer(t)
		asked := 0
		server.hold = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "widgets") {
				return false
			}
			if asked++; asked < 3 || want != "" {
				panic(http.ErrAbortHandler)
			}
			answer(w, 201, map[string]any{})
			return true
		}
		err := server.player().Play(t.Context(), s, nil)
		if want == "" && (err != nil || asked != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("await: %s: sent the request %d times and got %v, expected %q", wait, asked, err, want)
		}
	}
}

// The value of await may be a time.
func TestAwaitFor(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /apis/example.com/v1/widgets, status: 201, as: admin, await: 30ms}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`
	if err := conforms(t, []byte(text)); err != nil {
		t.Error(err)
	}
	s := mustParse(t, text)
	const want = "waited 30ms for GET /apis/example.com/v1/widgets to be answered 201; the last answer: 404, not found"
	if err := newFakeServer(t).player().Play(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, expected %s", err, want)
	}
	usual, err := parse("mine.yaml", []byte(strings.Replace(text, "30ms", "true", 1)), noFiles)
	if err != nil || usual.Requests[0].Await != Wait(pollTimeout) {
		t.Errorf("got the error %v; await: true waits %s, expected pollTimeout", err, time.Duration(usual.Requests[0].Await))
	}
	if never, err := parse("mine.yaml", []byte(strings.Replace(text, "30ms", "false", 1)), noFiles); err != nil || never.Requests[0].Await != 0 {
		t.Errorf("got the error %v, or await: false waits; expected no error and no wait", err)
	}
}

// A changed server need not give the awaited answer. The player still waits for the answer,
// because later requests may need it.
func TestAwaitUsualAnswer(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /apis/example.com/v1/widgets, status: 201, as: admin, await: true}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`)
	for answer, most := range map[int]int{201: 3, 202: 1000} {
		server := newFakeServer(t)
		asked := 0
		server.refuse = func(r *http.Request) int {
			if !strings.HasSuffix(r.URL.Path, "widgets") {
				return 0
			}
			asked++
			return when(asked >= 3, answer)
		}
		if err := server.player().Play(t.Context(), s.AnyAnswer(), nil); err != nil {
			t.Fatal(err)
		}
		if asked < 3 || asked > most {
			t.Errorf("with the answer %d: sent the request %d times, expected at least 3 times, and no more after an expected answer", answer, asked)
		}
	}
}

// A dry run stores nothing. So it can be its own warm-up, and there is nothing to wait for.
func TestChanges(t *testing.T) {
	for _, test := range []struct {
		h    HTTP
		want bool
	}{
		{HTTP{Method: "GET", Path: "/p", Status: Statuses{200}}, false},
		{HTTP{Method: "POST", Path: "/p", Status: Statuses{201}}, true},
		{HTTP{Method: "POST", Path: "/p?dryRun=All", Status: Statuses{201}}, false},
		{HTTP{Method: "POST", Path: "/p", Status: Statuses{409}}, false},
	} {
		if test.h.changes() != test.want {
			t.Errorf("%s %s with %s: changes() = %t, expected the opposite", test.h.Method, test.h.Path, test.h.Status, !test.want)
		}
	}
}

func TestCreates(t *testing.T) {
	named := &Document{}
	named.head.Metadata.Name = "x"
	for _, test := range []struct {
		h    HTTP
		want string
	}{
		{HTTP{Method: "POST", Path: "/api/v1/nodes", Body: named}, "/api/v1/nodes/x"},
		{HTTP{Method: "POST", Path: "/api/v1/namespaces", Body: named}, "/api/v1/namespaces/x"},
		{HTTP{Method: "POST", Path: "/api/v1/namespaces/a/pods?dryRun=All", Body: named}, "/api/v1/namespaces/a/pods/x"},
		{HTTP{Method: "POST", Path: "/apis/apps/v1/namespaces/a/deployments", Body: named}, "/apis/apps/v1/namespaces/a/deployments/x"},
		{HTTP{Method: "POST", Path: "/api/v1/namespaces/a/pods/x/binding", Body: named}, ""},
		{HTTP{Method: "POST", Path: "/api/v1/namespaces/a/pods"}, ""},
		{HTTP{Method: "PATCH", Path: "/api/v1/namespaces/a/configmaps/x?fieldManager=me", Status: Statuses{201}}, "/api/v1/namespaces/a/configmaps/x"},
		{HTTP{Method: "PATCH", Path: "/api/v1/namespaces/a/configmaps/x", Status: Statuses{200}}, ""},
	} {
		if got := test.h.creates(); got != test.want {
			t.Errorf("%s %s creates %q, expected %q", test.h.Method, test.h.Path, got, test.want)
		}
	}
}

func TestSplitPath(t *testing.T) {
	for path, want := range map[string]struct {
		object       string
		isCollection bool
	}{
		"/api/v1/nodes":                                    {"/api/v1/nodes", true},
		"/api/v1/nodes/n1":                                 {"/api/v1/nodes/n1", false},
		"/api/v1/nodes/n1/status":                          {"/api/v1/nodes/n1", false},
		"/api/v1/nodes/n1/proxy/a/b":                       {"/api/v1/nodes/n1", false},
		"/api/v1/namespaces/a":                             {"/api/v1/namespaces/a", false},
		"/api/v1/namespaces/a/finalize":                    {"/api/v1/namespaces/a", false},
		"/api/v1/namespaces/a/status":                      {"/api/v1/namespaces/a", false},
		"/api/v1/namespaces/a/pods":                        {"/api/v1/namespaces/a/pods", true},
		"/api/v1/namespaces/a/pods/web/binding":            {"/api/v1/namespaces/a/pods/web", false},
		"/apis/apps/v1/namespaces/a/deployments/web/scale": {"/apis/apps/v1/namespaces/a/deployments/web", false},
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/mine/approval": {"/apis/certificates.k8s.io/v1/certificatesigningrequests/mine", false},
		"/apis/apps/v1": {"/apis/apps/v1", false},
		"/healthz":      {"/healthz", false},
	} {
		if got := objectPath(path); got != want.object || isCollection(path) != want.isCollection {
			t.Errorf("%s: object %s, collection %t, expected %+v", path, got, isCollection(path), want)
		}
	}
}

// TestUnreadableSubresource checks that the player waits for the object after a change of a
// subresource that has no GET.
func TestUnreadableSubresource(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: PUT, path: /api/v1/namespaces/gone/finalize, status: 200, as: admin, body: {metadata: {name: gone}}}
  - {method: GET, path: /api/v1/nodes/n1, status: 404, traced: true}
`)
	server := newFakeServer(t)
	server.hold = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/finalize") {
			return false
		}
		if r.Method != http.MethodPut {
			answer(w, http.StatusMethodNotAllowed, map[string]any{"message": "the server does not allow this method"})
			return true
		}
		answer(w, http.StatusOK, map[string]any{"metadata": map[string]any{"name": "gone", "resourceVersion": "7"}})
		return true
	}
	if err := server.player().Play(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if want := "admin GET /api/v1/namespaces/gone"; !slices.Contains(server.sent(), want) {
		t.Errorf("sent %q, expected %q among the requests", server.sent(), want)
	}
}

func TestEmptyList(t *testing.T) {
	for body, want := range map[string]bool{
		`{"items": []}`: true, `{"items": [{}]}`: false, `{"kind": "ConfigMap"}`: false, `nonsense`: false,
	} {
		if isEmptyList([]byte(body)) != want {
			t.Errorf("isEmptyList(%s) = %t, expected the opposite", body, !want)
		}
	}
}

// TestNudge checks that remove nudges a CustomResourceDefinition that its finalizer has
// dropped.
func TestNudge(t *testing.T) {
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
	server := newFakeServer(t)
	deleted, nudged := false, false
	server.hold = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path != path:
			return false
		case r.Method == http.MethodDelete:
			deleted = true
		case r.Method == http.MethodPatch:
			var patch struct {
				Metadata struct{ Annotations map[string]string }
			}
			body, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(body, &patch) != nil || patch.Metadata.Annotations["apitrace/nudged"] != "7" || !deleted {
				t.Errorf("got a PATCH with %q, after a DELETE: %v, error %v, expected a DELETE before it, and the annotation apitrace/nudged with the value 7", body, deleted, err)
			}
			nudged = true
		case nudged:
			answer(w, http.StatusNotFound, map[string]any{"message": "not found"})
			return true
		}
		answer(w, http.StatusOK, map[string]any{"kind": "CustomResourceDefinition", "metadata": map[string]any{
			"name": "widgets.example.com", "resourceVersion": "7", "finalizers": []string{cleanupByServer},
		}})
		return true
	}
	wire, err := newWire(server.player(), &lock{learner: &tokenCache{}})
	if err != nil {
		t.Fatal(err)
	}
	defer wire.close()
	if err := wire.remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if !nudged {
		t.Error("remove returned without a PATCH, although the object still had its finalizer")
	}
}
