package recordings

import (
	"reflect"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestCache checks that a recording is kept when it is loaded again, and that no
// more is kept than the limit allows. Every copy must equal the recording in the
// archive, whatever was done to earlier copies.
func TestCache(t *testing.T) {
	a, err := find(Latest)
	if err != nil {
		t.Fatal(err)
	}
	const one, other = "get-node", "create-deployment"
	want := map[string]*trace.Recording{one: decoded(t, a, one), other: decoded(t, a, other)}
	c := newCache(max(countCalls(want[one]), countCalls(want[other])))
	var given []*trace.Recording
	for i, step := range []struct {
		scenario string
		kept     string // the scenario in the cache after the step, or ""
	}{{one, ""}, {one, one}, {one, one}, {other, one}, {other, other}, {one, one}} {
		rec, err := c.load(a, step.scenario)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(rec, want[step.scenario]) {
			t.Fatalf("step %d: the loaded recording of %s differs from the archive's, expected the same", i, step.scenario)
		}
		given = append(given, rec)
		for _, r := range given {
			spoil(r)
		}
		if kept := c.names(); step.kept == "" && len(kept) > 0 || step.kept != "" && !reflect.DeepEqual(kept, []string{step.kept}) {
			t.Errorf("step %d, %s: the cache has the scenarios %v, expected %q", i, step.scenario, kept, step.kept)
		}
		if c.calls > c.limit {
			t.Errorf("step %d: the cache has %d calls, expected at most %d", i, c.calls, c.limit)
		}
	}
	tight := newCache(countCalls(want[one]) - 1)
	for range 3 {
		if _, err := tight.load(a, one); err != nil {
			t.Fatal(err)
		}
	}
	if kept := tight.names(); len(kept) > 0 {
		t.Errorf("the cache has %v, expected no recording that is larger than the limit", kept)
	}
}

func decoded(t *testing.T, a *archive, scenario string) *trace.Recording {
	t.Helper()
	rec, err := a.decode(scenario)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// names lists the scenarios of the recordings in the cache.
func (c *cache) names() (names []string) {
	for at := c.order.Front(); at != nil; at = at.Next() {
		names = append(names, at.Value.(*cacheEntry).scenario)
	}
	return names
}

// spoil changes everything that can be changed in a recording.
func spoil(rec *trace.Recording) {
	for i := range rec.Requests {
		r := &rec.Requests[i]
		for j := range r.Calls {
			for name := range r.Calls[j].Attributes {
				r.Calls[j].Attributes[name] = "spoilt"
			}
			r.Calls[j].Function = "spoilt"
		}
		for j := range r.Incomplete {
			r.Incomplete[j] = "spoilt"
		}
		for j := range r.Stored {
			r.Stored[j].Key = "spoilt"
		}
		r.Path = "spoilt"
	}
	for i := range rec.Edited {
		rec.Edited[i] = "spoilt"
	}
	for i := range rec.Servers {
		rec.Servers[i] = "spoilt"
	}
}

// TestCopied checks that a change of a copy does not change the recording. The recording
// has fields that no recording in the archive has.
func TestCopied(t *testing.T) {
	of := func() *trace.Recording {
		return &trace.Recording{Edited: []string{"a.go"}, Servers: []string{"own example.com/own v1.0.0"}}
	}
	rec := of()
	spoil(copied(rec))
	if !reflect.DeepEqual(rec, of()) {
		t.Errorf("a change of a copy changed the recording to %+v", rec)
	}
}

func BenchmarkCopied(b *testing.B) {
	a, err := find(Latest)
	if err != nil {
		b.Fatal(err)
	}
	rec, err := a.decode("boot")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_, _ = a.decode("boot")
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			copied(rec)
		}
	})
}
