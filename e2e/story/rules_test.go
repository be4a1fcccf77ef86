package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A claim is a sentence with its operands.
type claim struct {
	view.Sentence
	operands []string
	tree     *trace.Tree
}

func (c *claim) process() string { return c.tree.Call(c.Call).Process }

// sentBy returns the program that sent the request of the claim, or "" for the request of
// the test. An aggregated server sends requests of its own to kube-apiserver.
func (c *claim) sentBy() string {
	process := c.process()
	for i := c.Call; i >= 0; i = c.tree.Parent(i) {
		if other := c.tree.Call(i).Process; other != process && process == apiserver.Name {
			return other
		}
		process = c.tree.Call(i).Process
	}
	return ""
}

// The places of a decision about rights.
const (
	inFilter        = "the filter of authorization"
	inImpersonation = "impersonation"
	inHandler       = "the handler"
)

var (
	authorizationFilter = regexp.MustCompile(`/filters\.[wW]ithAuthorization\.func\d+$`)
	impersonation       = regexp.MustCompile(`(?i)impersonat`)
)

// place returns the part of the server that asked for the decision of a claim.
func (c *claim) place() string {
	for i := c.tree.Parent(c.Call); i >= 0; i = c.tree.Parent(i) {
		function := c.tree.Call(i).Function
		switch {
		case strings.HasSuffix(function, "server.director.ServeHTTP"):
			return inHandler
		case authorizationFilter.MatchString(function):
			return inFilter
		case impersonation.MatchString(function):
			return inImpersonation
		}
	}
	return inHandler
}

// An outcome is the result of comparing a claim with the facts.
type outcome int

const (
	unchecked outcome = iota // the facts say nothing about the claim
	proved
	contradicted
)

// A finding is an outcome, with the fact that decided it, or with the reason why there is
// no such fact.
type finding struct {
	outcome outcome
	fact    string
}

// holds returns a finding that a claim is proved or, if ok is not set, contradicted. The
// text describes the fact.
func holds(ok bool, format string, args ...any) finding {
	f := finding{contradicted, fmt.Sprintf(format, args...)}
	if ok {
		f.outcome = proved
	}
	return f
}

func silent(format string, args ...any) finding {
	return finding{unchecked, fmt.Sprintf(format, args...)}
}

// A rule says which fact proves a kind of sentence.
type rule struct {
	// fact describes the fact. If check is nil, it says why the sentence is not checked.
	fact string
	// proves are the indices of the operands that the fact proves: with any other value
	// of such an operand, the check must not prove the sentence.
	proves []int
	check  func(f *facts, c *claim) finding
	// rare is set if the requests of a whole test need not lead to such a sentence.
	rare bool
}

const goTypes = "upstream's logs, metrics and answers do not name Go types and functions"

