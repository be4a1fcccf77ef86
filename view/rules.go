package view

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// rules are the rules for the sentences about a request, one for each kind of
// sentence.
var rules = []rule{
	{"request", 90, false, sayRequest},
	{"caller", 95, false, sayCaller},
	{"impersonated", 95, true, sayImpersonated},
	{"flow", 85, false, sayFlow},
	{"permission", 98, false, sayPermission},
	{"route", 70, false, sayRoute},
	{"aggregated", 96, false, sayAggregated},
	{"storage", 50, false, sayHandler},
	{"body", 65, false, sayBody},
	{"owners", 55, false, sayOwners},
	{"admission", 92, false, sayAdmission},
	{"webhook", 94, false, sayWebhook},
	{"strategy", 68, false, sayStrategy},
	{"validation", 66, true, sayValidation},
	{"registry", 40, false, sayRegistry},
	{"dry-run", 97, true, sayDryRun},
	{"unchanged", 97, true, sayUnchanged},
	{"cache", 97, false, sayCache},
	{"cached-list", 97, false, sayCachedList},
	{"etcd", 97, false, sayEtcd},
	{"etcd-server", 60, false, sayEtcdServer},
	{"etcd-read", 58, false, sayEtcdRead},
	{"durable", 72, true, sayDurable},
	{"stored-form", 45, false, sayStoredForm},
	{"answer", 93, true, sayAnswer},
	{"event", 75, false, sayEvent},
	{"sent", 76, false, saySent},
}

var (
	saysResource    = message.Of("the path means: %s")
	saysNonResource = message.Of("the path names no resource; the verb is %s")
	inNamespace     = message.Of("in namespace %s")
	inGroup         = message.Of("of group %s")
)

func sayRequest(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	verb := call.Attributes[trace.AttrRequestVerb]
	if _, ok := call.Attributes[trace.AttrRequestAPIVersion]; !ok || verb == "" {
		return message.Message{}, false
	}
	resource := call.Attributes[trace.AttrRequestResource]
	if resource == "" {
		return saysNonResource.With(verb), true
	}
	if sub := call.Attributes[trace.AttrRequestSubresource]; sub != "" {
		resource += "/" + sub
	}
	group, namespace := call.Attributes[trace.AttrRequestAPIGroup], call.Attributes[trace.AttrNamespace]
	if group != "" {
		group = inGroup.Format(t.lang, group)
	}
	if namespace != "" {
		namespace = inNamespace.Format(t.lang, namespace)
	}
	return saysResource.With(join(verb, resource, call.Attributes[trace.AttrRequestName], group, namespace)), true
}

var (
	saysCaller   = message.Of("the caller is %s")
	saysAccepted = message.Of("the caller is %s, accepted by %s")
	saysUnknown  = message.Of("nobody knows the caller")
)

func sayCaller(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	switch call.Attributes[trace.AttrAuthenticationOK] {
	case "true":
		if by := accepting(t.tree, i); by >= 0 && call.Attributes[trace.AttrUserName] != "" {
			return saysAccepted.With(call.Attributes[trace.AttrUserName], t.tree.Call(by).ShortName()), true
		}
		if user := call.Attributes[trace.AttrUserName]; user != "" {
			return saysCaller.With(user), true
		}
	case "false":
		return saysUnknown, t.tree.Request.Status == 401
	}
	return message.Message{}, false
}

// accepting returns the innermost call at or below authenticator i that knew
// the user. It returns -1 if i did not know the user. It also returns -1 if
// the innermost call is a union, which only calls other authenticators. Their
// answers were not recorded then.
func accepting(tree *trace.Tree, i int) int {
	if tree.Call(i).Attributes[trace.AttrAuthenticationOK] != "true" {
		return -1
	}
	by := i
	for below := i + 1; below < tree.End(by); below++ {
		if tree.Call(below).Attributes[trace.AttrAuthenticationOK] == "true" {
			by = below
		}
	}
	if strings.HasSuffix(funcname.Package(tree.Call(by).Function), "/union") {
		return -1
	}
	return by
}

var saysImpersonated = message.Of("from here on the request runs as %s")

// sayImpersonated describes a call that returns the impersonated user. The
// recorded value is the user that the request names. The call fails if the
// caller may not impersonate this user.
func sayImpersonated(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	user := call.Attributes[trace.AttrUserImpersonated]
	return saysImpersonated.With(user), user != "" && call.Error == "" && call.Panic == "" && !call.Unfinished
}

