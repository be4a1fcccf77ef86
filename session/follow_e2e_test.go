package session

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

const deploymentToFollow = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": %q}, "spec": {"replicas": 2,
	"selector": {"matchLabels": {"app": %[1]q}},
	"template": {"metadata": {"labels": {"app": %[1]q}}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}}}`

// TestSlowCausesAreRight creates Deployments, follows each until its pods run, and deletes
// it, until its pods are gone.
func TestSlowCausesAreRight(t *testing.T) {
	testenv.Slow(t)
	checkCauses(t, apiserver.DefaultVersion, 2)
}

func TestNightlyCausesAreRight(t *testing.T) {
	testenv.Nightly(t)
	for _, version := range []string{apiserver.DefaultVersion, "v1.30.4"} {
		t.Run(version, func(t *testing.T) { checkCauses(t, version, 20) })
	}
}

func checkCauses(t *testing.T, version string, runs int) {
	ctx, server := withControlPlane(t, version)
	w := newWitness(t, server)
	for i := range runs {
		name := fmt.Sprintf("web-%d", i)
		requests, caused := followRequest(ctx, t, server, createsDeployment(t, name))
		checkDeploymentRuns(t, name, caused)
		w.check(requests, caused)
		if !t.Failed() {
			requests, caused = followRequest(ctx, t, server, &scenarios.HTTP{Method: http.MethodDelete, Path: deployments + "/" + name, As: scenarios.Admin})
			checkDeploymentEnds(t, name, caused)
			w.check(requests, caused)
		}
		if t.Failed() {
			t.Fatalf("of Deployment %s; it caused\n%s", name, strings.Join(sentBy(caused), "\n"))
		}
	}
	if err := server.fetcher.verdict(true, &noted{}); err != nil {
		t.Error(err)
	}
}

// withControlPlane starts a server with a control plane. The server ends after the watches
// of a witness.
func withControlPlane(t *testing.T, version string) (context.Context, *Running) {
	t.Helper()
	testenv.NeedsServer(t)
	o := ServerOptions{Spec: Spec{Version: version, ControlPlane: true, Check: true}, Edits: EditsIn(t.TempDir()), Reuse: ReuseNone}
	ctx, server, err := o.Obtain(t.Context(), &noted{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return ctx, server
}

const deployments = "/apis/apps/v1/namespaces/default/deployments"

// createsDeployment returns the request that creates a Deployment.
func createsDeployment(t *testing.T, name string) *scenarios.HTTP {
	t.Helper()
	var body scenarios.Document
	if err := yaml.Unmarshal(fmt.Appendf(nil, deploymentToFollow, name), &body); err != nil {
		t.Fatal(err)
	}
	return &scenarios.HTTP{Method: http.MethodPost, Path: deployments, Body: &body, As: scenarios.Admin}
}

// refusesRunning is a policy that refuses the status of a pod that runs. It also refuses a
// ConfigMap, which shows when it is in force.
const (
	refusesRunning = `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "refuses-running"}, "spec": {
	"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods/status", "configmaps"]}]},
	"validations": [{"expression": "request.resource.resource == 'configmaps' ? request.name != 'in-force' : object.status.phase != 'Running'"}]}}`
	bindsRefusal = `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "refuses-running"},
	"spec": {"policyName": "refuses-running", "validationActions": ["Deny"]}}`
	inForce = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "in-force"}}`
)