// rules has a rule for each kind of sentence about a request, by its English text. The
// texts are in package view.
var rules = map[string]rule{
	"the path means: %s": {fact: "verb and objectRef of the audit event", proves: []int{0}, check: checkPath},
	"the path names no resource; the verb is %s": {fact: "verb of the audit event, and no objectRef", proves: []int{0}, check: func(f *facts, c *claim) finding {
		return holds(f.event.ObjectRef == nil && f.event.Verb == c.operands[0], "the audit event has the verb %q and the objectRef %+v", f.event.Verb, f.event.ObjectRef)
	}},

	"the caller is %s":                 {fact: "user of the audit event", proves: []int{0}, check: checkCaller, rare: true},
	"the caller is %s, accepted by %s": {fact: "user of the audit event, and the credentials that were sent", proves: []int{0}, check: checkCaller},
	"nobody knows the caller": {fact: "401 in the audit event", check: func(f *facts, _ *claim) finding {
		return holds(f.event.ResponseStatus.Code == http.StatusUnauthorized && f.typed.As == scenarios.Stranger, "the audit event has the status %d", f.event.ResponseStatus.Code)
	}},
	"from here on the request runs as %s": {fact: "impersonatedUser of the audit event", proves: []int{0}, check: func(f *facts, c *claim) finding {
		if f.event.ImpersonatedUser == nil {
			return holds(false, "the audit event has no impersonatedUser")
		}
		return holds(f.event.ImpersonatedUser.Username == c.operands[0], "the audit event has the impersonatedUser %q", f.event.ImpersonatedUser.Username)
	}},

	"flow schema %s sends it to priority level %s":                 {fact: "the headers X-Kubernetes-PF-… of the answer, and the objects with these UIDs", proves: []int{0, 1}, check: checkFlow(false)},
	"flow schema %s sends it to priority level %s: it never waits": {fact: "the headers X-Kubernetes-PF-… of the answer, and the objects with these UIDs", proves: []int{0, 1}, check: checkFlow(true)},

	"RBAC allows it by %s": {fact: "the annotations authorization.k8s.io/decision and …/reason; the answer of an access review; impersonatedUser", proves: []int{0}, check: func(f *facts, c *claim) finding {
		return checkAllowed(f, c, "RBAC: allowed by "+c.operands[0])
	}},
	"it is allowed: %s": {fact: "the annotations authorization.k8s.io/decision and …/reason", proves: []int{0}, rare: true, check: func(f *facts, c *claim) finding {
		return checkAllowed(f, c, c.operands[0])
	}},
	"it is allowed: the group %s may do everything": {fact: "the annotation authorization.k8s.io/decision, and the groups of the audit event", proves: []int{0}, check: checkPrivileged},
	"it is allowed by %s": {fact: "the annotation authorization.k8s.io/decision, without a reason", rare: true, check: func(f *facts, c *claim) finding {
		return checkAllowed(f, c, "")
	}},
	"it is not allowed: %s": {fact: "the annotation authorization.k8s.io/decision; 403", proves: []int{0}, check: checkDenied},

	"the route is %s": {fact: "the paths of the OpenAPI document, and the path of the request", proves: []int{0}, check: checkRoute},
	"the request goes on to another API server: %s serves %s":                     {fact: "the APIService", proves: []int{0, 1}, check: checkService(true)},
	"APIService %[2]s names the service %[1]s, but the request does not reach it": {fact: "the APIService, and 503", proves: []int{0, 1}, check: checkService(false)},

	"the handler works on the storage %s":                                         {fact: goTypes},
	"the resource's strategy %s checks what is asked for":                         {fact: goTypes},
	"the body is decoded: %s becomes %s":                                          {fact: "requestObject of the audit event, or the head of the body", proves: []int{0}, check: checkBody},
	"manager %s becomes the owner of the fields that it sets":                     {fact: "managedFields in responseObject of the audit event", proves: []int{0}, check: checkOwner},
	"server-side apply: manager %s becomes the owner of the fields that it sends": {fact: "managedFields in responseObject of the audit event", proves: []int{0}, check: checkOwner},

	"all %d plugins that may mutate accept, %d of them after calls of other code":   {fact: "the names in apiserver_admission_controller_admission_duration_seconds", proves: []int{0}, check: checkPlugins("admit")},
	"all %d plugins that may validate accept, %d of them after calls of other code": {fact: "the names in apiserver_admission_controller_admission_duration_seconds", proves: []int{0}, check: checkPlugins("validate")},
	"admission plugin %s refuses": {fact: "the refusals in apiserver_admission_controller_admission_duration_seconds, and the answer", proves: []int{0}, check: checkRefusal},

	"webhook %s of %s changes the object": {fact: "the annotation mutation.webhook.admission.k8s.io/…, and the calls that the webhook saw", proves: []int{0, 1}, check: ofOwnHook(func(f *facts, c *claim) finding {
		mutated, known := f.mutated(c.operands[0], c.operands[1])
		return holds(known && mutated && f.called(c.operands[0], "accepted"), "the annotations are %v, and the webhooks saw %v", f.event.Annotations, f.reviews)
	})},
	"webhook %s of %s is called: %s": {fact: "the calls that the webhook saw, and its answer", proves: []int{0, 1, 2}, check: ofOwnHook(func(f *facts, c *claim) finding {
		mutated, _ := f.mutated(c.operands[0], c.operands[1])
		return holds(!mutated && configured(c) && f.called(c.operands[0], c.operands[2]), "the webhooks saw %v; annotations %v", f.reviews, f.event.Annotations)
	})},
	"the call of webhook %s of %s fails: %s": {fact: "the calls that the webhook saw and did not answer; the answer 500 with the message, or the refusal of another webhook", proves: []int{0, 1, 2}, check: ofOwnHook(checkBrokenHook)},
	"the call of webhook %s of %s fails, and the request goes on without it: %s": {fact: "the annotation failed-open.…webhook.admission.k8s.io/…, and the calls that the webhook saw", proves: []int{0, 1}, check: ofOwnHook(func(f *facts, c *claim) finding {
		open := false
		for key, value := range f.event.Annotations {
			open = open || strings.HasPrefix(key, "failed-open.") && value == c.operands[0]
		}
		return holds(open && configured(c) && f.called(c.operands[0], ""), "the annotations are %v, and the webhooks saw %v", f.event.Annotations, f.reviews)
	})},

	"validation accepts the object: %s": {fact: "no answer 422 Invalid, unless a policy gave it", check: func(f *facts, _ *claim) finding {
		invalid := f.event.ResponseStatus.Code == http.StatusUnprocessableEntity && !strings.Contains(f.message(), "ValidatingAdmissionPolicy")
		return holds(!invalid, "the answer is %d: %s", f.event.ResponseStatus.Code, f.message())
	}},
	"dry run: nothing is written":                 {fact: "etcd's changes of the object's key", check: checkUnwritten},
	"nothing is written: the object is as before": {fact: "etcd's changes of the object's key, and the resourceVersion of the answer", check: checkUnwritten},
	"the generic store takes over for %s": {fact: "objectRef of the audit event", proves: []int{0}, check: func(f *facts, c *claim) finding {
		if f.event.ObjectRef.Subresource != "" && c.operands[0] != f.resource() {
			return silent("a subresource may work on another resource")
		}
		return holds(c.operands[0] == f.resource(), "the audit event has the resource %q", f.resource())
	}},

	"the watch cache answers, at revision %s; etcd is not read": {fact: "etcd_requests_total of the resource, and the resourceVersion of the answer", proves: []int{0}, check: checkCacheHit},
	"the watch cache does not have the object": {fact: "etcd does not have the key", check: func(f *facts, c *claim) finding {
		_, has := f.world.history.keys[f.key()]
		return holds(!has, "etcd has the key %s: %t", f.key(), has)
	}},
	"the watch cache waits %s for revision %s and gives up": {fact: "504 with the message \"Too large resource version\"", proves: []int{1}, check: func(f *facts, c *claim) finding {
		return holds(f.event.ResponseStatus.Code == http.StatusGatewayTimeout && strings.Contains(f.message(), "Too large resource version: "+c.operands[1]+","),
			"the answer is %d: %s", f.event.ResponseStatus.Code, f.message())
	}},
	"the watch cache does not answer: %s": {fact: "the message of the answer", proves: []int{0}, rare: true, check: func(f *facts, c *claim) finding {
		return holds(contains(f.message(), c.operands[0]), "the message is %s", f.message())
	}},
	"the watch cache answers the list, at revision %s": {fact: "apiserver_cache_list_total or apiserver_storage_list_total, and the resourceVersion of the list", proves: []int{0}, check: checkCachedList},
	"the watch cache passes the list on to etcd": {fact: "apiserver_storage_list_total", check: func(f *facts, c *claim) finding {
		if f.event.ResponseStatus.Code != http.StatusOK || c.process() != apiserver.Name {
			return silent("only lists that kube-apiserver answers are counted")
		}
		n := f.counted("apiserver_storage_list_total", f.resource(), func(l map[string]string) bool { return l["storage"] == "" || l["storage"] == "etcd" })
		return holds(n > 0, "apiserver_storage_list_total has grown by %v", n)
	}},

	"etcd answers, not the watch cache: key %s, at revision %s":                                    {fact: "etcd_requests_total, the key of the object, and etcd's revision", proves: []int{0, 1}, check: checkEtcdRead},
	"etcd only returns its revision, so that the cache's answer is not older: key %s, revision %s": {fact: "etcd_requests_total of the operation getCurrentResourceVersion, the prefix of the resource's keys, and etcd's revision", proves: []int{0, 1}, check: checkFreshness},
	"etcd is read: key %s, at revision %s":                                                         {fact: "etcd_requests_total, etcd's keys, and etcd's revision", proves: []int{0, 1}, check: checkInnerRead},
	"etcd stores it: key %s, at revision %s": {fact: "etcd's changes", proves: []int{0, 1}, check: func(f *facts, c *claim) finding {
		return holds(f.change("PUT", c.operands[0], c.operands[1]) != nil, "etcd's changes of the key: %q", f.changed(c.operands[0]))
	}},
	"etcd deletes it: key %s, at revision %s": {fact: "etcd's changes", proves: []int{0, 1}, check: func(f *facts, c *claim) finding {
		return holds(f.change("DELETE", c.operands[0], c.operands[1]) != nil, "etcd's changes of the key: %q", f.changed(c.operands[0]))
	}},
	"etcd changes nothing, for the key %s is not as the transaction demands: revision %s": {fact: "etcd's changes, and whether the key existed", proves: []int{0, 1}, check: func(f *facts, c *claim) finding {
		n, _ := strconv.ParseInt(c.operands[1], 10, 64)
		return holds(f.existed(c.operands[0]) && f.within(c.operands[1]) && (n == f.before || f.change("", c.operands[0], c.operands[1]) == nil),
			"the key existed: %t; its changes: %q; etcd was at revision %d before the request, and at %d after it", f.existed(c.operands[0]), f.changed(c.operands[0]), f.before, f.after)
	}},

	"etcd works on it in its own process": {fact: "etcd's own count of gRPC calls", check: func(f *facts, _ *claim) finding {
		n := len(f.metrics.grown(f.metricsBefore, "grpc_server_handled_total"))
		return holds(n > 0, "%d kinds of gRPC calls were counted", n)
	}},
	"a linearizable read (serializable=false): etcd first makes sure that this member is up to date":             {fact: "neither program counts reads by their consistency"},
	"a serializable read (serializable=true): etcd answers from what this member has, without asking the others": {fact: "neither program counts reads by their consistency"},
	"the log of etcd on disk has the write: from here on it survives a crash": {fact: "etcd's own count of fsyncs of its log, and its changes", check: func(f *facts, _ *claim) finding {
		n := len(f.metrics.grown(f.metricsBefore, "etcd_disk_wal_fsync_duration_seconds_count"))
		return holds(n > 0 && len(f.changes) > 0, "the count of fsyncs has grown: %t; %d changes", n > 0, len(f.changes))
	}},
	"what etcd holds is decoded: %s becomes %s": {fact: "the values in etcd", proves: []int{0}, check: checkStoredForm},

	"the answer is %s":                                           {fact: "the status of the answer and of the audit event", proves: []int{0}, check: checkAnswer},
	"the answer is %s, written as %s":                            {fact: "the status and the Content-Type of the answer", proves: []int{0, 1}, check: checkAnswer},
	"later the watch cache takes up the event %s of revision %s": {fact: "etcd's changes", proves: []int{0, 1}, check: checkEvent},
	"a watcher is sent %s of revision %s":                        {fact: "the events in the answer", proves: []int{0, 1}, check: checkSent},
	"a watcher is sent %s of the object %s":                      {fact: "the events in the answer", proves: []int{0, 1}, check: checkSent},

	"the error is born: %s":                      {fact: "the message of the answer; for a missing key, etcd's keys", proves: []int{0}, check: checkError},
	"the error becomes: %s":                      {fact: "the message of the answer", proves: []int{0}, check: checkError},
	"the answer is no: %s":                       {fact: "401, or the annotation authorization.k8s.io/decision; 403", proves: []int{0}, check: checkDenied},
	"at the end, the error becomes a Status: %s": {fact: "reason and code of the answer", proves: []int{0}, check: checkStatus},
	"answers %s without an error": {fact: "the status of the answer, and that it holds no Status", proves: []int{0}, check: func(f *facts, c *claim) finding {
		return holds(c.operands[0] == strconv.Itoa(f.sent.Status) && metaOf(f.sent.Body).Kind != "Status", "the answer is %d: %s", f.sent.Status, f.sent.Body)
	}},
	"the time of the request is over: this filter answers %s in place of the handler": {fact: "the status of the answer", proves: []int{0}, check: checkAnswer, rare: true},
	"the panic begins: %s": {fact: "the stage of the audit event", rare: true, check: func(f *facts, _ *claim) finding {
		return holds(f.event.Stage == "Panic", "the audit event has the stage %s", f.event.Stage)
	}},
}

