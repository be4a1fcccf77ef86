package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// byFolder is a guide that takes the first folder of a function's package for
// its layer. Each function is a key step.
type byFolder struct{ viewtest.EveryStep }

func (byFolder) Layer(function string) string {
	layer, _, _ := strings.Cut(function, "/")
	return layer
}

// storyOf makes a request from a text. A line is a call: two blanks for each
// level, the function, then " panic:text", " !error" and
// " ?name=value&name=value" in this order. A function with "other:" before it
// runs in the process "other". Names of values get "apitrace." in front unless
// they begin with "http.".
func storyOf(t *testing.T, method, path string, status int, text string) *trace.Tree {
	t.Helper()
	r := &trace.Request{TraceID: strings.Repeat("a", 32), Method: method, Path: path, Status: status}
	var above []string
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		words := strings.TrimLeft(line, " ")
		depth := (len(line) - len(words)) / 2
		c := trace.Call{ID: fmt.Sprintf("%016x", len(r.Calls)+1), Process: "kube-apiserver", StartNs: int64(len(r.Calls)), DurationNs: 3_000_000_000, CallerLine: len(r.Calls)}
		words, attributes, _ := strings.Cut(words, " ?")
		words, c.Error, _ = strings.Cut(words, " !")
		if words, c.Panic, _ = strings.Cut(words, " panic:"); strings.HasPrefix(words, "other:") {
			words, c.Process = strings.TrimPrefix(words, "other:"), "other"
		}
		c.Function, c.Attributes = words, map[string]string{}
		for attribute := range strings.SplitSeq(attributes, "&") {
			if name, value, ok := strings.Cut(attribute, "="); ok {
				if !strings.HasPrefix(name, "http.") {
					name = "apitrace." + name
				}
				c.Attributes[name] = value
			}
		}
		if above = above[:depth]; depth > 0 {
			c.Parent = above[depth-1]
		}
		above = append(above, c.ID)
		r.Calls = append(r.Calls, c)
	}
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestSentencesSpeakOfSuccess checks that there is a sentence about an effect
// only if the calls had this effect.
func TestSentencesSpeakOfSuccess(t *testing.T) {
	for name, test := range map[string]struct {
		method, path string
		status       int
		calls        string
		want, not    []string
	}{
		"a cache that gave up on a list": {"GET", "/x?resourceVersion=99", 504, `
registry/registry.(*Store).List
  cacher/cacher.(*Cacher).GetList ?resource_version=99
    cacher/cacher.(*watchCache).WaitUntilFreshAndGetList !Timeout: Too large resource version: 99, current: 7 ?cache.revision=0
`, []string{"the watch cache waits 3.00s for revision 99 and gives up"}, []string{"answers the list"}},
		"a cache that gave up on an object": {"GET", "/x/n?resourceVersion=99", 504, `
cacher/cacher.(*watchCache).WaitUntilFreshAndGet !Timeout: Too large resource version: 99, current: 7 ?resource_version=99&cache.hit=false
`, []string{"the watch cache waits 3.00s for revision 99 and gives up"}, []string{"does not have"}},
		"a cache that fails otherwise": {"GET", "/x/n", 500, `
cacher/cacher.(*watchCache).WaitUntilFreshAndGet !closed ?cache.hit=false
`, []string{"the watch cache does not answer: closed"}, nil},
		"a cache without the object": {"GET", "/x/n", 404, `
cacher/cacher.(*watchCache).WaitUntilFreshAndGet ?cache.hit=false
`, []string{"the watch cache does not have the object"}, nil},
		"a read of the revision only": {"GET", "/x?watch=true", 200, `
registry/registry.(*Store).Watch
  cacher/cacher.(*CacheDelegator).Watch
    etcd3/etcd3.(*store).GetCurrentResourceVersion ?etcd.revision=7
      etcd-client/kubernetes.Client.Get ?etcd.key=/registry/x&etcd.revision=7
`, []string{"etcd only returns its revision, so that the cache's answer is not older: key /registry/x, revision 7"}, []string{"etcd answers"}},
		"a read by a new cache": {"GET", "/x", 200, `
registry/registry.(*Store).List
  storage-setup/cacher.NewCacherFromConfig
    cacher/cacher.(*listerWatcher).List
      etcd-client/kubernetes.Client.List ?etcd.key=/registry/x&etcd.revision=7
`, []string{"etcd is read: key /registry/x, at revision 7"}, []string{"etcd answers"}},
		"a read from etcd": {"GET", "/x/n", 200, `
registry/registry.(*Store).Get
  cacher/cacher.(*CacheDelegator).Get
    etcd-client/kubernetes.Client.Get ?etcd.key=/registry/x/n&etcd.revision=7
`, []string{"etcd answers, not the watch cache: key /registry/x/n, at revision 7"}, nil},
		"an API server that is not reached": {"GET", "/apis/g/v1", 503, `
aggregator/k8s.io/kube-aggregator/pkg/apiserver.(*proxyHandler).ServeHTTP ?apiservice.local=false&apiservice.name=v1.g&apiservice.service=default/no
  aggregator/k8s.io/kube-aggregator/pkg/apiserver.proxyError
`, []string{"APIService v1.g names the service default/no, but the request does not reach it"}, []string{"goes on to another"}},
		"another API server": {"GET", "/apis/g/v1", 200, `
aggregator/k8s.io/kube-aggregator/pkg/apiserver.(*proxyHandler).ServeHTTP ?apiservice.local=false&apiservice.name=v1.g&apiservice.service=default/yes
`, []string{"the request goes on to another API server: default/yes serves v1.g"}, nil},
		"a write that etcd refused": {"POST", "/x", 409, `
etcd-client/kubernetes.Client.OptimisticPut ?etcd.txn.succeeded=false
  etcd-disk/fileutil/fileutil.Fdatasync
`, nil, []string{"survives a crash"}},
		"a write by a transaction": {"POST", "/x", 201, `
etcd-client/client.(*retryKVClient).Txn ?etcd.txn.put=/registry/x/n&etcd.revision=8&etcd.txn.succeeded=true
`, []string{"etcd stores it: key /registry/x/n, at revision 8"}, nil},
		"a deletion by a transaction": {"DELETE", "/x/n", 200, `
etcd-client/client.(*retryKVClient).Txn ?etcd.txn.put=&etcd.txn.delete=/registry/x/n&etcd.revision=8&etcd.txn.succeeded=true
`, []string{"etcd deletes it: key /registry/x/n, at revision 8"}, nil},
		"a body, and the answer of a webhook": {"POST", "/x", 201, `
authorization/filters.withAuthorization
  handler/handlers.createHandler
    codec/versioning.(*codec).Decode ?kind=v1 Pod&object.type=*core.Pod
    admission/admission.Admit
      codec/versioning.(*codec).Decode ?kind=admission.k8s.io/v1 AdmissionReview&object.type=*admission.AdmissionReview
    registry/registry.(*Store).Update
      handler/handlers.(*jsonPatcher).apply
        codec/versioning.(*codec).Decode ?kind=v2 Pod&object.type=*core.Pod
`, []string{"the body is decoded: v1 Pod becomes *core.Pod"}, []string{"AdmissionReview", "v2"}},
		"a body that cannot be decoded": {"POST", "/x", 400, `
handler/handlers.createHandler
  codec/versioning.(*codec).Decode !bad byte ?kind=v1 Pod&object.type=*core.Pod
`, nil, []string{"is decoded"}},
		"a conflict of managers": {"PATCH", "/x/n", 409, `
fieldmanager/internal.(*FieldManager).Apply !conflict ?field_manager=me
`, nil, []string{"becomes the owner"}},
		"server-side apply": {"PATCH", "/x/n", 200, `
fieldmanager/internal.(*FieldManager).Apply ?field_manager=me
`, []string{"server-side apply: manager me becomes the owner of the fields that it sends"}, nil},
		"an apply that fails later": {"PATCH", "/x/n", 403, `
fieldmanager/internal.(*FieldManager).Apply ?field_manager=me
`, nil, []string{"becomes the owner"}},
		"an update that changes nothing, and its manager": {"PUT", "/x/n", 200, `
server/filters
  k8s/etcd3.(*store).GuaranteedUpdate
    fieldmanager/internal.(*FieldManager).UpdateNoErrors ?field_manager=me
`, []string{"nothing is written: the object is as before"}, []string{"becomes the owner"}},
		"an impersonation": {"GET", "/x", 200, `
authorization/impersonation.getImpersonatedUser ?user.impersonated=bob
`, []string{"from here on the request runs as bob"}, nil},
		"an impersonation that is refused": {"GET", "/x", 403, `
authorization/impersonation.getImpersonatedUser !users "bob" is forbidden ?user.impersonated=bob
`, nil, []string{"runs as"}},
		"events of a watch": {"GET", "/x?watch=true", 200, `
cacher/cacher.(*cacheWatcher).processInterval
  cacher/cacher.sendWatchCacheEvent ?watch.event=ADDED&storage.key=/x/m&etcd.revision=6
    cacher/cacher.(*cacheWatcher).convertToWatchEvent ?watch.event=ADDED
  cacher/cacher.(*cacheWatcher).process
    cacher/cacher.sendWatchCacheEvent ?watch.event=MODIFIED&storage.key=/x/n&etcd.revision=7
      cacher/cacher.(*cacheWatcher).convertToWatchEvent ?watch.event=ADDED
`, []string{"a watcher is sent ADDED of the object /x/m", "a watcher is sent ADDED of revision 7"}, []string{"MODIFIED", "revision 6"}},
		"an event of a watch up to v1.22": {"GET", "/x?watch=true", 200, `
server/filters
  cacher/cacher.(*cacheWatcher).process
    cacher/cacher.sendWatchCacheEvent ?watch.event=ADDED&storage.key=/x/m&etcd.revision=6
`, []string{"a watcher is sent ADDED of the object /x/m"}, []string{"revision 6"}},
		"an event that the selector leaves out": {"GET", "/x?watch=true", 200, `
cacher/cacher.(*cacheWatcher).processInterval
  cacher/cacher.sendWatchCacheEvent ?watch.event=ADDED&storage.key=/x/n&etcd.revision=7
    cacher/cacher.(*cacheWatcher).convertToWatchEvent ?watch.event.cached=ADDED
`, nil, []string{"is sent"}},
		"an event of a watch that fails": {"GET", "/x?watch=true", 406, `
cacher/cacher.(*cacheWatcher).processInterval
  cacher/cacher.sendWatchCacheEvent ?watch.event=ADDED&storage.key=/x/n&etcd.revision=7
`, nil, []string{"is sent"}},
		"an event that cannot be encoded": {"GET", "/x?watch=true", 200, `
server/filters
  cacher/cacher.(*cacheWatcher).processInterval
    cacher/cacher.sendWatchCacheEvent ?watch.event=ADDED&storage.key=/x/n&etcd.revision=7
  handler/handlers.(*watchEncoder).Encode !unable to encode
`, nil, []string{"is sent"}},
		"a dry run": {"PUT", "/x/n?dryRun=All", 200, `
registry/registry.(*DryRunnableStorage).GuaranteedUpdate
`, []string{"dry run: nothing is written"}, nil},
		"no dry run": {"PUT", "/x/n?dryRun=None", 200, `
registry/registry.(*DryRunnableStorage).GuaranteedUpdate
`, nil, []string{"dry run"}},
		"an update that changes nothing": {"PUT", "/x/n", 200, `
k8s/etcd3.(*store).GuaranteedUpdate
  etcd-client/kubernetes.Client.Get ?etcd.key=/registry/x/n&etcd.revision=7
`, []string{"nothing is written: the object is as before"}, nil},
		"an update": {"PUT", "/x/n", 200, `
k8s/etcd3.(*store).GuaranteedUpdate
  etcd-client/kubernetes.Client.OptimisticPut ?etcd.key=/registry/x/n&etcd.revision=8&etcd.txn.succeeded=true
`, nil, []string{"as before"}},
		"validation": {"POST", "/x", 201, `
validation/rest.ValidateCreate
`, []string{"validation accepts the object: rest.ValidateCreate"}, nil},
		"validation that fails": {"POST", "/x", 422, `
validation/rest.ValidateCreate !bad name
`, nil, []string{"accepts the object"}},
		"a webhook that fails and is ignored": {"POST", "/x", 201, `
admission/webhook.(*dispatcher).Dispatch
  admission/webhook.call !failed calling webhook "h": no answer ?webhook.name=h&webhook.configuration=c&admission.verdict=refused
`, []string{`the call of webhook h of c fails, and the request goes on without it: failed calling webhook "h": no answer`}, []string{"refused"}},
		"a webhook that fails and is ignored, before another one refuses": {"POST", "/x", 403, `
admission/webhook.(*dispatcher).Dispatch !admission webhook "g" denied the request
  admission/webhook.call !failed calling webhook "h": no answer ?webhook.name=h&webhook.configuration=c&admission.verdict=refused
  admission/webhook.call !admission webhook "g" denied the request ?webhook.name=g&webhook.configuration=c&admission.verdict=refused
  admission/metrics.(*AdmissionMetrics).ObserveWebhookRejection
`, []string{`the call of webhook h of c fails, and the request goes on without it: failed calling webhook "h": no answer`, "webhook g of c is called: refused"}, nil},
		"a webhook that fails, after another one refused": {"POST", "/x", 403, `
admission/webhook.(*dispatcher).Dispatch !admission webhook "g" denied the request
  admission/webhook.(*dispatcher).Dispatch.func1
    admission/webhook.call !failed calling webhook "h": no answer ?webhook.name=h&webhook.configuration=c&admission.verdict=refused
    admission/metrics.(*AdmissionMetrics).ObserveWebhookRejection
`, []string{`the call of webhook h of c fails: failed calling webhook "h": no answer`}, []string{"without it"}},
		"a webhook that fails": {"POST", "/x", 500, `
admission/webhook.(*dispatcher).Dispatch !failed calling webhook "h": no answer
  admission/webhook.call !failed calling webhook "h": no answer ?webhook.name=h&webhook.configuration=c&admission.verdict=refused
`, []string{`the call of webhook h of c fails: failed calling webhook "h": no answer`}, []string{"refused", "without it"}},
		"a webhook that refuses": {"POST", "/x", 403, `
admission/webhook.(*dispatcher).Dispatch !admission webhook "h" denied the request
  admission/webhook.call !admission webhook "h" denied the request ?webhook.name=h&webhook.configuration=c&admission.verdict=refused
`, []string{"webhook h of c is called: refused"}, []string{"fails"}},
	} {
		tree := storyOf(t, test.method, test.path, test.status, test.calls)
		var said []string
		for _, s := range Sentences(tree, byFolder{}, nil, "en", 0) {
			said = append(said, s.Text)
		}
		for _, want := range test.want {
			if !slices.Contains(said, want) {
				t.Errorf("%s: got %q, expected %q", name, said, want)
			}
		}
		for _, not := range test.not {
			if all := strings.Join(said, "\n"); strings.Contains(all, not) {
				t.Errorf("%s: got %q, which must not contain %q", name, said, not)
			}
		}
	}
}

