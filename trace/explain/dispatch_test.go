package explain

import (
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
			// Which of the two was called, nobody can tell.
			of(15, recordings.CallInterface, "example.org/a.Lister.List"), of(15, recordings.CallInterface, "example.org/b.Lister.List"),
			of(16, recordings.CallStatic, store+"List"),
		}},
		{Name: handler, Calls: []recordings.SourceCall{of(12, recordings.CallInterface, rest+"Getter.Get"), of(13, recordings.CallInterface, rest+"Storage.New")}},
	}}})
	var asked []string
	got, err := Dispatches(code, []*trace.Recording{{Scenario: "get", Requests: []trace.Request{r}}}, func(method, _ string) bool {
		asked = append(asked, method)
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
	if len(asked) != 3 {
		t.Errorf("asked for %q: expected the three methods of interfaces, each once", asked)
	}
	counts := Ran([]string{store + "Get", store + "Put"}, []*trace.Recording{{Scenario: "get", Requests: []trace.Request{r}}})
	if diff := cmp.Diff(map[string]int{store + "Get": 1, store + "Put": 0}, counts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