func checkPath(f *facts, c *claim) finding {
	ref := f.event.ObjectRef
	if ref == nil {
		return holds(false, "the audit event has no objectRef")
	}
	resource := ref.Resource
	if ref.Subresource != "" {
		resource += "/" + ref.Subresource
	}
	group, in := "", ""
	if ref.APIGroup != "" {
		group = "of group " + ref.APIGroup
	}
	if ref.Namespace != "" {
		in = "in namespace " + ref.Namespace
	}
	// The audit event has the name and the namespace in the body if the path has none.
	ok := false
	for _, name := range []string{ref.Name, ""} {
		for _, namespace := range []string{in, ""} {
			words := slices.DeleteFunc([]string{f.event.Verb, resource, name, group, namespace}, func(w string) bool { return w == "" })
			ok = ok || strings.Join(words, " ") == c.operands[0] && (name == ref.Name || f.event.Verb == "create") && (namespace == in || !strings.Contains(f.typed.Path, "/namespaces/"))
		}
	}
	return holds(ok, "the audit event has the verb %q and the objectRef %+v", f.event.Verb, *ref)
}

func checkCaller(f *facts, c *claim) finding {
	user := f.event.User.Username
	if c.process() != apiserver.Name && f.event.ImpersonatedUser != nil {
		user = f.event.ImpersonatedUser.Username // the user that the aggregator passes on
	}
	if c.operands[0] != user {
		return holds(false, "the audit event has the user %q", user)
	}
	if len(c.operands) == 1 || c.process() != apiserver.Name {
		return holds(true, "the audit event has the user %q", user)
	}
	by := strings.ToLower(c.operands[1])
	return holds(strings.Contains(by, "anonymous") == !f.credentials() && strings.Contains(by, "token") == f.credentials(), "the audit event has the user %q; a token was sent: %t", user, f.credentials())
}

