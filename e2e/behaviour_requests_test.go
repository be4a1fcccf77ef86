package e2e

// behaviourNamespace holds all objects of the comparison. The requests leave it empty.
const behaviourNamespace = "behaviour"

// The users that send a request. The empty user is the admin.
const (
	learner  = "learner"
	stranger = "stranger" // has a token that the server does not know
)

// An exchange is one request of the comparison, and the expected status.
type exchange struct {
	name string
	as   string // "": the admin
	// path and body may contain {continue} and {resourceVersion}. They stand for the
	// metadata of the previous answer.
	method, path, body string
	// header overrides the default headers, which ask for JSON and send JSON.
	header map[string]string
	// status is the expected status of the answer.
	status int
	// since is the first minor version that answers with this status. "" means v1.16.
	since string
	// during are requests that are sent while this request, a watch, is open. The watch
	// ends after one event for each of them.
	during []exchange
}

const (
	configMaps  = "/api/v1/namespaces/" + behaviourNamespace + "/configmaps"
	deployments = "/apis/apps/v1/namespaces/" + behaviourNamespace + "/deployments"

	mapA = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"app":"x"}},"data":{"k":"v"}}`
	mapB = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","finalizers":["example.com/wait"]},"data":{"k":"v"}}`
	// The container has two variables with the same name, so the server sends a
	// warning.
	web = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},
		"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"E","value":"1"},{"name":"E","value":"2"}]}]}}}}`
	webInvalid = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"Wrong_Name"},"spec":{"replicas":-1,"selector":{"matchLabels":{"app":"web"}},
		"template":{"metadata":{"labels":{"app":"other"}},"spec":{"containers":[]}}}}`
	sideCar = `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"j"}]}}}}`

	appliedMap   = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"k":"v"}}`
	appliedAgain = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"k":"w","l":"x"}}`

	watched = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"watched"}}`
)

var (
	mergePatch     = map[string]string{"Content-Type": "application/merge-patch+json"}
	jsonPatch      = map[string]string{"Content-Type": "application/json-patch+json"}
	strategicPatch = map[string]string{"Content-Type": "application/strategic-merge-patch+json"}
	applyPatch     = map[string]string{"Content-Type": "application/apply-patch+yaml"}
)

func accept(mediaType string) map[string]string { return map[string]string{"Accept": mediaType} }

