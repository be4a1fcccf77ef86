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