func checkFlow(exempt bool) func(f *facts, c *claim) finding {
	return func(f *facts, c *claim) finding {
		if f.sent.Err != nil {
			return silent("the server panicked, and there is no answer with headers")
		}
		// An aggregated server adds its own headers.
		var schemas, levels []string
		for _, uid := range f.sent.Header.Values("X-Kubernetes-Pf-Flowschema-Uid") {
			schemas = append(schemas, f.world.flowSchemas[uid])
		}
		for _, uid := range f.sent.Header.Values("X-Kubernetes-Pf-Prioritylevel-Uid") {
			levels = append(levels, f.world.levels[uid])
		}
		ok := slices.Contains(schemas, c.operands[0]) && slices.Contains(levels, c.operands[1]) && f.world.exempt[c.operands[1]] == exempt
		return holds(ok, "the headers stand for the flow schemas %q and the levels %q; exempt: %t", schemas, levels, f.world.exempt[c.operands[1]])
	}
}

const (
	decisionAnnotation = "authorization.k8s.io/decision"
	reasonAnnotation   = "authorization.k8s.io/reason"
)

// checkAllowed checks that a request was allowed for a reason.
func checkAllowed(f *facts, c *claim, reason string) finding {
	switch c.place() {
	case inImpersonation:
		// The audit event has no reason for impersonation.
		return f.impersonated(reason)
	case inHandler:
		if !strings.HasSuffix(f.event.ObjectRef.Resource, "accessreviews") {
			return silent("the handler asks for further rights, of which upstream keeps no account")
		}
		allowed, why := f.reviewed()
		return holds(allowed && why == reason, "the review answers %t: %q", allowed, why)
	}
	decision, why := f.event.Annotations[decisionAnnotation], f.event.Annotations[reasonAnnotation]
	return holds(decision == "allow" && why == reason, "the audit event has the decision %q and the reason %q", decision, why)
}

// reviewed returns the result of an access review that the request asked for. If the
// request failed, for example because the client did not accept the media type, reviewed
// sends an access review again.
func (f *facts) reviewed() (allowed bool, reason string) {
	var status struct {
		Allowed bool
		Reason  string
	}
	if f.event.ResponseStatus.Code < http.StatusBadRequest {
		_ = json.Unmarshal(f.answer().Status, &status) // without a status, nothing is allowed
		return status.Allowed, status.Reason
	}
	var asked struct {
		Spec struct {
			User               string
			Groups             []string
			ResourceAttributes map[string]string
		}
	}
	if json.Unmarshal(f.event.RequestObject, &asked) != nil {
		return false, ""
	}
	user, groups := asked.Spec.User, asked.Spec.Groups
	switch {
	case user != "":
	case f.event.ImpersonatedUser != nil:
		user, groups = f.event.ImpersonatedUser.Username, f.event.ImpersonatedUser.Groups
	default:
		user, groups = f.event.User.Username, f.event.User.Groups
	}
	return f.world.review(user, groups, asked.Spec.ResourceAttributes)
}

