package load

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
)

var soakFor = flag.Duration("load.soak", 90*time.Second, "how long TestSlowSoak lasts")

// gauges are the metrics that must be flat, with their limits. The limits allow for the
// garbage collector, for kube-apiserver's watch caches, which keep the events of the last
// minute or more, and for etcd's log of the last 10,000 writes. etcd's resident memory is
// not in the list. It includes the pages of the database file, which grows until
// kube-apiserver compacts it after five minutes.
var gauges = []struct {
	program, metric string
	limit           limit
}{
	{apiserver.Name, nextGC, limit{1.05, 24 << 20}},
	{apiserver.Name, resident, limit{1.10, 48 << 20}},
	{apiserver.Name, goroutines, limit{1.05, 20}},
	{apiserver.Name, openFiles, limit{1.05, 5}},
	{storage.Name, nextGC, limit{1.05, 24 << 20}},
	{storage.Name, goroutines, limit{1.05, 20}},
	{storage.Name, openFiles, limit{1.05, 5}},
}

// TestSlowSoak lets eight clients work, while 1 % of the requests are traced and fetched.
// No request may fail, no trace may be lost, and the metrics in gauges must be flat. At
// the end the probes must hold no calls of fetched traces.
func TestSlowSoak(t *testing.T) {
	testenv.Slow(t)
	// The pause limits the load to 200 steps per second, so that it depends little on
	// the machine.
	const clients, pause, readings = 8, 40 * time.Millisecond, 30
	s := start(t, false)
	c := newCollector(t, s)
	workers := newWorkers(t, s, clients, c)
	g := newGauge(t, s)
	c.rate = 0.01

	type outcome struct {
		requests int
		err      error
	}
	over := make(chan outcome, 1)
	end := time.Now().Add(*soakFor)
	go func() {
		took, err := run(t.Context(), workers, end, pause)
		over <- outcome{len(took), err}
	}()
	read := make([]series, len(gauges))
	tick := time.NewTicker(*soakFor / (readings + 1))
	defer tick.Stop()
	var done outcome
	for working := true; working; {
		select {
		case <-tick.C:
			metrics := g.read(t)
			for i, one := range gauges {
				if value, ok := metrics[one.program][one.metric]; ok {
					read[i] = append(read[i], value)
				}
			}
		case done = <-over:
			working = false
		}
	}
	if done.err != nil {
		t.Fatal(done.err)
	}
	c.drain(t)
	checkTraces(t, c, done.requests)
	checkGauges(t, read)
}

// checkTraces checks that no trace is lost, and that the probes hold none.
func checkTraces(t *testing.T, c *collector, requests int) {
	t.Helper()
	n, held := c.snapshot(t), c.stillHeld(t)
	t.Logf("%v: %d requests, %d traced, %d fetched, %d refused, %d failed; the probes discarded %d calls and still hold %d fetched traces",
		*soakFor, requests, n.traced, n.fetched, n.refused, n.failed, n.discarded, held)
	if n.traced == 0 {
		t.Error("no request was traced")
	}
	if n.fetched != n.traced || n.refused+n.discarded > 0 {
		t.Errorf("traces are lost; the first failure: %v", c.first)
	}
	if held > 0 {
		t.Errorf("the probes hold calls of %d traces that were fetched, so their memory grows", held)
	}
}

func checkGauges(t *testing.T, read []series) {
	t.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "%-15s %-32s %14s %14s %14s\n", "program", "median of", "first third", "second third", "last third")
	for i, one := range gauges {
		const enough = 9
		if len(read[i]) < enough {
			if one.metric == openFiles { // not available on this system
				continue
			}
			t.Fatalf("%s was read %d times from %s, expected at least %d", one.metric, len(read[i]), one.program, enough)
		}
		first, second, last := read[i].thirds()
		fmt.Fprintf(&table, "%-15s %-32s %14.0f %14.0f %14.0f\n", one.program, one.metric, first, second, last)
		if !read[i].isFlat(one.limit) {
			t.Errorf("%s: %s grows: %.0f in the second third, %.0f in the last; at most %.2f times as much and %.0f more are allowed",
				one.program, one.metric, second, last, one.limit.times, one.limit.plus)
		}
	}
	t.Log("\n" + table.String())
}
