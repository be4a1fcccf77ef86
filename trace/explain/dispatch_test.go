package explain

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func TestDispatches(t *testing.T) {
	const (
		route, handler = "k8s.io/apiserver/pkg/endpoints.restfulGetResource.func1", "k8s.io/apiserver/pkg/endpoints/handlers.GetResource.func1"
		rest           = "k8s.io/apiserver/pkg/registry/rest."
		store          = "example.org/registry.(*Store)."
		node           = "*example.org/node/storage.REST"
	)
	call := func(id, parent, function string, start int64, from int) trace.Call {
		return trace.Call{ID: "000000000000000" + id, Parent: parent, Function: function, Process: "server", File: "f.go", Line: 10, StartNs: start, DurationNs: 1, CallerLine: from}
	}
	r := trace.Request{TraceID: "4387af42cebef2cf258386aeb9064159", Method: "GET", Path: "/", Status: 200, Calls: []trace.Call{
		call("1", "", route, 0, 0),
		call("2", "0000000000000001", handler, 1, 11),
		call("3", "0000000000000002", store+"Get", 2, 12),
		call("6", "0000000000000003", "example.org/storage.cache.Get", 5, 14),
		call("7", "0000000000000003", store+"List", 6, 15),
		call("8", "0000000000000003", store+"List", 7, 16),
		call("4", "0000000000000002", store+"Get", 8, 12),
		call("5", "0000000000000002", store+"New", 9, 13),
	}}
	r.Calls[0].Attributes = map[string]string{trace.AttrStorageType: node, trace.AttrRequestResource: "nodes"}
	r.Calls[0].DurationNs = 100
	of := func(line int, kind recordings.CallKind, name string) recordings.SourceCall {
		return recordings.SourceCall{Line: line - 10, Kind: kind, Name: name}
	}
	code := recordings.NewCode("v1.2.3", map[string]*recordings.Program{"server": {Functions: []recordings.Source{
		{Name: store + "Get", Calls: []recordings.SourceCall{
			of(14, recordings.CallInterface, "example.org/storage.Interface.Get"),
			// The recording does not show which of the two was called.
			of(15, recordings.CallInterface, "example.org/a.Lister.List"), of(15, recordings.CallInterface, "example.org/b.Lister.List"),
			of(16, recordings.CallStatic, store+"List"),
		}},
		{Name: handler, Calls: []recordings.SourceCall{of(12, recordings.CallInterface, rest+"Getter.Get"), of(13, recordings.CallInterface, rest+"Storage.New")}},
	}}})
	var methods []string
	got, err := Dispatches(code, []*trace.Recording{{Scenario: "get", Requests: []trace.Request{r}}}, func(method, _ string) bool {
		methods = append(methods, method)
		return method != rest+"Storage.New"
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Dispatch{
		{Method: rest + "Getter.Get", Ran: store + "Get", Storage: node, Resource: "nodes", Caller: handler, Scenarios: []string{"get"}},
		{Method: "example.org/storage.Interface.Get", Ran: "example.org/storage.cache.Get", Caller: store + "Get", Scenarios: []string{"get"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(methods) != 3 {
		t.Errorf("wanted was called for %q, expected the three methods of interfaces, each once", methods)
	}
	counts := Ran([]string{store + "Get", store + "Put"}, []*trace.Recording{{Scenario: "get", Requests: []trace.Request{r}}})
	if diff := cmp.Diff(map[string]int{store + "Get": 1, store + "Put": 0}, counts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestHandlerTarget looks for the storage and the resource of a handler in calls as
// recordings have them.
func TestHandlerTarget(t *testing.T) {
	const (
		info, crds   = "k8s.io/apiserver/pkg/endpoints/request.(*RequestInfoFactory).NewRequestInfo", "k8s.io/apiextensions-apiserver/pkg/apiserver.(*crdHandler).ServeHTTP"
		makes, calls = "k8s.io/apiserver/pkg/endpoints/handlers.CreateResource", "k8s.io/apiserver/pkg/endpoints/handlers.createHandler.func1"
		route, outer = "k8s.io/apiserver/pkg/endpoints.restfulUpdateResource.func1", "k8s.io/apiserver/pkg/endpoints/filters.WithRequestInfo.func1"
		adapter      = "k8s.io/apiserver/pkg/endpoints/handlers.(*namedCreaterAdapter).Create"
	)
	type call struct {
		depth      int
		function   string
		attributes map[string]string
	}
	read := func(resource, sub string) map[string]string {
		return map[string]string{trace.AttrRequestResource: resource, trace.AttrRequestSubresource: sub}
	}
	storage := func(typ string) map[string]string { return map[string]string{trace.AttrStorageType: typ} }
	for name, test := range map[string]struct {
		calls             []call // the last one is the caller
		storage, resource string
	}{
		"route": {[]call{{0, serverEntry, nil}, {1, outer, nil}, {2, info, read("deployments", "status")}, {2, route, storage("*StatusREST")}, {3, calls, nil}}, "*StatusREST", "deployments/status"},
		"custom resource": {[]call{{0, serverEntry, nil}, {1, outer, nil}, {2, info, read("widgets", "")}, {2, crds, nil}, {3, crds, nil}, {4, makes, storage("*customresource.REST")}, {3, calls, nil}, {4, adapter, nil}},
			"*customresource.REST", "widgets"},
		"route without a storage": {[]call{{0, serverEntry, nil}, {1, outer, nil}, {2, info, read("pods", "binding")}, {2, calls, nil}}, "", "pods/binding"},
		// The server sends itself a request while it handles one. The resource of the
		// outer request is not the resource of the inner request.
		"request within a request": {[]call{{0, serverEntry, nil}, {1, outer, nil}, {2, info, read("widgets", "")}, {2, makes, storage("*customresource.REST")}, {2, serverEntry, nil}, {3, calls, nil}}, "", ""},
		"no resource was read":     {[]call{{0, route, map[string]string{trace.AttrStorageType: "*REST", trace.AttrRequestResource: "nodes"}}, {1, calls, nil}}, "*REST", "nodes"},
	} {
		r := trace.Request{TraceID: "4387af42cebef2cf258386aeb9064159", Method: "POST", Path: "/", Status: 201}
		var above []trace.Call
		for i, c := range test.calls {
			made := trace.Call{ID: fmt.Sprintf("%016x", i+1), Function: c.function, Process: "server", File: "f.go", Line: 10, StartNs: int64(i), DurationNs: 100 - 2*int64(i), Attributes: c.attributes}
			if above = above[:c.depth]; c.depth > 0 {
				made.Parent = above[c.depth-1].ID
			}
			above = append(above, made)
			r.Calls = append(r.Calls, made)
		}
		tree, err := trace.NewTree(&r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if typ, resource := handlerTarget(tree, tree.Len()-1); typ != test.storage || resource != test.resource {
			t.Errorf("%s: got the storage %q and the resource %q, expected %q and %q", name, typ, resource, test.storage, test.resource)
		}
	}
}