// impersonated checks that a right that impersonation needed was allowed for a reason. It
// sends access reviews, because the audit event does not list single rights. The right is
// to impersonate the user or, from v1.35 on, to do so for the verb and the object of the
// request (mode.go in apiserver/pkg/endpoints/filters/impersonation).
func (f *facts) impersonated(reason string) finding {
	rights := []map[string]string{{"verb": "impersonate", "resource": "users", "name": f.header("Impersonate-User")}}
	if ref := f.event.ObjectRef; ref != nil {
		for _, mode := range []string{"associated-node", "arbitrary-node", "serviceaccount", "user-info"} {
			rights = append(rights, map[string]string{
				"verb": "impersonate-on:" + mode + ":" + f.event.Verb, "group": ref.APIGroup, "resource": ref.Resource, "subresource": ref.Subresource, "namespace": ref.Namespace, "name": ref.Name,
			})
		}
	}
	var known []string
	for _, right := range rights {
		if allowed, why := f.world.review(f.event.User.Username, f.event.User.Groups, right); allowed {
			known = append(known, why)
		}
	}
	return holds(slices.Contains(known, reason), "access reviews allow what impersonation needs by %q", known)
}

func checkPrivileged(f *facts, c *claim) finding {
	groups := f.event.User.Groups
	if f.event.ImpersonatedUser != nil && c.place() != inImpersonation {
		groups = f.event.ImpersonatedUser.Groups
	}
	if !slices.Contains(groups, c.operands[0]) {
		return holds(false, "the audit event has the groups %q", groups)
	}
	if c.place() == inImpersonation {
		return holds(true, "the audit event has the groups %q", groups)
	}
	return checkAllowed(f, c, "")
}

func checkDenied(f *facts, c *claim) finding {
	status := f.event.ResponseStatus.Code
	if c.operands[0] == "does not know who calls" {
		return holds(status == http.StatusUnauthorized, "the audit event has the status %d", status)
	}
	if !strings.HasPrefix(c.operands[0], "decision=NoOpinion, nobody allowed it") || strings.TrimRight(c.operands[0], "0123456789") != c.operands[0] {
		return holds(false, "no authorizer of this server has another answer")
	}
	switch c.place() {
	case inImpersonation:
		if f.event.ImpersonatedUser != nil {
			return silent("the audit event has no account of single rights to impersonate")
		}
		return holds(status == http.StatusForbidden, "the audit event has the status %d and no impersonatedUser", status)
	case inHandler:
		if !strings.HasSuffix(f.event.ObjectRef.Resource, "accessreviews") {
			return silent("the handler asks for further rights, of which upstream keeps no account")
		}
		allowed, _ := f.reviewed()
		return holds(!allowed, "the review answers %t", allowed)
	}
	decision := f.event.Annotations[decisionAnnotation]
	return holds(decision == "forbid" && status == http.StatusForbidden, "the audit event has the decision %q and the status %d", decision, status)
}

// parameter matches a parameter of a route. The last one may stand for several segments.
var parameter = regexp.MustCompile(`\\\{(\w+)(:\\\*)?\\\}`)

// checkRoute compares a route with the path as go-restful does: slashes around them do not
// matter, and a parameter may be empty (tokenizePath in go-restful/v3/route.go).
func checkRoute(f *facts, c *claim) finding {
	requested, _, _ := strings.Cut(f.typed.Path, "?")
	pattern := parameter.ReplaceAllStringFunc(regexp.QuoteMeta(strings.Trim(c.operands[0], "/")), func(p string) string {
		if strings.Contains(p, `\*`) {
			return ".*"
		}
		return "[^/]*"
	})
	fits := regexp.MustCompile("^" + pattern + "$").MatchString(strings.Trim(requested, "/"))
	documented := f.world.routes[c.operands[0]] || f.world.routes[c.operands[0]+"/"] || f.event.ObjectRef == nil || strings.Contains(c.operands[0], ":*}") || c.process() != apiserver.Name
	return holds(fits && documented, "it fits the path %s: %t; OpenAPI has it: %t", requested, fits, documented)
}

func checkService(reached bool) func(f *facts, c *claim) finding {
	return func(f *facts, c *claim) finding {
		var service struct {
			Spec struct {
				Group, Version string
				Service        struct{ Name, Namespace string }
			}
		}
		status, answer := f.world.send(f.world.server.AdminToken, http.MethodGet, "/apis/apiregistration.k8s.io/v1/apiservices/"+c.operands[1], nil)
		if status != http.StatusOK || json.Unmarshal(answer, &service) != nil {
			return holds(false, "GET of the APIService %s answers %d", c.operands[1], status)
		}
		s := service.Spec
		ok := s.Service.Namespace+"/"+s.Service.Name == c.operands[0] && strings.HasPrefix(f.typed.Path, "/apis/"+s.Group+"/"+s.Version) && (f.sent.Status != http.StatusServiceUnavailable) == reached
		return holds(ok, "the APIService has %s/%s and serves %s/%s; the answer is %d", s.Service.Namespace, s.Service.Name, s.Group, s.Version, f.sent.Status)
	}
}

func checkBody(f *facts, c *claim) finding {
	var known []string
	for _, object := range [][]byte{f.event.RequestObject, f.typed.Body, f.event.ResponseObject} {
		if m := metaOf(object); m.Kind != "" && m.Kind != "Status" {
			known = append(known, m.APIVersion+" "+m.Kind)
		}
	}
	if f.event.Verb == "delete" || f.event.Verb == "deletecollection" {
		known = []string{"v1 DeleteOptions", "meta.k8s.io/v1 DeleteOptions"}
	}
	if k := f.kind(); k != nil && f.event.ObjectRef.Subresource == "" {
		known = append(known, k.apiVersion()+" "+k.kind)
	}
	return holds(slices.Contains(known, c.operands[0]), "the objects of the audit event and the body are %q", known)
}

