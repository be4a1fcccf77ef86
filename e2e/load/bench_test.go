package load

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/storage"
)

var each = flag.Duration("load.each", time.Minute, "how long BenchmarkLoad measures each number of clients and each way of tracing")

var only = flag.String("load.only", "", "the name of the mode that BenchmarkLoad compares with upstream's own build, such as \"traces nothing\"; empty for all modes")

// A mode is a way of tracing.
type mode struct {
	name  string
	plain bool // upstream's own build
	rate  float64
	keep  bool // nobody fetches the traces
}

// groups are the groups of modes that take turns. The first mode of a group is the base
// for the other modes. The first group comes first because nothing has been traced before
// it. The last group comes last because it fills the probe's memory.
var groups = [][]mode{
	{{name: "plain", plain: true}, {name: "traces nothing"}},
	{{name: "plain", plain: true}, {name: "traces 1 %", rate: 0.01}, {name: "traces 10 %", rate: 0.1}},
	{{name: "plain", plain: true}, {name: "traces every request, nobody fetches", rate: 1, keep: true}},
}

// chosen returns all groups. If -load.only names a mode, it returns only this mode, with
// the plain mode of its group.
func chosen(b *testing.B) [][]mode {
	b.Helper()
	if *only == "" {
		return groups
	}
	var all [][]mode
	for _, modes := range groups {
		for _, m := range modes {
			if m.name == *only && !m.plain {
				all = append(all, []mode{modes[0], m})
			}
		}
	}
	if all == nil {
		b.Fatalf("-load.only: BenchmarkLoad has no mode %q", *only)
	}
	return all
}

// BenchmarkLoad compares the traced server with upstream's own build under 1, 8 and 64
// clients, and prints a table. The modes take turns in short slices, so that other work
// of the machine affects all of them. A ratio compares a mode's slice with the plain
// slice of the same round. The table has the medians of all rounds.
func BenchmarkLoad(b *testing.B) {
	const most = 64
	groups := chosen(b)
	bench := &bench{plain: start(b, true), traced: start(b, false)}
	bench.collector = newCollector(b, bench.traced)
	bench.plainWorkers = newWorkers(b, bench.plain, most, nil)
	bench.tracedWorkers = newWorkers(b, bench.traced, most, bench.collector)
	bench.plainGauge, bench.tracedGauge = newGauge(b, bench.plain), newGauge(b, bench.traced)
	for b.Loop() {
		began := machineLoad()
		var speeds, memory strings.Builder
		for _, modes := range groups {
			for _, clients := range []int{1, 8, most} {
				for _, r := range bench.measure(b, modes, clients) {
					fmt.Fprintf(&speeds, "| %d | %s\n", clients, r)
				}
				fmt.Fprintf(&memory, "| %d | %s | %s |\n", clients, modes[len(modes)-1].name,
					compareMemory(bench.plainGauge.read(b), bench.tracedGauge.read(b)))
			}
		}
		fmt.Printf("\nkube-apiserver %s, %d processors, %s/%s, load average%s at the beginning and%s at the end; %v each\n\n",
			bench.traced.K8sVersion, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, began, machineLoad(), *each)
		fmt.Printf("| clients | server | requests/s | p50 in ms | p99 in ms | processor ms per request | requests/s to plain | p50 to plain | p99 to plain | processor time to plain | traced requests | fetched | refused | failed | discarded calls |\n"+
			strings.Repeat("| --- ", 15)+"|\n%s\n", &speeds)
		fmt.Printf("| clients | after the mode | kube-apiserver, plain | traced | ratio | etcd, plain | traced | ratio |\n"+
			"| --- | --- | --- | --- | --- | --- | --- | --- |\n%s\n", &memory)
	}
	if err := bench.collector.first; err != nil {
		b.Errorf("a trace was lost: %v", err)
	}
	b.ReportMetric(0, "ns/op")
}

// A bench has both servers, and their clients.
type bench struct {
	plain, traced               *apiserver.Server
	plainWorkers, tracedWorkers []*worker
	plainGauge, tracedGauge     *gauge
	collector                   *collector
}

// A slice has the measurements of a short time. cost is the processor time of both
// programs per request. It includes the warm-up and the fetch of the traces. Other work
// of the machine affects cost less than the other values.
type slice struct{ rate, p50, p99, cost float64 }

// A result has the slices of a mode, and the collector's counts in these slices.
type result struct {
	mode   mode
	slices []slice
	base   []slice // the plain slices of the same rounds
	counts collected
}