// exchanges are sent in this order.
var exchanges = []exchange{
	// Requests that need no storage.
	{name: "version", method: "GET", path: "/version", status: 200},
	{name: "health", method: "GET", path: "/healthz", status: 200},
	{name: "readiness in words", method: "GET", path: "/readyz?verbose", status: 200},
	{name: "old discovery", method: "GET", path: "/apis/apps/v1", status: 200},
	{name: "aggregated discovery", since: "v1.30", method: "GET", path: "/apis", status: 200, header: accept("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")},
	{name: "OpenAPI index", since: "v1.24", method: "GET", path: "/openapi/v3", status: 200},
	{name: "OpenAPI of a group", since: "v1.24", method: "GET", path: "/openapi/v3/apis/apps/v1", status: 200},
	{name: "no such path", method: "GET", path: "/nowhere", status: 404},
	{name: "no such resource", method: "GET", path: "/apis/apps/v1/nowhere", status: 404},
	{name: "wrong method", method: "POST", path: configMaps + "/a", body: mapA, status: 405},

	// Authentication and authorization.
	{name: "unknown token", as: stranger, method: "GET", path: configMaps, status: 401},
	{name: "forbidden read", as: learner, method: "GET", path: configMaps + "/a", status: 403},
	{name: "forbidden write", as: learner, method: "POST", path: configMaps, body: mapA, status: 403},
	{name: "own rights", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", status: 201,
		body: `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","resource":"secrets","namespace":"behaviour"}}}`},

	// Writes, and reads of the written objects.
	{name: "get a missing object", method: "GET", path: configMaps + "/a", status: 404},
	{name: "create, dry run", method: "POST", path: configMaps + "?dryRun=All", body: mapA, status: 201},
	{name: "get after the dry run", method: "GET", path: configMaps + "/a", status: 404},
	{name: "create", method: "POST", path: configMaps, body: mapA, status: 201},
	{name: "create again", method: "POST", path: configMaps, body: mapA, status: 409},
	{name: "create with a finalizer", method: "POST", path: configMaps, body: mapB, status: 201},
	{name: "create with warnings", method: "POST", path: deployments + "?fieldValidation=Warn", body: web, status: 201},
	{name: "create invalid", method: "POST", path: deployments, body: webInvalid, status: 422},
	{name: "create from broken JSON", method: "POST", path: configMaps, body: `{"apiVersion":`, status: 400},
	{name: "create with an unknown field", since: "v1.25", method: "POST", path: configMaps + "?fieldValidation=Strict", body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"date":{}}`, status: 400},
	{name: "create from plain text", method: "POST", path: configMaps, body: mapA, status: 415, header: map[string]string{"Content-Type": "text/plain"}},
	{name: "list", method: "GET", path: configMaps, status: 200},
	{name: "list by label", method: "GET", path: configMaps + "?labelSelector=app%3Dx", status: 200},
	{name: "first page", method: "GET", path: configMaps + "?limit=1", status: 200},
	{name: "second page", method: "GET", path: configMaps + "?limit=1&continue={continue}", status: 200},
	{name: "broken page", method: "GET", path: configMaps + "?limit=1&continue=broken", status: 400},
	{name: "table", method: "GET", path: configMaps, status: 200, header: accept("application/json;as=Table;v=v1;g=meta.k8s.io")},
	{name: "metadata alone", method: "GET", path: deployments + "/web", status: 200, header: accept("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")},
	{name: "protobuf object", method: "GET", path: deployments + "/web", status: 200, header: accept("application/vnd.kubernetes.protobuf")},
	{name: "protobuf list", method: "GET", path: configMaps, status: 200, header: accept("application/vnd.kubernetes.protobuf")},
	{name: "not acceptable", method: "GET", path: configMaps + "/a", status: 406, header: accept("text/plain")},

	// Changes.
	{name: "get", method: "GET", path: configMaps + "/a", status: 200},
	{name: "update", method: "PUT", path: configMaps + "/a", status: 200,
		body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"{resourceVersion}"},"data":{"k":"w"}}`},
	{name: "update of an old state", method: "PUT", path: configMaps + "/a", status: 409,
		body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"},"data":{"k":"x"}}`},
	{name: "merge patch", method: "PATCH", path: configMaps + "/a", body: `{"data":{"k":null,"l":"1"}}`, header: mergePatch, status: 200},
	{name: "JSON patch", method: "PATCH", path: configMaps + "/a", body: `[{"op":"test","path":"/data/l","value":"1"},{"op":"add","path":"/data/m","value":"2"}]`, header: jsonPatch, status: 200},
	{name: "JSON patch whose test fails", method: "PATCH", path: configMaps + "/a", body: `[{"op":"test","path":"/data/l","value":"2"}]`, header: jsonPatch, status: 422},
	{name: "strategic patch", method: "PATCH", path: deployments + "/web", body: sideCar, header: strategicPatch, status: 200},
	{name: "apply, create", method: "PATCH", path: configMaps + "/applied?fieldManager=one", body: appliedMap, header: applyPatch, status: 201},
	{name: "apply, change", method: "PATCH", path: configMaps + "/applied?fieldManager=one", body: appliedAgain, header: applyPatch, status: 200},
	{name: "apply, conflict", method: "PATCH", path: configMaps + "/applied?fieldManager=two", body: appliedMap, header: applyPatch, status: 409},
	{name: "get scale", method: "GET", path: deployments + "/web/scale", status: 200},
	{name: "patch scale", method: "PATCH", path: deployments + "/web/scale", body: `{"spec":{"replicas":3}}`, header: mergePatch, status: 200},
	{name: "get after scaling", method: "GET", path: deployments + "/web", status: 200},

	{name: "watch", method: "GET", path: configMaps + "?watch=true&fieldSelector=metadata.name%3Dwatched", status: 200, during: []exchange{
		{name: "create while watched", method: "POST", path: configMaps, body: watched, status: 201},
		{name: "patch while watched", method: "PATCH", path: configMaps + "/watched", body: `{"data":{"k":"v"}}`, header: mergePatch, status: 200},
		{name: "delete while watched", method: "DELETE", path: configMaps + "/watched", status: 200},
	}},

	// Deletions.
	{name: "delete with a finalizer", method: "DELETE", path: configMaps + "/b", status: 200},
	{name: "get while it is being deleted", method: "GET", path: configMaps + "/b", status: 200},
	{name: "remove the finalizer", method: "PATCH", path: configMaps + "/b", body: `{"metadata":{"finalizers":null}}`, header: mergePatch, status: 200},
	{name: "get after the finalizer", method: "GET", path: configMaps + "/b", status: 404},
	{name: "delete another object", method: "DELETE", path: configMaps + "/a", status: 409,
		body: `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"11111111-1111-1111-1111-111111111111"}}`},
	{name: "delete in the background", method: "DELETE", path: deployments + "/web?propagationPolicy=Background", status: 200},
	{name: "delete a missing object", method: "DELETE", path: configMaps + "/b", status: 404},
	{name: "delete all", method: "DELETE", path: configMaps, status: 200},
	{name: "list nothing", method: "GET", path: configMaps, status: 200},
}
