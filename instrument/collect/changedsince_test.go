package collect

import (
	"slices"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

func TestSince(t *testing.T) {
	const asked = 100
	ids := []string{"", "main", "over", "below-over", "starter", "woken", "goes-on", "begins", "begins-and-goes-on"}
	id := func(name string) probe.SpanID { return probe.SpanID(slices.Index(ids, name)) }
	record := func(name, parent string, start, duration int64, unfinished bool) call {
		return call{"kube-apiserver", probe.Record{ID: id(name), Parent: id(parent), Start: start, Duration: duration, Unfinished: unfinished}}
	}
	all := []call{
		record("main", "", 0, 300, true),
		record("over", "main", 1, 9, false),
		record("below-over", "over", 2, 3, false),
		record("starter", "main", 10, 5, false), // returned before, but a goroutine that it started goes on
		record("woken", "starter", 12, 100, false),
		record("goes-on", "main", 20, 280, true),
		record("begins", "main", 110, 5, false),
		record("begins-and-goes-on", "begins", 111, 189, true),
	}
	var got []string
	for _, c := range changedSince(all, time.Unix(0, asked)) {
		got = append(got, ids[c.ID])
	}
	want := []string{"main", "starter", "woken", "begins", "begins-and-goes-on"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, expected %q", got, want)
	}
}