func checkOwner(f *facts, c *claim) finding {
	if f.event.ResponseStatus.Code >= http.StatusBadRequest {
		return holds(false, "the request failed: %s", f.message())
	}
	answer := f.answer()
	if answer.Kind == "Status" || answer.Metadata.ManagedFields == nil {
		return silent("the answer holds no managedFields")
	}
	var managers []string
	for _, entry := range answer.Metadata.ManagedFields {
		managers = append(managers, entry.Manager)
	}
	if !slices.Contains(managers, c.operands[0]) && f.typed.Method == http.MethodPatch && strings.Contains(f.typed.Path, "dryRun=") {
		return silent("the dry run of a patch that may change nothing")
	}
	return holds(slices.Contains(managers, c.operands[0]), "managedFields has the managers %q", managers)
}

func checkPlugins(phase string) func(f *facts, c *claim) finding {
	return func(f *facts, c *claim) finding {
		if c.process() != apiserver.Name {
			return silent("the counters are kube-apiserver's")
		}
		accepted, refused := f.plugins(phase, false), f.plugins(phase, true)
		n := strconv.Itoa(len(accepted))
		if n != c.operands[0] && f.disturbed() {
			return silent("another request was admitted at the same time")
		}
		return holds(n == c.operands[0] && (len(refused) == 0 || f.disturbed()), "%s plugins that accepted are counted, and refusals of %v", n, refused)
	}
}

func checkRefusal(f *facts, c *claim) finding {
	if c.process() != apiserver.Name {
		return silent("the counters are kube-apiserver's")
	}
	refused := f.plugins("admit", true)
	for name := range f.plugins("validate", true) {
		refused[name] = true
	}
	return holds(refused[c.operands[0]] && f.event.ResponseStatus.Code >= http.StatusBadRequest, "refusals of %v are counted, and the answer is %d", refused, f.event.ResponseStatus.Code)
}

// ofOwnHook limits a check to webhooks that kube-apiserver calls. An aggregated server
// calls them, too, but has no audit log.
func ofOwnHook(check func(f *facts, c *claim) finding) func(f *facts, c *claim) finding {
	return func(f *facts, c *claim) finding {
		if c.process() != apiserver.Name {
			return silent("the audit log is kube-apiserver's")
		}
		return check(f, c)
	}
}

// checkBrokenHook checks the failed call of a webhook. The answer has the error of this
// webhook, or only the refusal of another webhook, because the server returns the first
// error.
func checkBrokenHook(f *facts, c *claim) finding {
	answered := f.event.ResponseStatus.Code == http.StatusInternalServerError && contains(f.message(), c.operands[2])
	hungUp := strings.HasPrefix(c.operands[2], fmt.Sprintf("failed calling webhook %q: ", c.operands[0])) && strings.HasSuffix(c.operands[2], ": EOF")
	refused := f.event.ResponseStatus.Code == http.StatusForbidden && f.called("refuse", "refused")
	return holds(configured(c) && f.called(c.operands[0], "") && (answered || hungUp && refused),
		"the webhooks saw %v, and the answer is %d: %s", f.reviews, f.event.ResponseStatus.Code, f.message())
}

// mutated reports whether a mutating webhook changed the object, by the annotations of
// the audit event. known is false if they do not name the webhook.
func (f *facts) mutated(webhook, configuration string) (mutated, known bool) {
	for key, value := range f.event.Annotations {
		var said struct {
			Configuration, Webhook string
			Mutated                bool
		}
		if strings.HasPrefix(key, "mutation.webhook.admission.k8s.io/") && json.Unmarshal([]byte(value), &said) == nil && said.Webhook == webhook && said.Configuration == configuration {
			mutated, known = mutated || said.Mutated, true
		}
	}
	return mutated, known
}

// called reports whether a webhook was called and gave this answer.
func (f *facts) called(webhook, answer string) bool {
	name := strings.TrimPrefix(strings.TrimSuffix(webhook, ".story.example.com"), "mutate-")
	return slices.Contains(f.reviews, review{name, answer})
}

// configured reports whether world.yaml has the configuration that a claim names.
func configured(c *claim) bool {
	return c.operands[1] == "story-mutating" && strings.HasPrefix(c.operands[0], "mutate") || c.operands[1] == "story-validating" && !strings.HasPrefix(c.operands[0], "mutate")
}

func checkUnwritten(f *facts, _ *claim) finding {
	if f.key() == "" {
		return silent("the key of an aggregated server's object is not known")
	}
	var below []string
	for _, c := range f.changes {
		if c.Key == f.key() || strings.HasPrefix(c.Key, f.key()+"/") {
			below = append(below, fmt.Sprintf("%s %s at revision %d", c.Op, c.Key, c.Revision))
		}
	}
	return holds(len(below) == 0, "etcd's changes at and below %s: %q", f.key(), below)
}

func checkCacheHit(f *facts, c *claim) finding {
	revision, err := strconv.ParseInt(c.operands[0], 10, 64)
	own, _ := strconv.ParseInt(f.answer().Metadata.ResourceVersion, 10, 64)
	if err != nil || revision < own || revision > f.after {
		return holds(false, "etcd is at revision %d, and the answer has the resourceVersion %d", f.after, own)
	}
	if c.process() != apiserver.Name || f.event.Verb != "get" {
		return silent("the request reads other objects, too")
	}
	if !f.existed(f.key()) {
		return holds(false, "etcd has no key %s", f.key())
	}
	reads := f.readsOf(f.resource())
	return holds(reads == 0 || f.disturbed(), "%v reads of %s from etcd are counted", reads, f.resource())
}