var (
	saysFlow   = message.Of("flow schema %s sends it to priority level %s")
	saysExempt = message.Of("flow schema %s sends it to priority level %s: it never waits")
)

func sayFlow(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	schema, level := call.Attributes[trace.AttrFlowcontrolFlowSchema], call.Attributes[trace.AttrFlowcontrolPriorityLevel]
	says := saysFlow
	if call.Attributes[trace.AttrFlowcontrolExempt] == "true" {
		says = saysExempt
	}
	return says.With(schema, level), schema != ""
}

var (
	saysAllowedBy  = message.Of("RBAC allows it by %s")
	saysAllowed    = message.Of("it is allowed: %s")
	saysPrivileged = message.Of("it is allowed: the group %s may do everything")
	saysAllowedIn  = message.Of("it is allowed by %s")
	saysNotBy      = message.Of("it is not allowed: %s")
)

func sayPermission(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	switch decision(call) {
	case "":
		return message.Message{}, false
	case "Allow":
		return t.allowed(i), true
	}
	return saysNotBy.With(whyNot(t.tree, i)), true
}

// privileged is the group that kube-apiserver allows everything, with an
// authorizer for such groups (pkg/kubeapiserver/authorizer/config.go).
const privileged = "system:masters"

// allowed says why call i of an authorizer allows the request. Some authorizers
// give no reason.
func (t *sentenceFinder) allowed(i int) message.Message {
	reason := t.tree.Call(i).Attributes[trace.AttrAuthorizationReason]
	if by, ok := strings.CutPrefix(reason, "RBAC: allowed by "); ok {
		return saysAllowedBy.With(by)
	}
	if reason != "" {
		return saysAllowed.With(reason)
	}
	by := t.tree.Call(i) // the last authorizer that i called made the decision
	for child := range t.tree.Children(i) {
		if c := t.tree.Call(child); strings.HasSuffix(c.Function, ".Authorize") {
			by = c
		}
	}
	if strings.HasSuffix(by.Function, "/authorizerfactory.(*privilegedGroupAuthorizer).Authorize") && t.inGroup(i, privileged) {
		return saysPrivileged.With(privileged)
	}
	return saysAllowedIn.With(by.ShortName())
}

// inGroup reports whether the user belongs to the group, according to the
// groups that were recorded last at or before call i.
func (t *sentenceFinder) inGroup(i int, group string) bool {
	for ; i >= 0; i-- {
		if groups := t.tree.Call(i).Attributes[trace.AttrUserGroups]; groups != "" {
			return holdsWord(groups, group)
		}
	}
	return false
}

var saysRoute = message.Of("the route is %s")

func sayRoute(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	route := call.Attributes[trace.AttrRoute]
	return saysRoute.With(route), route != ""
}

var (
	saysAggregated = message.Of("the request goes on to another API server: %s serves %s")
	saysNotReached = message.Of("APIService %[2]s names the service %[1]s, but the request does not reach it")
)

func sayAggregated(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	if call.Attributes[trace.AttrApiserviceLocal] != "false" {
		return message.Message{}, false
	}
	says := saysAggregated
	for below := i + 1; below < t.tree.End(i); below++ {
		// The proxy answers in place of the server: without calling the server
		// (proxyError), or after such a call failed (Error). Both are in
		// kube-aggregator/pkg/apiserver/handler_proxy.go.
		if f := t.tree.Call(below).Function; strings.HasSuffix(f, "/pkg/apiserver.proxyError") || strings.HasSuffix(f, "/pkg/apiserver.(*responder).Error") {
			says = saysNotReached
		}
	}
	return says.With(call.Attributes[trace.AttrApiserviceService], call.Attributes[trace.AttrApiserviceName]), true
}

var saysHandler = message.Of("the handler works on the storage %s")

func sayHandler(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	storage := with(call, trace.AttrStorageType)
	return saysHandler.With(storage), storage != "" && t.classifier.Layer(call.Function) == trace.LayerHandler
}

var saysBody = message.Of("the body is decoded: %s becomes %s")

func sayBody(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	kind, object := with(call, trace.AttrKind), with(call, trace.AttrObjectType)
	if call.Error != "" || kind == "" || object == "" || object == "nil" || t.classifier.Layer(call.Function) != trace.LayerCodec {
		return message.Message{}, false
	}
	// The handler decodes the body before it calls the registry. Calls below
	// the registry decode objects. Admission decodes the answers of webhooks.
	if t.above(i, trace.LayerRegistry) || t.nearest(i, trace.LayerHandler, trace.LayerFieldManager, trace.LayerAdmission, trace.LayerAuthentication, trace.LayerAuthorization,
		trace.LayerResponse) != trace.LayerHandler {
		return message.Message{}, false
	}
	return saysBody.With(kind, object), true
}