// rounds is the number of slices of each mode.
const rounds = 12

// measure measures modes in turn, with a number of clients.
func (bench *bench) measure(b *testing.B, modes []mode, clients int) []*result {
	b.Helper()
	results := make([]*result, len(modes))
	for i, m := range modes {
		results[i] = &result{mode: m}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		for _, i := range random.Perm(len(modes)) { // so that no mode always follows the same other mode
			r := results[i]
			before := bench.collector.snapshot(b)
			r.slices = append(r.slices, bench.slice(b, r.mode, clients, *each/rounds))
			r.counts.add(before, bench.collector.snapshot(b))
		}
	}
	for _, r := range results {
		r.base = results[0].slices
	}
	return results
}

// slice lets the clients warm up for a tenth of length, and measures them for length.
// Then it waits until their traces have been fetched.
func (bench *bench) slice(b *testing.B, m mode, clients int, length time.Duration) slice {
	b.Helper()
	workers, gauge := bench.tracedWorkers, bench.tracedGauge
	if m.plain {
		workers, gauge = bench.plainWorkers, bench.plainGauge
	}
	used := processorTime(gauge.read(b))
	bench.collector.rate, bench.collector.keep = m.rate, m.keep
	warmUp, err := run(b.Context(), workers[:clients], time.Now().Add(length/10), 0)
	if err != nil {
		b.Fatalf("warming up %d clients, mode %s: %v", clients, m.name, err)
	}
	began := time.Now()
	took, err := run(b.Context(), workers[:clients], began.Add(length), 0)
	in := time.Since(began)
	if err != nil {
		b.Fatalf("measuring %d clients, mode %s: %v", clients, m.name, err)
	}
	if len(took) == 0 {
		b.Fatalf("measuring %d clients, mode %s: no client has sent a request within %v: raise -load.each", clients, m.name, length)
	}
	bench.collector.drain(b)
	used = processorTime(gauge.read(b)) - used
	times := make([]int64, len(took))
	for i, t := range took {
		times[i] = int64(t)
	}
	return slice{
		rate: perSecond(len(took), in),
		p50:  float64(quantile(times, 0.5)) / float64(time.Millisecond), p99: float64(quantile(times, 0.99)) / float64(time.Millisecond),
		cost: used * 1000 / float64(len(warmUp)+len(took)),
	}
}

// String returns the cells of a row of the table, except the first cell.
func (r *result) String() string {
	rate, p50, p99 := func(s slice) float64 { return s.rate }, func(s slice) float64 { return s.p50 }, func(s slice) float64 { return s.p99 }
	cost := func(s slice) float64 { return s.cost }
	cells := fmt.Sprintf("%s | %.0f | %.2f | %.2f | %.2f |", r.mode.name, r.median(rate), r.median(p50), r.median(p99), r.median(cost))
	if r.mode.plain {
		return cells + strings.Repeat(" |", 9)
	}
	return cells + fmt.Sprintf(" %.2f | %.2f | %.2f | %.2f | %d | %d | %d | %d | %d |", r.ratio(rate), r.ratio(p50), r.ratio(p99), r.ratio(cost),
		r.counts.traced, r.counts.fetched, r.counts.refused, r.counts.failed, r.counts.discarded)
}

func (r *result) median(of func(slice) float64) float64 {
	var all []float64
	for _, s := range r.slices {
		all = append(all, of(s))
	}
	return median(all)
}

func (r *result) ratio(of func(slice) float64) float64 {
	var all []float64
	for i, s := range r.slices {
		all = append(all, of(s)/of(r.base[i]))
	}
	return median(all)
}

// processorTime returns the processor time that kube-apiserver and etcd have used so
// far, in seconds.
func processorTime(metrics map[string]map[string]float64) float64 {
	return metrics[apiserver.Name][processor] + metrics[storage.Name][processor]
}

// compareMemory returns cells with the resident memory of each program on both servers.
func compareMemory(plain, traced map[string]map[string]float64) string {
	const mb = 1 << 20
	var cells []string
	for _, name := range []string{apiserver.Name, storage.Name} {
		p, t := plain[name][resident], traced[name][resident]
		cells = append(cells, fmt.Sprintf("%.0f MB | %.0f MB | %.2f", p/mb, t/mb, t/p))
	}
	return strings.Join(cells, " | ")
}

// machineLoad returns a space and the machine's load average of the last minute, or "
// unknown".
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return " unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return " " + first
}
