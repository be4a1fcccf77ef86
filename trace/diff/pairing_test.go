package diff

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

func TestPairRequests(t *testing.T) {
	request := func(method, path string, calls int) trace.Request {
		return trace.Request{Method: method, Path: path, Calls: make([]trace.Call, calls)}
	}
	list, paged, next := request("GET", "/nodes", 850), request("GET", "/nodes?limit=2", 870), request("GET", "/nodes?limit=2&continue=x", 990)
	post, watch, version := request("POST", "/pods", 1000), request("GET", "/pods?watch=true", 500), request("GET", "/version", 300)
	for _, test := range []struct {
		name string
		a, b []trace.Request
		want []position
	}{
		{"equally many requests are paired by position", []trace.Request{post, list}, []trace.Request{watch, post}, []position{{0, 0}, {1, 1}}},
		{"the most similar request", []trace.Request{list}, []trace.Request{paged, next}, []position{{0, 0}}},
		{"the most similar request, though it is not the first", []trace.Request{list}, []trace.Request{next, paged}, []position{{0, 1}}},
		{"the same method", []trace.Request{watch, post}, []trace.Request{post}, []position{{1, 0}}},
		{"another method", []trace.Request{post}, []trace.Request{watch, list}, nil},
		{"equal paths before similar requests", []trace.Request{version, list, paged}, []trace.Request{list, version}, []position{{1, 0}, {2, 1}}},
		{"no requests in A", nil, []trace.Request{list}, nil},
	} {
		if got := pairRequests(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, expected %v", test.name, got, test.want)
		}
	}
}

// TestPairAll pairs what two requests caused: by kind, below the pair of their causes.
func TestPairAll(t *testing.T) {
	// caused builds the requests of one side. Each has the index of its cause, or -1.
	type one struct {
		by           int
		method, path string
	}
	side := func(all ...one) []trace.Request {
		out := make([]trace.Request, len(all))
		for i, o := range all {
			id := string(rune('a' + i))
			out[i] = trace.Request{TraceID: id, Method: o.method, Path: o.path, Calls: []trace.Call{{ID: id}}}
			if o.by >= 0 {
				out[i].Cause = trace.Cause{TraceID: out[o.by].TraceID, Call: out[o.by].TraceID}
			}
		}
		return out
	}
	const pods = "/api/v1/namespaces/x/pods"
	a := side(
		one{-1, "POST", "/apis/apps/v1/namespaces/x/deployments"},
		one{0, trace.MethodEvent, "kube-controller-manager ADDED Deployment x/web"},
		one{1, "POST", pods}, // a pod
		one{1, "POST", pods}, // another one
		one{2, trace.MethodEvent, "kube-scheduler ADDED Pod x/web-1"},
		one{4, "POST", pods + "/web-1/binding"},
	)
	b := side(
		one{-1, "POST", "/apis/apps/v1/namespaces/x/deployments"},
		one{0, trace.MethodEvent, "kube-scheduler ADDED Deployment x/web"},
		one{0, trace.MethodEvent, "kube-controller-manager ADDED Deployment x/web"},
		one{2, "POST", pods},
		one{3, trace.MethodEvent, "kube-scheduler ADDED Pod x/web-7"},
		one{4, "POST", pods + "/web-7/binding"},
	)
	want := []position{{0, 0}, {None, 1}, {1, 2}, {2, 3}, {4, 4}, {5, 5}, {3, None}}
	if got := pairAll(a, b); !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
}