var (
	saysOwners  = message.Of("manager %s becomes the owner of the fields that it sets")
	saysApplies = message.Of("server-side apply: manager %s becomes the owner of the fields that it sends")
)

// sayOwners says nothing if the request fails later, or changes nothing,
// because then no manager owns new fields.
func sayOwners(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	manager := call.Attributes[trace.AttrFieldManager]
	says := saysOwners
	if strings.HasSuffix(call.Function, ").Apply") {
		says = saysApplies
	}
	owns := manager != "" && call.Error == "" && t.classifier.Layer(call.Function) == trace.LayerFieldManager
	return says.With(manager), owns && t.tree.Request.Status < http.StatusBadRequest && !t.unchanged()
}

var (
	saysMutating   = message.Of("all %d plugins that may mutate accept, %d of them after calls of other code")
	saysValidating = message.Of("all %d plugins that may validate accept, %d of them after calls of other code")
	saysRefuses    = message.Of("admission plugin %s refuses")
)

func sayAdmission(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	if call.Attributes[trace.AttrAdmissionVerdict] == "" || call.Attributes[trace.AttrAdmissionPlugin] != "" {
		return message.Message{}, false
	}
	s := &Story{View: &View{Tree: t.tree}}
	called, calling := map[string]bool{}, map[string]bool{} // by name, because some plugins are called twice
	for below := i + 1; below < t.tree.End(i); below++ {
		for _, p := range s.Plugins(&Node{Calls: []int{below}}) {
			switch p.kind() {
			case PluginsOther:
				return saysRefuses.With(p.Name), true
			case PluginsNotCalled:
				continue
			case PluginsCalling:
				calling[p.Name] = true
			}
			called[p.Name] = true
		}
	}
	says := saysMutating
	if strings.HasSuffix(call.Function, ".Validate") {
		says = saysValidating
	}
	return says.With(len(called), len(calling)), len(called) > 0
}

var (
	saysChanged     = message.Of("webhook %s of %s changes the object")
	saysHookCalled  = message.Of("webhook %s of %s is called: %s")
	saysHookFails   = message.Of("the call of webhook %s of %s fails: %s")
	saysHookIgnored = message.Of("the call of webhook %s of %s fails, and the request goes on without it: %s")
)

func sayWebhook(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	name, verdict, configuration := call.Attributes[trace.AttrWebhookName], call.Attributes[trace.AttrAdmissionVerdict], call.Attributes[trace.AttrWebhookConfiguration]
	switch {
	case name == "" || verdict == "":
		return message.Message{}, false
	case call.Attributes[trace.AttrWebhookChanged] == "true":
		return saysChanged.With(name, configuration), true
	case !strings.HasPrefix(call.Error, "failed calling webhook"): // ErrCallingWebhook in apiserver/pkg/util/webhook/error.go
		return saysHookCalled.With(name, configuration, verdict), true
	case t.ignored(i):
		return saysHookIgnored.With(name, configuration, call.Error), true
	}
	return saysHookFails.With(name, configuration, call.Error), true
}

// ignored reports whether the request went on although call i of a webhook
// failed. The webhook's failurePolicy then is Ignore. Otherwise, upstream
// counts a rejection after the call, and the dispatcher fails. The
// dispatcher's error is the webhook's, unless another webhook's error came
// first.
func (t *sentenceFinder) ignored(i int) bool {
	parent, failure := t.tree.Parent(i), t.tree.Call(i)
	if parent < 0 {
		return false
	}
	for sibling := range t.tree.Children(parent) {
		call := t.tree.Call(sibling)
		if sibling > i && call.Function == failure.Function {
			break // the call of another webhook
		}
		if sibling > i && strings.HasSuffix(call.Function, ".ObserveWebhookRejection") {
			return false
		}
	}
	for i = parent; i >= 0; i = t.tree.Parent(i) {
		if call := t.tree.Call(i); strings.HasSuffix(call.Function, ").Dispatch") {
			return !includes(call.Error, failure.Error) && call.Panic == "" && !call.Unfinished
		}
	}
	return false
}

var saysStrategy = message.Of("the resource's strategy %s checks what is asked for")