func checkCachedList(f *facts, c *claim) finding {
	if f.event.ResponseStatus.Code != http.StatusOK {
		// The server may fail to write the list that the cache has answered.
		revision, err := strconv.ParseInt(c.operands[0], 10, 64)
		ok := err == nil && revision > 0 && revision <= f.after && f.event.ResponseStatus.Code == http.StatusNotAcceptable
		return holds(ok, "the answer is %d: %s; etcd is at revision %d", f.event.ResponseStatus.Code, f.message(), f.after)
	}
	if f.event.Verb != "list" {
		return silent("the answer is no list")
	}
	if version := f.answer().Metadata.ResourceVersion; version == "" && c.process() != apiserver.Name && f.mediaType() == "application/vnd.kubernetes.protobuf" {
		return silent("the audit event does not have the list of an aggregated server, and the answer has it in protobuf")
	} else if version != c.operands[0] {
		return holds(false, "the list has the resourceVersion %q", version)
	}
	if c.process() != apiserver.Name {
		return holds(true, "the list has this resourceVersion")
	}
	every := func(map[string]string) bool { return true }
	n := f.counted("apiserver_cache_list_total", f.resource(), every) + f.counted("apiserver_storage_list_total", f.resource(), func(l map[string]string) bool { return l["storage"] == "watchcache" })
	return holds(n > 0, "%v lists from the watch cache are counted", n)
}

func checkEtcdRead(f *facts, c *claim) finding {
	if !f.within(c.operands[1]) {
		return holds(false, "etcd was at revision %d before the request, and at %d after it", f.before, f.after)
	}
	if c.process() != apiserver.Name || f.key() == "" {
		ref := f.event.ObjectRef
		end := path.Join("/", ref.Resource, ref.Namespace, ref.Name)
		return holds(strings.HasSuffix(strings.TrimSuffix(c.operands[0], "/"), end), "the key of the request ends with %s", end)
	}
	reads := f.readsOf(f.resource())
	keys := []string{f.key()}
	if namespace, ok := strings.CutPrefix(f.query("fieldSelector"), "metadata.namespace="); ok && f.event.ObjectRef.Namespace == "" {
		keys = append(keys, f.key()+"/"+namespace) // a list of all namespaces reads only the selected one
	}
	if start := f.start(); start != "" {
		keys = append(keys, f.key()+"/"+start) // up to v1.31, a further page is read from its first key on
	}
	// Up to v1.31, a list with a limit and a selector reads on behind the last key that it
	// has seen, until it has enough objects (GetList in etcd3/store.go).
	if last, ok := strings.CutSuffix(c.operands[0], "\x00"); ok && f.query("limit") != "" && strings.HasPrefix(last, f.key()+"/") && f.existed(last) {
		keys = append(keys, c.operands[0])
	}
	return holds(slices.Contains(keys, strings.TrimSuffix(c.operands[0], "/")) && reads > 0, "the keys of the request are %q, and %v reads of %s are counted", keys, reads, f.resource())
}

// checkFreshness checks a read of etcd's revision. v1.37 counts it as a separate
// operation (GetCurrentResourceVersion in apiserver/pkg/storage/etcd3/store.go).
func checkFreshness(f *facts, c *claim) finding {
	if !f.within(c.operands[1]) {
		return holds(false, "etcd was at revision %d before the request, and at %d after it", f.before, f.after)
	}
	if f.event.ObjectRef == nil {
		return holds(false, "the request names no resource")
	}
	if c.process() != apiserver.Name || f.root() == "" {
		return holds(strings.HasSuffix(c.operands[0], "/"+f.event.ObjectRef.Resource), "the resource is %s", f.event.ObjectRef.Resource)
	}
	n := f.counted("etcd_requests_total", f.resource(), func(l map[string]string) bool { return l["operation"] == "getCurrentResourceVersion" })
	return holds(n > 0 && strings.TrimSuffix(c.operands[0], "/") == f.root(), "the keys of the resource begin with %s, and %v reads of the revision are counted", f.root(), n)
}

// checkInnerRead checks a read of any keys in etcd.
func checkInnerRead(f *facts, c *claim) finding {
	if !f.within(c.operands[1]) {
		return holds(false, "etcd was at revision %d before the request, and at %d after it", f.before, f.after)
	}
	if f.event.ObjectRef == nil {
		// A health check reads a key that does not exist, which is counted nowhere
		// (apiserver/pkg/storage/storagebackend/factory/etcd3.go).
		health := strings.Contains(f.typed.Path, "healthz") || strings.Contains(f.typed.Path, "livez") || strings.Contains(f.typed.Path, "readyz")
		return holds(health && c.operands[0] == "/registry/health", "the path is %s", f.typed.Path)
	}
	key := strings.TrimSuffix(c.operands[0], "/")
	// The deletion of a service also reads its endpoints, which need not exist.
	known := key == f.key() || len(f.stored(key)) > 0 || strings.HasSuffix(key, path.Join("/", f.event.ObjectRef.Namespace, f.event.ObjectRef.Name))
	if c.process() != apiserver.Name {
		return holds(known, "etcd has the key or keys below it: %t", known)
	}
	reads := 0.0
	for _, counted := range f.metrics.grown(f.metricsBefore, "etcd_requests_total") {
		if operation := counted.labels["operation"]; operation == "get" || strings.HasPrefix(operation, "list") {
			reads += counted.by
		}
	}
	return holds(known && reads > 0, "the key of the request is %s; etcd has the key or keys below it: %t; %v reads are counted", f.key(), known, reads)
}

