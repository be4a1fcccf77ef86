package main

import (
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestPairsCompare checks that each listed pair of scenarios has requests to compare,
// and that at least one request differs.
func TestPairsCompare(t *testing.T) {
	all, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	load := func(name string) *trace.Recording {
		rec, err := recordings.Load(apiserver.DefaultVersion, name)
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	for _, s := range all {
		for _, pair := range s.Pairs {
			if s.Boot != nil || s.Stop != nil {
				continue // hundreds of thousands of calls in a start, and no request
			}
			requests := diff.CompareRecordings(load(s.Name), load(pair.With), diff.Options{}).Requests
			if !slices.ContainsFunc(requests, func(r diff.RequestPair) bool { return r.Diff != nil && !r.Same() }) {
				t.Errorf("%s and %s: expected a pair of requests that differs, found none in %d pairs", s.Name, pair.With, len(requests))
			}
		}
	}
}