func TestWhoAllows(t *testing.T) {
	for name, test := range map[string]struct{ calls, want string }{
		"RBAC": {`
authorization/union.Authorize ?authorization.decision=Allow&authorization.reason=RBAC: allowed by RoleBinding "b"
`, `RBAC allows it by RoleBinding "b"`},
		"a group": {`
server/root
  authorization/filters.GetAuthorizerAttributes ?user.groups=system:masters,system:authenticated
  authorization/union.Authorize ?authorization.decision=Allow
    authorization/authorizerfactory.(*privilegedGroupAuthorizer).Authorize
`, "it is allowed: the group system:masters may do everything"},
		"another group": {`
server/root
  authorization/filters.GetAuthorizerAttributes ?user.groups=root
  authorization/union.Authorize ?authorization.decision=Allow
    authorization/x.(*first).Authorize
    authorization/authorizerfactory.(*privilegedGroupAuthorizer).Authorize
`, "it is allowed by authorizerfactory.(*privilegedGroupAuthorizer).Authorize"},
	} {
		tree := storyOf(t, "GET", "/x", 200, test.calls)
		if said := Sentences(tree, byFolder{}, nil, "en", 0); len(said) != 1 || said[0].Text != test.want {
			t.Errorf("%s: got %+v, expected %q", name, said, test.want)
		}
	}
}