func checkStoredForm(f *facts, c *claim) finding {
	if f.key() == "" {
		return silent("the key of an aggregated server's object is not known")
	}
	var known []string
	for _, stored := range f.stored(f.key()) {
		known = append(known, stored.APIVersion+" "+stored.Kind)
	}
	return holds(slices.Contains(known, c.operands[0]), "below %s etcd has objects of %q", f.key(), slices.Compact(known))
}

func checkAnswer(f *facts, c *claim) finding {
	ok := c.operands[0] == strconv.Itoa(f.sent.Status) && f.event.ResponseStatus.Code == f.sent.Status
	if len(c.operands) > 1 {
		ok = ok && c.operands[1] == f.mediaType()
	}
	return holds(ok, "the answer is %d, as %q; the audit event has %d", f.sent.Status, f.sent.Header.Get("Content-Type"), f.event.ResponseStatus.Code)
}

func checkEvent(f *facts, c *claim) finding {
	change := f.change("", "", c.operands[1])
	if change == nil {
		return holds(false, "etcd has no change of this revision")
	}
	return holds(change.event() == c.operands[0], "at this revision %s is %s", change.Key, change.event())
}

// checkSent looks for the event in the answer. etcd's changes during the request do not
// suffice for two reasons: a watch can begin with events for changes before the request,
// and a selector can change the type of an event.
func checkSent(f *facts, c *claim) finding {
	if f.mediaType() != "application/json" {
		parts := strings.Split(c.operands[1], "/")
		words := append([]string{c.operands[0]}, parts[len(parts)-1])
		if k := f.kind(); k != nil && k.namespaced && len(parts) > 1 {
			words = append(words, parts[len(parts)-2])
		}
		// A string in protobuf stands behind its length.
		lacks := slices.DeleteFunc(words, func(w string) bool { return bytes.Contains(f.sent.Body, append([]byte{byte(len(w))}, w...)) })
		return holds(len(lacks) == 0, "the answer %d in %s lacks the words %q", f.sent.Status, f.mediaType(), lacks)
	}
	sent := f.watched()
	has := slices.ContainsFunc(sent, func(e watched) bool {
		return e.kind == c.operands[0] && (e.version == c.operands[1] || e.name != "" && strings.HasSuffix(c.operands[1], path.Join("/", e.namespace, e.name)))
	})
	return holds(has, "the answer %d has the events %+v", f.sent.Status, sent)
}

// missingKey matches kube-apiserver's error for a key that etcd does not have.
var missingKey = regexp.MustCompile(`^StorageError: key not found, Code: 1, Key: (\S+), ResourceVersion: \d+, AdditionalErrorMsg: ?(<nil>)?$`)

func checkError(f *facts, c *claim) finding {
	if contains(f.message(), c.operands[0]) {
		return holds(true, "the message is %s", f.message())
	}
	if m := missingKey.FindStringSubmatch(c.operands[0]); m != nil {
		_, has := f.world.history.keys[m[1]]
		return holds(!has, "etcd has the key %s: %t", m[1], has)
	}
	if f.message() == "" && f.typed.Method == http.MethodHead {
		return silent("the answer to HEAD has no body, and the audit event has no message")
	}
	if c.operands[0] == f.last {
		return holds(false, "the message is %s", f.message())
	}
	return silent("the answer does not repeat an inner error")
}

// cut matches the text that the probe writes in place of the end of a long text.
var cut = regexp.MustCompile(`(?s)… \(\d+ bytes more\)$`)

// contains reports whether a message contains the text of an error, which may be cut.
func contains(message, text string) bool {
	return text != "" && strings.Contains(message, cut.ReplaceAllString(text, ""))
}

func checkStatus(f *facts, c *claim) finding {
	reason := f.event.ResponseStatus.Reason
	if reason == "" {
		reason = metaOf(f.sent.Body).Reason
	}
	if reason == "" && f.typed.Method == http.MethodHead { // without a body
		return holds(strings.HasSuffix(c.operands[0], " "+strconv.Itoa(f.sent.Status)), "the answer is %d", f.sent.Status)
	}
	said := strings.TrimSpace(reason + " " + strconv.Itoa(f.sent.Status))
	return holds(said == c.operands[0], "the answer is %s", said)
}

// TestEverySentenceHasARule compares the rules with the sentences in the source of
// package view. A new kind of sentence needs a rule: with a check, or with the reason why
// there is none.
func TestEverySentenceHasARule(t *testing.T) {
	said := map[string]bool{}
	for _, file := range []string{"rules.go", "sentences.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), "../../view/"+file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "says") || len(spec.Values) == 0 {
				return true
			}
			call, ok := spec.Values[0].(*ast.CallExpr)
			if !ok {
				t.Fatalf("%s: %s is not a call of message.Of", file, spec.Names[0].Name)
			}
			text, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			said[text] = true
			return true
		})
	}
	if len(said) < 50 {
		t.Errorf("found %d kinds of sentences in view, expected at least 50", len(said))
	}
	for text := range said {
		if _, ok := rules[text]; !ok {
			t.Errorf("no rule for the sentence %q: add one with the fact in upstream's data that proves it", text)
		}
	}
	for text, rule := range rules {
		if !said[text] {
			t.Errorf("there is a rule for %q, but view has no such sentence", text)
		}
		if rule.fact == "" {
			t.Errorf("the rule for %q has an empty field fact", text)
		}
	}
}
