package story

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// A world is a running server with the objects, webhooks and policies that the requests
// work with. It also has the sources of facts about the requests: the webhooks' calls,
// the audit log, etcd's history and the metrics.
type world struct {
	t       *testing.T
	server  *apiserver.Server
	client  *http.Client
	player  scenarios.Player
	hooks   *hooks
	audit   *auditLog
	history *history
	metrics *scraper
	// sockets are the sockets of all probes.
	sockets map[string]string
	// flowSchemas and levels have names by UID. exempt has the names of the levels in
	// which no request waits.
	flowSchemas, levels map[string]string
	exempt              map[string]bool
	// stock are the objects of world.yaml.
	stock []object
	// routes are the paths of the server's OpenAPI document.
	routes map[string]bool
}

// newWorld starts a server of a release, and an aggregated server behind it, and creates
// the objects of world.yaml.
func newWorld(t *testing.T, version string) *world {
	t.Helper()
	testenv.NeedsServer(t)
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	defer display.Close()
	options := apiserver.BuildOptions{Version: version, Progress: display}
	build, err := apiserver.BuildPrograms(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := apiserver.Recipe(t.Context(), sampleserver.Name, options)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := recipe.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "audit.log")
	server, err := apiserver.Start(t.Context(), build, apiserver.StartOptions{Extra: serverconfig.Extra{
		Flags: []string{"--audit-policy-file=${dir}/policy.yaml", "--audit-log-path=" + log, "--audit-log-mode=blocking"},
		Files: map[string]string{"policy.yaml": auditPolicy},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w := &world{
		t: t, server: server, hooks: serveHooks(t), audit: newAuditLog(log), history: newHistory(t, server), sockets: maps.Clone(server.ProbeSockets),
		player: scenarios.Player{BaseURL: server.BaseURL, CAPEM: server.CAPEM, AdminToken: server.AdminToken, UserTokens: server.PlayerTokens},
	}
	if w.client, err = server.Client(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.CloseIdleConnections)
	aggregated, err := server.StartAggregated(t.Context(), apiserver.AggregatedOptions{Binary: sample})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := aggregated.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.sockets[sampleserver.Name] = aggregated.ProbeSocket
	w.metrics = newScraper(t, w)
	w.furnish()
	w.readFlows()
	w.readRoutes()
	return w
}

// auditPolicy makes the server log every request with its bodies.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: RequestResponse
`

// An object is an object of world.yaml.
type object struct {
	path string // of its collection
	name string
	body []byte
	// kept is set if restock does not create the object again.
	kept bool
}

// furnish creates the objects of world.yaml, and waits until they have an effect.
func (w *world) furnish() {
	w.t.Helper()
	text, err := os.ReadFile("testdata/world.yaml")
	if err != nil {
		w.t.Fatal(err)
	}
	filled := strings.NewReplacer("${hooks}", w.hooks.url, "${caBundle}", base64.StdEncoding.EncodeToString(w.hooks.caPEM)).Replace(string(text))
	var all []struct {
		Path   string `json:"path"`
		Kept   bool   `json:"kept"`
		Object struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		} `json:"object"`
	}
	var whole []struct {
		Object map[string]any `json:"object"`
	}
	for _, into := range []any{&all, &whole} {
		if err := yaml.Unmarshal([]byte(filled), into); err != nil {
			w.t.Fatal(err)
		}
	}
	for i, o := range all {
		body, err := json.Marshal(whole[i].Object)
		if err != nil {
			w.t.Fatal(err)
		}
		w.stock = append(w.stock, object{o.Path, o.Object.Metadata.Name, body, o.Kept})
		// The server serves a custom resource only some time after its definition is
		// stored.
		w.await(o.Path+"/"+o.Object.Metadata.Name+" is created", http.MethodPost, o.Path, body, http.StatusCreated, http.StatusConflict)
	}
	for _, status := range []struct{ path, body string }{
		// In a cluster, controllers would write these statuses.
		{"/api/v1/namespaces/story-full/resourcequotas/one", `{"status":{"hard":{"configmaps":"1"},"used":{"configmaps":"1"}}}`},
		{"/api/v1/namespaces/story-counted/resourcequotas/many", `{"status":{"hard":{"configmaps":"1000","pods":"1000"},"used":{"configmaps":"0","pods":"0"}}}`},
	} {
		w.await("the status of "+status.path+" is written", http.MethodPatch, status.path+"/status", []byte(status.body), http.StatusOK)
	}
	w.await("the deletion of the namespace story-ending has begun", http.MethodDelete, "/api/v1/namespaces/story-ending", nil, http.StatusOK, http.StatusConflict)
	w.awaitEffects()
}

// awaitEffects waits until the objects have an effect on admission and authorization,
// which get them through watches.
func (w *world) awaitEffects() {
	w.t.Helper()
	create := func(namespace, label string) (string, []byte) {
		return "/api/v1/namespaces/" + namespace + "/configmaps?dryRun=All",
			fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"probe","labels":{"story":%q}}}`, label)
	}
	for label, status := range map[string]int{
		"refuse": http.StatusForbidden, "broken": http.StatusInternalServerError, "policy-deny": http.StatusUnprocessableEntity,
	} {
		path, body := create("story", label)
		w.await("the label "+label+" has an effect", http.MethodPost, path, body, status)
	}
	for _, label := range []string{"mutate", "accept", "ignored"} {
		path, body := create("story", label)
		testenv.Await(w.t, "the webhook "+label+" is called", func() bool {
			before := w.hooks.count()
			w.send(w.server.AdminToken, http.MethodPost, path, body)
			return slices.ContainsFunc(w.hooks.since(before), func(r review) bool { return r.hook == label })
		})
	}
	path, body := create("story-full", "plain")
	w.await("the quota has an effect", http.MethodPost, path, body, http.StatusForbidden)
	path, body = create("story-ending", "plain")
	w.await("the server refuses objects in the namespace story-ending", http.MethodPost, path, body, http.StatusForbidden)
	path, body = create("story", "plain")
	for _, token := range w.server.PlayerTokens {
		testenv.Await(w.t, "the learner may create objects", func() bool {
			status, _ := w.send(token, http.MethodPost, path, body)
			return status == http.StatusCreated
		})
	}
	testenv.Await(w.t, "the aggregator answers 503 for the missing aggregated server", func() bool {
		status, _ := w.send(w.server.AdminToken, http.MethodGet, "/apis/ghost.example.com/v1/ghosts", nil)
		return status == http.StatusServiceUnavailable
	})
}