func sayStrategy(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	strategy := with(call, trace.AttrStrategyType)
	return saysStrategy.With(strategy), strategy != "" && t.classifier.Layer(call.Function) == trace.LayerStrategy
}

var saysValid = message.Of("validation accepts the object: %s")

func sayValidation(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	valid := call.Error == "" && call.Panic == "" && !call.Unfinished && !call.Leaf
	return saysValid.With(call.ShortName()), valid && t.classifier.Key(call.Function) && t.classifier.Layer(call.Function) == trace.LayerValidation
}

var saysDryRun = message.Of("dry run: nothing is written")

// sayDryRun describes a write with dryRun=All, which ends in upstream's
// DryRunnableStorage (apiserver/pkg/registry/generic/registry/dryrun.go).
func sayDryRun(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	_, method, ok := strings.Cut(call.Function, ".(*DryRunnableStorage).")
	writes := ok && (method == "Create" || method == "GuaranteedUpdate" || method == "Delete")
	return saysDryRun, writes && call.Error == "" && t.tree.Request.IsDryRun()
}

var saysUnchanged = message.Of("nothing is written: the object is as before")

// sayUnchanged describes an update that succeeds without a write, because it
// does not change the stored bytes.
func sayUnchanged(t *sentenceFinder, i int, _ *trace.Call) (message.Message, bool) {
	return saysUnchanged, t.changesNothing(i)
}

// unchanged reports whether the request has an update that changes nothing.
func (t *sentenceFinder) unchanged() bool {
	for i := range t.tree.Len() {
		if t.changesNothing(i) {
			return true
		}
	}
	return false
}

// changesNothing reports whether call i is an update without a write.
func (t *sentenceFinder) changesNothing(i int) bool {
	call := t.tree.Call(i)
	if !strings.HasSuffix(call.Function, "/etcd3.(*store).GuaranteedUpdate") || call.Error != "" || call.Panic != "" || call.Unfinished {
		return false
	}
	for below := i + 1; below < t.tree.End(i); below++ {
		if t.tree.Call(below).Attributes[trace.AttrEtcdTxnSucceeded] != "" {
			return false
		}
	}
	return true
}

var saysRegistry = message.Of("the generic store takes over for %s")

func sayRegistry(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	resource := call.Attributes[trace.AttrResource]
	return saysRegistry.With(resource), resource != "" && t.classifier.Layer(call.Function) == trace.LayerRegistry
}

var (
	saysHit       = message.Of("the watch cache answers, at revision %s; etcd is not read")
	saysMiss      = message.Of("the watch cache does not have the object")
	saysTooNew    = message.Of("the watch cache waits %s for revision %s and gives up")
	saysCacheLost = message.Of("the watch cache does not answer: %s")
)

// sayCache describes a read of one object from the watch cache.
func sayCache(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	switch hit := call.Attributes[trace.AttrCacheHit]; {
	case hit == "":
		return message.Message{}, false
	case call.Error != "":
		return t.notCached(i), true
	case hit == "true":
		return saysHit.With(call.Attributes[trace.AttrCacheRevision]), true
	}
	return saysMiss, true
}

// notCached says why the watch cache did not answer in call i, which failed.
// The watch cache waits for the revision that the request needs, for 3 seconds
// at most (blockTimeout in apiserver/pkg/storage/cacher/watch_cache.go).
func (t *sentenceFinder) notCached(i int) message.Message {
	call := t.tree.Call(i)
	if !strings.Contains(call.Error, "Too large resource version") {
		return saysCacheLost.With(call.Error)
	}
	revision := call.Attributes[trace.AttrResourceVersion]
	for at := i; revision == "" && at >= 0; at = t.tree.Parent(at) {
		revision = t.tree.Call(at).Attributes[trace.AttrResourceVersion]
	}
	return saysTooNew.With(SignsFor(true).Duration(call.DurationNs), revision)
}

var (
	saysListCached = message.Of("the watch cache answers the list, at revision %s")
	saysDelegates  = message.Of("the watch cache passes the list on to etcd")
)

// sayCachedList only describes lists that the registry requests. Flow control
// also calls the watch cache, to estimate the work of a list.
func sayCachedList(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	delegated, revision := call.Attributes[trace.AttrCacheDelegateToEtcd] == "true", call.Attributes[trace.AttrCacheRevision]
	cached := revision != "" && call.Attributes[trace.AttrCacheHit] == ""
	if !delegated && !cached || !t.above(i, trace.LayerRegistry) { // last, because it goes through all callers
		return message.Message{}, false
	}
	switch {
	case delegated:
		return saysDelegates, true
	case call.Error != "":
		return t.notCached(i), true
	}
	return saysListCached.With(revision), true
}

