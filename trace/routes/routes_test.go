package routes

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestOfARecordedStart checks the starts of the newest and the oldest release. The oldest has
// go-restful v2.
func TestOfARecordedStart(t *testing.T) {
	all, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{recordings.Latest, all[0].K8sVersion} {
		t.Run(release, func(t *testing.T) { checkStart(t, release) })
	}
}

func checkStart(t *testing.T, release string) {
	t.Helper()
	rec, err := recordings.Load(release, "boot")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Of(&rec.Requests[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Route{
		{Method: "POST", Path: "/api/v1/namespaces/{namespace}/pods/{name}/binding", Handler: "k8s.io/apiserver/pkg/endpoints.restfulCreateNamedResource",
			GroupVersion: "v1", Resource: "pods/binding", Storage: "*k8s.io/kubernetes/pkg/registry/core/pod/storage.BindingREST"},
		{Method: "GET", Path: "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", Handler: "k8s.io/apiserver/pkg/endpoints.restfulGetResource",
			GroupVersion: "apps/v1", Resource: "deployments", Storage: "*k8s.io/kubernetes/pkg/registry/apps/deployment/storage.REST",
			Strategy: "k8s.io/kubernetes/pkg/registry/apps/deployment.deploymentStrategy"},
		// Without a resource, Handler is the function that serves the route.
		{Method: "GET", Path: "/version/", Handler: "k8s.io/apiserver/pkg/server/routes.Version.handleVersion"},
	} {
		if !slices.ContainsFunc(all, func(r Route) bool {
			return r.Method == want.Method && r.Path == want.Path && r.Handler == want.Handler && r.GroupVersion == want.GroupVersion &&
				r.Resource == want.Resource && r.Storage == want.Storage && r.Strategy == want.Strategy
		}) {
			t.Errorf("the routes lack %+v", want)
		}
	}
	version, err := Choose(rec, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	const file = "k8s.io/apiserver/pkg/server/routes/version.go"
	if !slices.ContainsFunc(version, func(r Route) bool { return r.Path == "/version/" && r.place() == file }) {
		t.Errorf("the routes lack /version/ with a handler in %s", file)
	}
	if !slices.IsSortedFunc(all, func(a, b Route) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("the routes are not sorted by path")
	}
}

func TestOfARequest(t *testing.T) {
	r := &trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Calls: []trace.Call{
		{ID: strings.Repeat("b", 16), Function: "p.Serve", Process: "kube-apiserver", File: "p/p.go", Line: 1},
	}}
	if _, err := Of(r); err == nil || !strings.Contains(err.Error(), "boot") {
		t.Errorf("Of a request returned the error %v, expected an error that names the scenario boot", err)
	}
}

func TestChooseWithoutMatches(t *testing.T) {
	rec, err := recordings.Load(recordings.Latest, "boot")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		filter Filter
		want   string
	}{
		{Filter{Resource: "pod"}, `no routes of resource "pod": did you mean "pods"`},
		{Filter{Resource: "qqqqqqqq"}, `no routes of resource "qqqqqqqq": "apitrace routes" lists all`},
		{Filter{Method: "BREW"}, `no routes of method "BREW": `},
		{Filter{Resource: "pods", Method: "BREW"}, `no routes of resource "pods" and method "BREW": `},
	} {
		if _, err := Choose(rec, test.filter); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Choose with %+v returned the error %v, expected %q in it", test.filter, err, test.want)
		}
	}
}
