package story

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubeapitrace/apitrace/scenarios"
)

// A kind is a resource of the API, and how to write its objects.
type kind struct {
	group, version, plural, kind string
	namespaced                   bool
	subresources                 []string
	// content has the fields of the object except apiVersion, kind and metadata, as JSON.
	content string
}

var kinds = []kind{
	{"", "v1", "configmaps", "ConfigMap", true, nil, `"data":{"color":"green"}`},
	{"", "v1", "configmaps", "ConfigMap", true, nil, `"data":{"color":"green","shape":"round"}`},
	{"", "v1", "secrets", "Secret", true, nil, `"stringData":{"word":"hidden-two"}`},
	{"", "v1", "pods", "Pod", true, []string{"status", "log", "eviction", "binding", "ephemeralcontainers", "proxy"}, `"spec":{"containers":[{"name":"c","image":"i:2"}]}`},
	{"", "v1", "services", "Service", true, []string{"status"}, `"spec":{"ports":[{"port":8080}]}`},
	{"", "v1", "serviceaccounts", "ServiceAccount", true, []string{"token"}, `"automountServiceAccountToken":false`},
	{"", "v1", "nodes", "Node", false, []string{"status"}, `"spec":{"unschedulable":true}`},
	{"", "v1", "namespaces", "Namespace", false, []string{"status", "finalize"}, `"spec":{}`},
	{"apps", "v1", "deployments", "Deployment", true, []string{"status", "scale"}, `"spec":{"replicas":1,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i:3"}]}}}`},
	{"coordination.k8s.io", "v1", "leases", "Lease", true, nil, `"spec":{"holderIdentity":"me"}`},
	{"rbac.authorization.k8s.io", "v1", "roles", "Role", true, nil, `"rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["delete"]}]`},
	{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, []string{"status"}, `"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"x"}}}`},
	{"story.example.com", "v1", "widgets", "Widget", true, []string{"status", "scale"}, `"spec":{"size":4}`},
	{"story.example.com", "v1", "gizmos", "Gizmo", false, nil, `"anything":{"goes":true}`},
	{"wardle.example.com", "v1alpha1", "flunders", "Flunder", true, nil, `"spec":{"reference":"story/a","referenceType":"Flunder"}`},
	{"ghost.example.com", "v1", "ghosts", "Ghost", false, nil, `"spec":{}`},
}

