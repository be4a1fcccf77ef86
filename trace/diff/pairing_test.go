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
	caused := func(r trace.Request) trace.Request {
		r.Cause.TraceID = "1"
		return r
	}
	bound, made := caused(request("POST", "/api/v1/namespaces/x/pods/web-1/binding", 900)), caused(request("POST", "/api/v1/namespaces/x/pods", 1000))
	boundThere := caused(request("POST", "/api/v1/namespaces/x/pods/web-2/binding", 1000))
	seen, seenThere := caused(request("EVENT", "kube-scheduler ADDED Pod x/web-1", 9)), caused(request("EVENT", "kubelet ADDED Pod x/web-1", 9))
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
		{"caused requests for the same resource", []trace.Request{bound, made}, []trace.Request{boundThere, made}, []position{{0, 0}, {1, 1}}},
		{"caused requests for other subresources", []trace.Request{bound}, []trace.Request{made}, nil},
		{"events in other programs", []trace.Request{seen}, []trace.Request{seenThere}, nil},
		{"no requests in A", nil, []trace.Request{list}, nil},
	} {
		if got := pairRequests(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, expected %v", test.name, got, test.want)
		}
	}
}