var (
	saysEtcdRead    = message.Of("etcd answers, not the watch cache: key %s, at revision %s")
	saysEtcdFresh   = message.Of("etcd only returns its revision, so that the cache's answer is not older: key %s, revision %s")
	saysEtcdAsks    = message.Of("etcd is read: key %s, at revision %s")
	saysEtcdWritten = message.Of("etcd stores it: key %s, at revision %s")
	saysEtcdDeleted = message.Of("etcd deletes it: key %s, at revision %s")
	saysEtcdRefused = message.Of("etcd changes nothing, for the key %s is not as the transaction demands: revision %s")
)

// keyOf returns the key that a call of etcd's client reads or changes.
func keyOf(attributes map[string]string) string {
	return cmp.Or(attributes[trace.AttrEtcdKey], attributes[trace.AttrEtcdTxnPut], attributes[trace.AttrEtcdTxnDelete])
}

// sayEtcd describes a call of etcd's client. Up to v1.31, a write is a
// transaction, and its first operation has the key.
func sayEtcd(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	key := keyOf(call.Attributes)
	revision := call.Attributes[trace.AttrEtcdRevision]
	if t.classifier.Layer(call.Function) != trace.LayerEtcdClient || key == "" || revision == "" || call.Error != "" {
		return message.Message{}, false
	}
	says := saysEtcdAsks
	switch call.Attributes[trace.AttrEtcdTxnSucceeded] {
	case "true":
		says = saysEtcdWritten
		if t.deletes(i) {
			says = saysEtcdDeleted
		}
	case "false":
		says = saysEtcdRefused
	default:
		switch {
		case t.readsRevision(i):
			says = saysEtcdFresh
		// A new watch cache also reads etcd, to fill itself.
		case t.tree.Request.Method == "GET" && t.above(i, trace.LayerCacher) && t.nearest(i, trace.LayerRegistry, trace.LayerStorageSetup) == trace.LayerRegistry:
			says = saysEtcdRead
		}
	}
	return says.With(key, revision), true
}

// readsRevision reports whether call i reads etcd only for its current
// revision. The call of the store above call i then has a revision, but no
// key.
func (t *sentenceFinder) readsRevision(i int) bool {
	for i = t.tree.Parent(i); i >= 0; i = t.tree.Parent(i) {
		call := t.tree.Call(i)
		if t.classifier.Layer(call.Function) == trace.LayerEtcd3 && call.Attributes[trace.AttrEtcdRevision] != "" && call.Attributes[trace.AttrEtcdKey] == "" {
			return true
		}
	}
	return false
}

// deletes reports whether the transaction of call i deletes a key.
func (t *sentenceFinder) deletes(i int) bool {
	for below := i; below < t.tree.End(i); below++ {
		if t.tree.Call(below).Attributes[trace.AttrEtcdTxnDelete] != "" {
			return true
		}
	}
	return false
}

var saysEtcdServer = message.Of("etcd works on it in its own process")

func sayEtcdServer(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	return saysEtcdServer, call.Process == trace.ProcessEtcd && t.tree.Call(0).Process != trace.ProcessEtcd && t.classifier.Key(call.Function)
}

var (
	saysLinearizable = message.Of("a linearizable read (serializable=false): etcd first makes sure that this member is up to date")
	saysSerializable = message.Of("a serializable read (serializable=true): etcd answers from what this member has, without asking the others")
)

func sayEtcdRead(t *sentenceFinder, _ int, call *trace.Call) (message.Message, bool) {
	switch call.Attributes[trace.AttrEtcdSerializable] {
	case "false":
		return saysLinearizable, true
	case "true":
		return saysSerializable, true
	}
	return message.Message{}, false
}

var saysDurable = message.Of("the log of etcd on disk has the write: from here on it survives a crash")

func sayDurable(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	return saysDurable, durable(t.classifier, call) && t.writes(i)
}

// writes reports whether call i belongs to a transaction that changed its keys.
// etcd's log also has transactions that then change nothing, and leases.
func (t *sentenceFinder) writes(i int) bool {
	for ; i >= 0; i = t.tree.Parent(i) {
		if succeeded := t.tree.Call(i).Attributes[trace.AttrEtcdTxnSucceeded]; succeeded != "" {
			return succeeded == "true"
		}
	}
	return false
}