// reviewed are resources that can only be created, and are not stored.
var reviewed = []kind{
	{"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false, nil, `"spec":{"resourceAttributes":{"verb":"get","resource":"configmaps","namespace":"story"}}`},
	{"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false, nil, `"spec":{"user":"bob","resourceAttributes":{"verb":"delete","resource":"nodes"}}`},
	{"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false, nil, `"spec":{"token":"no-such-token"}`},
}

// path returns the path of the collection, or of an object if name is not "". If
// namespace is "", it is the collection in all namespaces.
func (k *kind) path(namespace, name, subresource string) string {
	path := "/apis/" + k.group + "/" + k.version
	if k.group == "" {
		path = "/api/" + k.version
	}
	if k.namespaced && namespace != "" {
		path += "/namespaces/" + namespace
	}
	for _, part := range []string{k.plural, name, subresource} {
		if part != "" {
			path += "/" + part
		}
	}
	return path
}

func (k *kind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// A generator makes requests from random numbers. Of the server's state, it knows only the
// fields below.
type generator struct {
	*rand.Rand
	// revision is etcd's revision before the request.
	revision int64
	// next is the continue token of the last list that had one. nextPath is the path of
	// this list.
	next, nextPath string
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[V any](g *generator, of ...V) V { return of[g.IntN(len(of))] }

// request makes request number n of a seed. Its random numbers do not depend on earlier
// requests.
func (g *generator) request(seed, n uint64) *scenarios.TypedRequest {
	g.Rand = rand.New(rand.NewPCG(seed, n))
	r := &scenarios.TypedRequest{As: pick(g, scenarios.Admin, scenarios.Admin, scenarios.Learner)}
	switch roll := g.IntN(100); {
	case roll < 2:
		r.As = scenarios.Anonymous
	case roll < 4:
		r.As = scenarios.Stranger
	case roll < 12:
		g.impersonate(r)
	}
	switch roll := g.IntN(100); {
	case roll < 9:
		g.elsewhere(r)
	case roll < 13:
		g.review(r)
	default:
		g.resource(r)
	}
	r.Headers = append(r.Headers, fmt.Sprintf("Audit-Id: story-%d-%d", seed, n))
	return r
}

func (g *generator) impersonate(r *scenarios.TypedRequest) {
	user := pick(g, "bob", "bob", "alice", "learner", "system:serviceaccount:story:a", "system:node:a")
	switch roll := g.IntN(10); {
	case roll < 8:
		r.Headers = append(r.Headers, "Impersonate-User: "+user)
		if g.chance(40) {
			r.Headers = append(r.Headers, "Impersonate-Group: "+pick(g, "devs", "system:masters", "nobody"))
		}
		if g.chance(20) {
			r.Headers = append(r.Headers, "Impersonate-Uid: 7")
		}
	case roll < 9:
		r.Headers = append(r.Headers, "Impersonate-Group: devs")
	default:
		r.Headers = append(r.Headers, "Impersonate-Extra-Scopes: view", "Impersonate-User: "+user)
	}
}

// elsewhere makes a request for discovery, for a health check, or for a path that does
// not exist.
func (g *generator) elsewhere(r *scenarios.TypedRequest) {
	r.Method = pick(g, "GET", "GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "DELETE")
	r.Path = pick(g, "/", "/version", "/healthz", "/livez/ping", "/readyz?verbose", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/story.example.com/v1",
		"/apis/wardle.example.com/v1alpha1", "/apis/ghost.example.com/v1", "/openapi/v3", "/nowhere", "/apis/nowhere", "/apis/nowhere/v1/things", "/apis/apps/v9/deployments", "/api/v1/things",
		"/api/v1/namespaces/story/things/a", "/api/v1/namespaces/story/configmaps/a/b/c", "/apis/story.example.com/v1/namespaces/story/widgets/a/nothing", "/api/v1/watch/namespaces/story/configmaps?timeoutSeconds=1",
		"/version?timeout=soon", "//api/v1/nodes", "/api/v1/namespaces//configmaps")
	for range 3 { // discovery has several media types, so try to choose one
		if len(r.Headers) == 0 {
			g.accept(r)
		}
	}
}

func (g *generator) review(r *scenarios.TypedRequest) {
	k := pick(g, reviewed...)
	r.Method, r.Path = "POST", k.path("", "", "")
	g.body(r, &k, "", "")
	g.accept(r)
}

// resource makes a request for objects.
func (g *generator) resource(r *scenarios.TypedRequest) {
	k := pick(g, kinds...)
	namespace := pick(g, "story", "story", "story", "story", "story", "story-counted", "story-strict", "story-full", "story-ending", "default", "story-none", "Not_A_Name")
	if g.chance(80) {
		namespace = "story"
	}
	name := pick(g, "a", "a", "a", "a", "a", "a", "a", "a", "b", "still", "c", "d", "none", "Not_A_Name")
	subresource := ""
	if len(k.subresources) > 0 && g.chance(25) {
		subresource = pick(g, k.subresources...)
	}
	if g.chance(2) {
		subresource = "nothing"
	}
	switch roll := g.IntN(100); {
	case roll < 24:
		r.Method, r.Path = "GET", k.path(namespace, name, subresource)
		g.query(r, g.readOptions()...)
	case roll < 42:
		r.Method, r.Path = "GET", k.path(pick(g, namespace, namespace, ""), "", "")
		g.list(r)
	case roll < 46:
		r.Method, r.Path = "GET", k.path(namespace, "", "")
		g.watch(r)
	case roll < 62:
		r.Method, r.Path = "POST", k.path(namespace, "", "")
		if subresource != "" {
			r.Path = k.path(namespace, name, subresource)
		}
		g.body(r, &k, namespace, pick(g, name, fmt.Sprintf("n%d", g.IntN(1000)), fmt.Sprintf("n%d", g.IntN(1000))))
		g.query(r, g.writeOptions()...)
	case roll < 72:
		r.Method, r.Path = "PUT", k.path(namespace, name, subresource)
		g.body(r, &k, namespace, name)
		g.query(r, g.writeOptions()...)
	case roll < 87:
		r.Method, r.Path = "PATCH", k.path(namespace, name, subresource)
		g.patch(r, &k, namespace, name)
	case roll < 94:
		r.Method, r.Path = "DELETE", k.path(namespace, name, subresource)
		g.deletion(r)
	case roll < 96:
		r.Method, r.Path = "DELETE", k.path(namespace, "", "")
		g.deletion(r)
		g.query(r, "labelSelector="+pick(g, "app%3Dx", "app%3Dnone", "a%3D%3D%3Db"))
	case roll < 98:
		r.Method, r.Path = pick(g, "POST", "HEAD", "OPTIONS"), k.path(namespace, name, "")
	default:
		r.Method, r.Path = pick(g, "PUT", "PATCH", "HEAD"), k.path(namespace, "", "")
		g.body(r, &k, namespace, name)
	}
	g.accept(r)
}

// query adds options to the path.
func (g *generator) query(r *scenarios.TypedRequest, options ...string) {
	for _, option := range options {
		separator := "?"
		if strings.Contains(r.Path, "?") {
			separator = "&"
		}
		r.Path += separator + option
	}
}

// version returns a resource version for a request: 0, current, old, of the future, or
// invalid.
func (g *generator) version() string {
	switch roll := g.IntN(20); {
	case roll < 8:
		return "0"
	case roll < 13:
		return strconv.FormatInt(g.revision, 10)
	case roll < 16:
		return strconv.FormatInt(max(1, g.revision-int64(g.IntN(40))), 10)
	case roll < 17:
		return "1"
	case roll < 18:
		return strconv.FormatInt(g.revision+100_000, 10)
	case roll < 19:
		return "-5"
	}
	return "newest"
}

func (g *generator) readOptions() (options []string) {
	if g.chance(50) {
		options = append(options, "resourceVersion="+g.version())
	}
	if g.chance(5) {
		options = append(options, "resourceVersionMatch=Exact")
	}
	if g.chance(5) {
		options = append(options, "pretty=true")
	}
	if g.chance(2) {
		options = append(options, "timeout="+pick(g, "5s", "soon", "-1s"))
	}
	return options
}

func (g *generator) list(r *scenarios.TypedRequest) {
	if g.next != "" && g.chance(20) {
		r.Path = g.nextPath
		g.query(r, "limit=1", "continue="+url.QueryEscape(g.next))
		return
	}
	if g.chance(55) {
		g.query(r, "resourceVersion="+g.version())
	}
	if g.chance(30) {
		g.query(r, "resourceVersionMatch="+pick(g, "Exact", "NotOlderThan", "NotOlderThan", "Newest"))
	}
	if g.chance(30) {
		g.query(r, "limit="+pick(g, "1", "2", "500", "-1", "many"))
	}
	if g.chance(4) {
		g.query(r, "continue=broken")
	}
	if g.chance(20) {
		g.query(r, "labelSelector="+pick(g, "app%3Dx", "app", "app%20in%20(x,y)", "!app", "a%3D%3D%3Db"))
	}
	if g.chance(15) {
		g.query(r, "fieldSelector="+pick(g, "metadata.name%3Da", "metadata.name%3Da", "metadata.namespace%3Dstory", "spec.nowhere%3D1", "status.phase%3DRunning", "=%3D"))
	}
}

// watch makes a watch that ends by itself.
func (g *generator) watch(r *scenarios.TypedRequest) {
	g.query(r, "watch="+pick(g, "true", "true", "true", "1", "perhaps"), "timeoutSeconds=1")
	if g.chance(70) {
		g.query(r, "resourceVersion="+g.version())
	}
	if g.chance(30) {
		g.query(r, "allowWatchBookmarks=true")
	}
	if g.chance(25) {
		g.query(r, "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan")
	}
	if g.chance(30) {
		g.query(r, pick(g, "labelSelector=app%3Dx", "labelSelector=app%3Dnone", "fieldSelector=metadata.name%3Da"))
	}
}

func (g *generator) writeOptions() (options []string) {
	switch roll := g.IntN(100); {
	case roll < 20:
		options = append(options, "dryRun=All")
	case roll < 22:
		options = append(options, "dryRun=Some")
	}
	if g.chance(25) {
		options = append(options, "fieldValidation="+pick(g, "Strict", "Warn", "Warn", "Ignore", "Ignore", "Lax"))
	}
	if g.chance(20) {
		options = append(options, "fieldManager="+pick(g, "one", "one", "two", "two", "me%0A"))
	}
	return options
}

// hookLabels are values of the label "story". Webhooks and policies choose objects by it.
var hookLabels = []string{"plain", "plain", "plain", "mutate", "mutate", "accept", "accept", "refuse", "broken", "broken", "ignored", "two-mutating", "two-validating", "two-validating", "policy-deny", "policy-warn", "policy-error"}

// object returns an object as JSON, sometimes with a mistake.
func (g *generator) object(k *kind, namespace, name string) string {
	apiVersion, kind := k.apiVersion(), k.kind
	metadata := map[string]any{"name": name}
	if g.chance(5) {
		delete(metadata, "name")
		metadata["generateName"] = pick(g, "gen-", "gen-", "Gen_")
	}
	if g.chance(70) {
		metadata["labels"] = map[string]string{"app": pick(g, "x", "y"), "story": pick(g, hookLabels...)}
	}
	if k.namespaced && g.chance(30) {
		metadata["namespace"] = pick(g, namespace, namespace, namespace, "default")
	}
	if g.chance(5) {
		metadata["resourceVersion"] = pick(g, "1", strconv.FormatInt(g.revision, 10), "newest")
	}
	if g.chance(2) {
		metadata["uid"] = "11111111-1111-1111-1111-111111111111"
	}
	if g.chance(5) {
		metadata["finalizers"] = []string{pick(g, "story.example.com/wait", "wait")}
	}
	switch g.IntN(80) {
	case 0:
		kind = "Thing"
	case 1:
		apiVersion = pick(g, "v9", "apps/v9", "v1", "a/b/c")
	case 2:
		kind, apiVersion = "", ""
	case 3:
		kind, apiVersion = "ConfigMap", "v1"
	}
	head, err := json.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata})
	if err != nil {
		panic(err) // impossible for strings and maps of strings
	}
	content := k.content
	switch g.IntN(28) {
	case 0:
		content += `,"nowhere":1`
	case 1:
		content += "," + content // a field twice
	case 2:
		content = pick(g, `"spec":7`, `"data":[]`, `"spec":{"replicas":-1,"size":-1,"containers":[]}`, `"data":{"":"x","/":"y"}`)
	}
	return strings.TrimSuffix(string(head), "}") + "," + content + "}"
}

// body gives the request an object as its body, in one of several media types, sometimes
// with a mistake.
func (g *generator) body(r *scenarios.TypedRequest, k *kind, namespace, name string) {
	text := g.object(k, namespace, name)
	if subresource := r.Path[strings.LastIndex(r.Path, "/")+1:]; g.chance(85) {
		text = g.subresourceBody(k, subresource, name, text)
	}
	media := "application/json"
	switch g.IntN(48) {
	case 0:
		text = text[:g.IntN(len(text))]
	case 1:
		text = pick(g, "", "null", "[]", `"text"`, "7", "{}")
	case 2, 3:
		media = "application/yaml"
	case 4:
		media = pick(g, "text/plain", "application/xml", "application/merge-patch+json", "nonsense")
	case 5, 6:
		if k.kind == "ConfigMap" {
			r.Body, media = protobufMap(name), "application/vnd.kubernetes.protobuf"
		}
	case 7:
		media, r.Body = "application/vnd.kubernetes.protobuf", []byte("k8s\x00broken")
	}
	if r.Body == nil {
		r.Body = []byte(text)
	}
	r.Headers = append(r.Headers, "Content-Type: "+media)
}

// subresourceBody returns the body that a subresource expects. For other subresources and
// for objects, it returns text.
func (g *generator) subresourceBody(k *kind, subresource, name, text string) string {
	switch subresource {
	case "scale":
		return fmt.Sprintf(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":%q,"namespace":"story"},"spec":{"replicas":%d}}`, name, g.IntN(5)-1)
	case "eviction":
		return fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q}}`, name)
	case "binding":
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":%q},"target":{"kind":"Node","name":"a"}}`, name)
	case "token":
		return `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["x"]}}`
	case "status":
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},"status":{"replicas":1,"size":2,"phase":"Running"}}`, k.apiVersion(), k.kind, name)
	}
	return text
}

// protobufMap returns a ConfigMap in the encoding of Kubernetes' protobuf.
func protobufMap(name string) []byte {
	raw, err := (&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"color": "purple"}}).Marshal()
	if err != nil {
		panic(err) // impossible: the object is valid
	}
	whole, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Raw: raw}).Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), whole...)
}

// patch gives the request a patch of one of the four types, sometimes with a mistake.
func (g *generator) patch(r *scenarios.TypedRequest, k *kind, namespace, name string) {
	media := pick(g, "application/json-patch+json", "application/merge-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml",
		"application/apply-patch+yaml")
	if g.chance(4) {
		media = pick(g, "application/json", "text/plain", "nonsense")
	}
	color := pick(g, "red", "blue", "yellow")
	text := pick(g,
		fmt.Sprintf(`{"metadata":{"labels":{"story":%q}}}`, pick(g, hookLabels...)),
		fmt.Sprintf(`{"data":{"color":%q}}`, color), fmt.Sprintf(`{"spec":{"replicas":%d,"size":%d}}`, g.IntN(4), g.IntN(4)),
		`{}`, `{}`, `{}`, `{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"name":"other"}}`, `{"nowhere":1}`, `{"spec":null}`, `{"kind":"Thing"}`, `{"metadata":{"finalizers":null}}`)
	options := g.writeOptions()
	switch {
	case strings.Contains(media, "json-patch"):
		text = pick(g,
			fmt.Sprintf(`[{"op":"add","path":"/metadata/labels","value":{"story":%q}}]`, pick(g, hookLabels...)),
			fmt.Sprintf(`[{"op":"replace","path":"/data/color","value":%q}]`, color), `[{"op":"test","path":"/metadata/name","value":"a"}]`,
			`[{"op":"test","path":"/metadata/name","value":"z"}]`, `[{"op":"remove","path":"/nowhere"}]`, `[{"op":"jump","path":"/"}]`, `[]`, `[]`)
	case strings.Contains(media, "apply"):
		text = g.object(k, namespace, name)
		if g.chance(40) {
			options = append(options, "force="+pick(g, "true", "false", "maybe"))
		}
		if g.chance(85) && !slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "fieldManager") }) {
			options = append(options, "fieldManager="+pick(g, "one", "two"))
		}
	}
	if g.chance(5) {
		text = text[:g.IntN(len(text))]
	}
	r.Body = []byte(text)
	r.Headers = append(r.Headers, "Content-Type: "+media)
	g.query(r, options...)
}

func (g *generator) deletion(r *scenarios.TypedRequest) {
	if g.chance(20) {
		g.query(r, "dryRun=All")
	}
	if g.chance(30) {
		g.query(r, "gracePeriodSeconds="+pick(g, "0", "0", "30", "-1", "long"))
	}
	if g.chance(20) {
		g.query(r, "propagationPolicy="+pick(g, "Orphan", "Foreground", "Background", "Slow"))
	}
	if g.chance(30) {
		r.Body = []byte(pick(g,
			`{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"11111111-1111-1111-1111-111111111111"}}`,
			`{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":"1"}}`,
			`{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0}`,
			`{"apiVersion":"v1","kind":"DeleteOptions","dryRun":["All"]}`,
			`{"apiVersion":"v1","kind":"ConfigMap"}`, `{"kind":`))
		r.Headers = append(r.Headers, "Content-Type: application/json")
	}
}

// accept chooses the media type of the answer.
func (g *generator) accept(r *scenarios.TypedRequest) {
	if g.chance(75) {
		return // JSON
	}
	r.Headers = append(r.Headers, "Accept: "+pick(g,
		"application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io",
		"application/json;as=Table;v=v1;g=meta.k8s.io, application/json", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
		"*/*", "text/plain", "application/json;as=Poem;v=v1;g=meta.k8s.io", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"))
}