// TestSlowRetriesAreCaused creates a Deployment while a policy refuses the status of its
// running pods. After the policy has gone, the kubelet sends this status again. The
// Deployment caused that, too.
func TestSlowRetriesAreCaused(t *testing.T) {
	testenv.Slow(t)
	ctx, server := withControlPlane(t, apiserver.DefaultVersion)
	w := newWitness(t, server)
	admin := adminOf(t, server)
	const policies, bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
	for path, body := range map[string]string{policies: refusesRunning, bindings: bindsRefusal} {
		if status, text := admin(http.MethodPost, path, body); status != http.StatusCreated {
			t.Fatalf("POST %s: %d %s", path, status, text)
		}
	}
	testenv.Await(t, "the policy is in force", func() bool {
		status, _ := admin(http.MethodPost, "/api/v1/namespaces/default/configmaps?dryRun=All", inForce)
		return status == http.StatusUnprocessableEntity
	})
	h, result := createsDeployment(t, "web"), make(chan consequences, 1)
	go func() { result <- follow(ctx, server, h) }()
	refused := regexp.MustCompile(`(?m)^apiserver_request_total\{code="422",.*resource="pods",.*subresource="status",.*verb="PATCH"`)
	testenv.Await(t, "the API server has refused the status of a pod", func() bool {
		_, text := admin(http.MethodGet, "/metrics", "")
		return refused.MatchString(text)
	})
	if status, text := admin(http.MethodDelete, bindings+"/refuses-running", ""); status != http.StatusOK {
		t.Errorf("DELETE of the binding: %d %s", status, text)
	}
	f := testenv.Receive(t, "all that the Deployment causes is over", result)
	if f.err != nil {
		t.Fatal(f.err)
	}
	checkDeploymentRuns(t, "web", f.caused)
	testenv.Await(t, "the witness has seen both pods run", func() bool { return w.running() == 2 })
	w.check(f.requests, f.caused)
	if !slices.ContainsFunc(f.caused, func(r trace.Request) bool {
		return r.Method == http.MethodPatch && r.Status == http.StatusUnprocessableEntity
	}) {
		t.Errorf("no PATCH that the Deployment caused was refused; it caused\n%s", strings.Join(sentBy(f.caused), "\n"))
	}
}

// adminOf returns a function that sends requests as the administrator, untraced. It returns the
// status and the body of the answer; the status is 0 if there is none.
func adminOf(t *testing.T, server *Running) func(method, path, body string) (int, string) {
	t.Helper()
	client, err := server.Client()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return func(method, path, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, server.BaseURL+path, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		req.Header.Set("Authorization", "Bearer "+server.AdminToken)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}
}

// followRequest sends a request, and returns it with what it caused.
func followRequest(ctx context.Context, t *testing.T, server *Running, h *scenarios.HTTP) (requests, caused []trace.Request) {
	t.Helper()
	f := follow(ctx, server, h)
	if f.err != nil {
		t.Fatal(f.err)
	}
	return f.requests, f.caused
}

// consequences are the traces of a request and of what it caused.
type consequences struct {
	requests, caused []trace.Request
	err              error
}

func follow(ctx context.Context, server *Running, h *scenarios.HTTP) (f consequences) {
	f.caused, f.err = server.Follow(ctx, time.Minute, func() ([]trace.Request, error) {
		recording, _, err := server.Request(ctx, h, time.Minute, &noted{})
		if err != nil {
			return nil, err
		}
		f.requests = recording.Requests
		return f.requests, nil
	})
	return f
}

// sentBy lists the requests that were caused, without their queries.
func sentBy(caused []trace.Request) (sent []string) {
	for _, r := range caused {
		if r.IsEvent() {
			continue
		}
		path, _, _ := strings.Cut(r.Path, "?")
		sent = append(sent, r.Method+" "+path)
	}
	return sent
}

// checkDeploymentRuns checks that all that makes the pods of a Deployment run was caused.
func checkDeploymentRuns(t *testing.T, name string, caused []trace.Request) {
	t.Helper()
	for _, lack := range caused[0].Incomplete {
		t.Error(lack)
	}
	checkSent(t, name, caused, []sent{
		{"POST /apis/apps/v1/namespaces/default/replicasets", 1},
		{"POST /api/v1/namespaces/default/pods", 2},
		{"POST pods/binding", 2},
		{"PATCH pods/status", 2}, // each runs; if the write before that fails, there is only one
		{"POST /api/v1/namespaces/default/serviceaccounts/default/token", 2},
		{"PUT /apis/apps/v1/namespaces/default/deployments/" + name + "/status", 2},
	})
}

// checkDeploymentEnds checks that all that deletes what belongs to a Deployment was caused.
func checkDeploymentEnds(t *testing.T, name string, caused []trace.Request) {
	t.Helper()
	for _, lack := range caused[0].Incomplete {
		t.Error(lack)
	}
	checkSent(t, name, caused, []sent{
		{"DELETE replicasets", 1},
		{"DELETE pods", 4}, // of the garbage collector, then of the kubelet
		{"PATCH pods/status", 2},
	})
}

// sent is a request, and how often it must be sent at least.
type sent struct {
	request string
	least   int
}

func checkSent(t *testing.T, name string, caused []trace.Request, wanted []sent) {
	t.Helper()
	counts := map[string]int{}
	for _, r := range caused {
		if resource, object, below := r.Resource(); !r.IsEvent() && strings.HasPrefix(object, name+"-") {
			counts[strings.TrimRight(r.Method+" "+resource+"/"+below, "/")]++
		}
	}
	for _, s := range sentBy(caused) {
		counts[s]++
	}
	for _, want := range wanted {
		if counts[want.request] < want.least {
			t.Errorf("%s caused %d times %s, expected at least %d", name, counts[want.request], want.request, want.least)
		}
	}
}