// await repeats a request of the administrator until its answer has one of the statuses.
func (w *world) await(what, method, path string, body []byte, statuses ...int) {
	w.t.Helper()
	var status int
	var answer []byte
	defer func() {
		if !slices.Contains(statuses, status) {
			w.t.Logf("%s: the last answer to %s %s was %d: %s", what, method, path, status, answer)
		}
	}()
	testenv.Await(w.t, what, func() bool {
		status, answer = w.send(w.server.AdminToken, method, path, body)
		return slices.Contains(statuses, status)
	})
}

// send sends a request without a trace.
func (w *world) send(token, method, path string, body []byte) (status int, answer []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// read reads an object as the administrator.
func (w *world) read(path string, into any) {
	w.t.Helper()
	status, answer := w.send(w.server.AdminToken, http.MethodGet, path, nil)
	if status != http.StatusOK {
		w.t.Fatalf("GET %s: got the status %d, expected 200: %s", path, status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		w.t.Fatal(err)
	}
}

// stir changes a label of an object every 100 ms, so that a watch has events. The object
// need not exist. stop ends the changes, and waits for the last one.
func (w *world) stir(path string) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(100 * time.Millisecond)
		defer every.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			// A watch of the objects with the label app=x sees "a" come and go.
			body := fmt.Sprintf(`{"metadata":{"labels":{"app":%q,"count":"%d"}}}`, []string{"x", "x", "y"}[i%3], i)
			req, err := http.NewRequest(http.MethodPatch, w.server.BaseURL+path, strings.NewReader(body))
			if err != nil {
				return // the generated path is not valid
			}
			req.Header.Set("Authorization", "Bearer "+w.server.AdminToken)
			req.Header.Set("Content-Type", "application/merge-patch+json")
			if resp, err := w.client.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		}
	}()
	return func() { cancel(); <-done }
}

// review asks the server whether a user may do something, and why.
func (w *world) review(user string, groups []string, right map[string]string) (allowed bool, why string) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{"user": user, "groups": groups, "resourceAttributes": right},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	status, answer := w.send(w.server.AdminToken, http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
	var review struct {
		Status struct {
			Allowed bool
			Reason  string
		}
	}
	if status != http.StatusCreated || json.Unmarshal(answer, &review) != nil {
		w.t.Fatalf("an access review: got the status %d, expected 201: %s", status, answer)
	}
	return review.Status.Allowed, review.Status.Reason
}

// restock creates the objects that requests have deleted, so that later requests find
// objects. It leaves out objects with kept.
func (w *world) restock() {
	w.t.Helper()
	for _, o := range w.stock {
		if o.kept {
			continue
		}
		if status, answer := w.send(w.server.AdminToken, http.MethodPost, o.path, o.body); status != http.StatusCreated && status != http.StatusConflict {
			w.t.Fatalf("creating %s/%s again: got the status %d, expected 201, or 409 if it exists: %s", o.path, o.name, status, answer)
		}
	}
}

// readFlows reads the names of flow schemas and priority levels. The headers of answers
// have only their UIDs.
func (w *world) readFlows() {
	w.t.Helper()
	w.flowSchemas, w.levels, w.exempt = map[string]string{}, map[string]string{}, map[string]bool{}
	for resource, names := range map[string]map[string]string{"flowschemas": w.flowSchemas, "prioritylevelconfigurations": w.levels} {
		var list struct {
			Items []struct {
				Metadata struct{ Name, UID string }
				Spec     struct{ Type string }
			}
		}
		w.read("/apis/flowcontrol.apiserver.k8s.io/v1/"+resource, &list)
		for _, item := range list.Items {
			names[item.Metadata.UID] = item.Metadata.Name
			w.exempt[item.Metadata.Name] = w.exempt[item.Metadata.Name] || item.Spec.Type == "Exempt"
		}
	}
}

// readRoutes reads the paths of the server's OpenAPI document.
func (w *world) readRoutes() {
	w.t.Helper()
	w.routes = map[string]bool{}
	var document struct {
		Paths map[string]any `json:"paths"`
	}
	w.read("/openapi/v2", &document)
	for path := range document.Paths {
		w.routes[path] = true
	}
}