// durable reports whether etcd waited in this call, with success, until the
// data that it wrote to the log was on disk.
func durable(classifier Classifier, call *trace.Call) bool {
	waits := classifier.Layer(call.Function) == trace.LayerEtcdDisk && strings.HasSuffix(call.Function, "/fileutil.Fdatasync")
	return waits && call.Error == "" && call.Panic == "" && !call.Unfinished && call.Process == trace.ProcessEtcd
}

var saysStoredForm = message.Of("what etcd holds is decoded: %s becomes %s")

func sayStoredForm(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	object := with(call, trace.AttrObjectType)
	kind := with(call, trace.AttrKind)
	if object == "" || object == "nil" || kind == "" || t.classifier.Layer(call.Function) != trace.LayerCodec || !t.above(i, trace.LayerEtcd3) || t.tree.Request.Method != "GET" {
		return message.Message{}, false
	}
	return saysStoredForm.With(kind, object), true
}

var (
	saysAnswer   = message.Of("the answer is %s")
	saysAnswerAs = message.Of("the answer is %s, written as %s")
)

func sayAnswer(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	code := call.Attributes[trace.AttrStatusCode]
	if code == "" || code != fmt.Sprint(t.tree.Request.Status) {
		return message.Message{}, false
	}
	for below := i; below < t.tree.End(i); below++ {
		if media := t.tree.Call(below).Attributes[trace.AttrMediaType]; media != "" {
			return saysAnswerAs.With(code, media), true
		}
	}
	return saysAnswer.With(code), true
}

var saysEvent = message.Of("later the watch cache takes up the event %s of revision %s")

func sayEvent(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	event, revision := call.Attributes[trace.AttrWatchEvent], call.Attributes[trace.AttrResourceVersion]
	watch := call.Afterwards() && t.classifier.Layer(call.Function) == trace.LayerCacher
	return saysEvent.With(event, revision), watch && event != "" && revision != ""
}

var (
	saysSent    = message.Of("a watcher is sent %s of revision %s")
	saysInitial = message.Of("a watcher is sent %s of the object %s")
)

func saySent(t *sentenceFinder, i int, call *trace.Call) (message.Message, bool) {
	key, event := call.Attributes[trace.AttrStorageKey], t.converted(i)
	if key == "" || event == "" || call.Attributes[trace.AttrHandoff] != "" || !t.above(i, trace.LayerCacher) || !t.written() {
		return message.Message{}, false
	}
	if t.dispatched(i) {
		return saysSent.With(event, call.Attributes[trace.AttrEtcdRevision]), true
	}
	return saysInitial.With(event, key), true
}

// dispatched reports whether the event that call i sends happened after the
// watch had begun. An initial event has the revision of the cache, not of the
// object (newCacheIntervalFromStore in
// apiserver/pkg/storage/cacher/watch_cache_interval.go). From v1.23 on,
// process is called after the initial events. Up to v1.22, process itself
// sends them.
func (t *sentenceFinder) dispatched(i int) bool {
	const process = ".(*cacheWatcher).process"
	by := t.tree.Parent(i)
	above := t.tree.Parent(by)
	return above >= 0 && strings.HasSuffix(t.tree.Call(by).Function, process) && strings.Contains(t.tree.Call(above).Function, process)
}

// written reports whether a watch wrote its events. If it cannot encode an
// event in the form that the client wants, it cannot encode any event, and
// ends (HandleHTTP in apiserver/pkg/endpoints/handlers/watch.go).
func (t *sentenceFinder) written() bool {
	for i := range t.tree.Len() {
		if call := t.tree.Call(i); call.Error != "" && strings.HasSuffix(call.Function, ".(*watchEncoder).Encode") {
			return false
		}
	}
	return t.tree.Request.Status < http.StatusBadRequest
}

// converted returns the type of the event that call i sends to a watcher, or
// "" if it sends none. A call below i chooses the type, according to the
// watcher's selector. For example, any write that brings an object into the
// selection becomes ADDED (convertToWatchEvent in
// apiserver/pkg/storage/cacher/cache_watcher.go).
func (t *sentenceFinder) converted(i int) string {
	for child := range t.tree.Children(i) {
		if call := t.tree.Call(child); strings.HasSuffix(call.Function, ".convertToWatchEvent") {
			return call.Attributes[trace.AttrWatchEvent]
		}
	}
	return t.tree.Call(i).Attributes[trace.AttrWatchEvent]
}