// A witness watches what is written, as any client can. It knows nothing of traces: which
// object an object belongs to is in its owner references, and in the object of an Event.
type witness struct {
	t  *testing.T
	mu sync.Mutex
	// written are the objects as they were written, by their resourceVersion, and owner
	// the uid of what an object belongs to, by its own uid.
	written map[int64]watched
	owner   map[string]string
}

// watched is an object in a watch's event.
type watched struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name            string `json:"name"`
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
		OwnerReferences []struct {
			UID string `json:"uid"`
		} `json:"ownerReferences"`
		ManagedFields []managed `json:"managedFields"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
	InvolvedObject struct {
		UID string `json:"uid"`
	} `json:"involvedObject"`
}

// managed says who last wrote some fields of an object.
type managed struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	Subresource string `json:"subresource"`
	Time        string `json:"time"`
}

// writers lists the managers of an object's fields, the latest first. Without a request in the
// trace, they are the only account of who wrote the object.
func (o watched) writers() string {
	all := slices.Clone(o.Metadata.ManagedFields)
	slices.SortStableFunc(all, func(a, b managed) int { return cmp.Compare(b.Time, a.Time) })
	var texts []string
	for _, m := range all {
		text := m.Manager + " " + m.Operation
		if m.Subresource != "" {
			text += " of " + m.Subresource
		}
		texts = append(texts, text+" at "+m.Time)
	}
	return cmp.Or(strings.Join(texts, "; "), "nobody")
}

func newWitness(t *testing.T, server *Running) *witness {
	w := &witness{t: t, written: map[int64]watched{}, owner: map[string]string{}}
	client, err := server.Client()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	for _, path := range []string{"/api/v1/pods", "/api/v1/events", "/apis/apps/v1/replicasets", "/apis/apps/v1/deployments"} {
		w.watch(client, server.BaseURL+path+"?watch=true", server.AdminToken)
	}
	return w
}

// watch begins a watch, and returns when it has begun.
func (w *witness) watch(client *http.Client, url, token string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %s", url, resp.Status)
	}
	go func() {
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var event struct {
				Type   string  `json:"type"`
				Object watched `json:"object"`
			}
			if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
				w.t.Errorf("a watch sent %.200q: %v", lines.Text(), err)
				return
			}
			if event.Type != "BOOKMARK" {
				w.add(event.Object)
			}
		}
		if err := lines.Err(); err != nil && context.Cause(req.Context()) == nil {
			w.t.Errorf("the watch of %s ended: %v", url, err)
		}
	}()
}

func (w *witness) add(o watched) {
	revision, err := strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		w.t.Error(err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written[revision] = o
	for _, ref := range o.Metadata.OwnerReferences {
		w.owner[o.Metadata.UID] = ref.UID
	}
	if o.InvolvedObject.UID != "" {
		w.owner[o.Metadata.UID] = o.InvolvedObject.UID
	}
}

// at returns the object that was written with a revision, if there is one.
func (w *witness) at(revision int64) (watched, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o, ok := w.written[revision]
	return o, ok
}

// belongs reports whether an object is another, or belongs to it, through any others.
func (w *witness) belongs(uid, to string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uid != to && uid != "" {
		uid = w.owner[uid]
	}
	return uid == to
}

// check compares what a request for an object caused with what was written to the object
// and to all that belongs to it.
func (w *witness) check(requests, caused []trace.Request) {
	t := w.t
	t.Helper()
	wrote := map[int64]string{} // the traced writes, and who made them
	root, first := "", int64(math.MaxInt64)
	for _, r := range requests {
		for _, revision := range writes(&r) {
			first = min(first, revision)
			wrote[revision] = r.Method + " " + r.Path
			o := w.await(revision)
			root = o.Metadata.UID
		}
	}
	events, all := map[taken]int{}, map[string]*trace.Request{} // by call
	for i := range caused {
		r := &caused[i]
		for _, call := range r.Calls {
			all[call.ID] = r
		}
		if !r.IsEvent() {
			for _, revision := range writes(r) {
				wrote[revision] = r.Method + " " + r.Path
			}
			continue
		}
		revision := r.Calls[0].Event()
		events[taken{r.Calls[0].Process, revision}]++
		if o := w.await(revision); o.Metadata.UID != r.Calls[0].Attributes[trace.AttrObjectUID] {
			t.Errorf("%s has revision %d, and the witness saw %s %s then", r.Path, revision, o.Kind, o.Metadata.Name)
		}
	}
	for i := range caused {
		if r := &caused[i]; !r.IsEvent() {
			w.checkSender(all[r.Cause.Call], r)
		}
	}
	w.checkWrites(root, first, wrote)
	w.checkEvents(events, wrote)
}

// writes lists the revisions that a request wrote.
func writes(r *trace.Request) []int64 {
	all := map[int64]bool{}
	for i := range r.Calls {
		if revision := r.Calls[i].Write(); revision != 0 {
			all[revision] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// await returns what was written with a revision.
func (w *witness) await(revision int64) (o watched) {
	w.t.Helper()
	testenv.Await(w.t, fmt.Sprintf("the witness has seen revision %d", revision), func() (ok bool) {
		o, ok = w.at(revision)
		return ok
	})
	return o
}

// checkSender checks who wrote an object. The scheduler and the kubelet work for the pod
// of the event. A controller may write any object of the Deployment.
func (w *witness) checkSender(event, r *trace.Request) {
	w.t.Helper()
	if event == nil || !event.IsEvent() {
		w.t.Errorf("%s %s was not sent because of an event", r.Method, r.Path)
		return
	}
	of := event.Calls[0].Attributes[trace.AttrObjectUID]
	for _, revision := range writes(r) {
		o := w.await(revision)
		if event.Calls[0].Process != "kube-controller-manager" && !w.belongs(o.Metadata.UID, of) {
			w.t.Errorf("%s %s wrote the %s %s because of the event %s", r.Method, r.Path, o.Kind, o.Metadata.Name, event.Path)
		}
	}
}

// checkWrites checks that the traced writes are those of the object root and of what
// belongs to it: no other, and all from the revision first on.
func (w *witness) checkWrites(root string, first int64, wrote map[int64]string) {
	w.t.Helper()
	for revision, by := range wrote {
		if o, _ := w.at(revision); !w.belongs(o.Metadata.UID, root) {
			w.t.Errorf("%s wrote the %s %s, which does not belong to the Deployment", by, o.Kind, o.Metadata.Name)
		}
	}
	w.mu.Lock()
	all := maps.Clone(w.written)
	w.mu.Unlock()
	for revision, o := range all {
		if revision >= first && w.belongs(o.Metadata.UID, root) && wrote[revision] == "" {
			w.t.Errorf("the %s %s was written with revision %d, by no request of the trace; its fields were written by %s", o.Kind, o.Metadata.Name, revision, o.writers())
		}
	}
}

// watchers are the programs that take events of objects of a kind.
var watchers = map[string][]string{
	"Deployment": {"kube-controller-manager"},
	"ReplicaSet": {"kube-controller-manager", "kube-scheduler"},
	"Pod":        {"kube-controller-manager", "kube-scheduler"},
}

// running counts the pods that have run.
func (w *witness) running() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	pods := map[string]bool{}
	for _, o := range w.written {
		if o.Status.Phase == "Running" {
			pods[o.Metadata.UID] = true
		}
	}
	return len(pods)
}

// hadEnded reports whether a pod had ended before a revision.
func (w *witness) hadEnded(uid string, revision int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at, o := range w.written {
		if at < revision && o.Metadata.UID == uid && (o.Status.Phase == "Succeeded" || o.Status.Phase == "Failed") {
			return true
		}
	}
	return false
}

// taken is an event of a write that a program took.
type taken struct {
	process  string
	revision int64
}

// checkEvents checks that each program took the event of each write, once.
func (w *witness) checkEvents(events map[taken]int, wrote map[int64]string) {
	w.t.Helper()
	for revision, by := range wrote {
		o, _ := w.at(revision)
		processes := watchers[o.Kind]
		if o.Kind == "Pod" && w.hadEnded(o.Metadata.UID, revision) {
			processes = []string{"kube-controller-manager"} // the scheduler watches only pods that go on
		}
		if o.Kind == "Pod" && o.Spec.NodeName != "" {
			processes = append(slices.Clone(processes), "hollow-kubelet")
		}
		for _, process := range processes {
			if n := events[taken{process, revision}]; n != 1 {
				w.t.Errorf("%s took the event of %s (revision %d, the %s %s) %d times, expected once", process, by, revision, o.Kind, o.Metadata.Name, n)
			}
		}
	}
}