// TestErrorPathsWithoutAnErrorOfTheHandler checks the error paths of failed
// requests if the answer did not come from an error of the handler.
func TestErrorPathsWithoutAnErrorOfTheHandler(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		calls  string
		want   string
	}{
		"the time was over": {504, `
server/filters
  filters/server/filters.(*baseTimeoutWriter).timeout
  handler/create
    response/err ?error=too late
`, "timed out filters/server/filters.(*baseTimeoutWriter).timeout 504"},
		"the time was over, and the answer had begun": {0, `
server/filters panic:abort
  filters/server/filters.(*baseTimeoutWriter).timeout panic:abort
`, "panicked filters/server/filters.(*baseTimeoutWriter).timeout abort"},
		"a panic": {0, `
server/filters panic:lost
  handler/create panic:lost
    strategy/prepare panic:lost
`, "panicked strategy/prepare lost"},
		"a result in a form that the client does not accept": {406, `
server/filters
  handler/get
    response/WriteObjectNegotiated
      response/NegotiateOutputMediaType !only JSON is accepted
      response/ErrorToAPIStatus ?status.reason=NotAcceptable&http.response.status_code=406
      response/WriteRawJSON
        server/x.(*responseWriter).WriteHeader
`, "born response/NegotiateOutputMediaType only JSON is accepted, Status response/ErrorToAPIStatus NotAcceptable 406"},
		"a failed answer without a Status": {404, `
server/filters
  handler/notFound
    server/x.(*responseWriter).WriteHeader
`, "answered handler/notFound 404"},
		"a panic in another server": {503, `
server/filters
  aggregator/proxy !stream error
    other:server/filters panic:lost
      other:strategy/prepare panic:lost
  response/err ?error=stream error
`, "panicked strategy/prepare lost, born aggregator/proxy stream error"},
	} {
		tree := storyOf(t, "POST", "/x", test.status, test.calls)
		path := ErrorPathOf(tree, byFolder{})
		if path == nil {
			t.Errorf("%s: got no error path, expected one", name)
			continue
		}
		var steps []string
		for _, s := range path.Steps {
			steps = append(steps, fmt.Sprintf("%s %s %s", s.Kind, tree.Call(s.Call).Function, s.Text))
		}
		if got := strings.Join(steps, ", "); got != test.want {
			t.Errorf("%s: got %q, expected %q", name, got, test.want)
		}
	}
}
