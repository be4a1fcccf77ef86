package e2e

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

// Each benchmark measures two things in one run and reports their ratio. A ratio
// depends less on the machine than a time does.

// A bencher sends requests to one server, over one connection.
type bencher struct {
	server *apiserver.Server
	client *http.Client
}

func newBencher(b *testing.B, k kind) *bencher {
	s := server(b, k)
	client, err := s.Client()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.CloseIdleConnections)
	return &bencher{s, client}
}

// do sends a request and returns the time until the whole answer was read. If traceID
// is "", the request is not traced.
func (r *bencher) do(b *testing.B, method, path, body, traceID string) time.Duration {
	req, err := http.NewRequest(method, r.server.BaseURL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.server.AdminToken)
	req.Header.Set("Content-Type", "application/json")
	if traceID != "" {
		req.Header.Set("Traceparent", "00-"+traceID+"-00000000000000aa-01")
	}
	start := time.Now()
	resp, err := r.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	if resp.StatusCode >= 300 && resp.StatusCode != http.StatusConflict {
		b.Fatalf("%s %s: %s", method, path, resp.Status)
	}
	return took
}

func newTraceID() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2])
}

// BenchmarkGetNode compares the latency of a GET on upstream's own build with the
// latency on the instrumented build, untraced and traced. The servers take turns and
// get equally many requests, so that other work of the machine affects both.
func BenchmarkGetNode(b *testing.B) {
	ours, theirs := newBencher(b, traced), newBencher(b, plain)
	const node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"bench"}}`
	const path = "/api/v1/nodes/bench"
	for _, r := range []*bencher{ours, theirs} {
		r.do(b, http.MethodPost, "/api/v1/nodes", node, "")
		for range 500 {
			r.do(b, http.MethodGet, path, "", "")
		}
	}
	var plainTimes, untracedTimes, tracedTimes []time.Duration
	calls := 0
	for range 500 {
		// The probe drops a trace when it is fetched. Traces that nobody fetches would
		// fill its memory. The fetch makes a pause, so the first request after it is
		// not measured.
		for _, r := range []*bencher{ours, theirs, ours} {
			r.do(b, http.MethodGet, path, "", "")
		}
		id := newTraceID()
		plainTimes = append(plainTimes, theirs.do(b, http.MethodGet, path, "", ""))
		untracedTimes = append(untracedTimes, ours.do(b, http.MethodGet, path, "", ""))
		plainTimes = append(plainTimes, theirs.do(b, http.MethodGet, path, "", ""))
		tracedTimes = append(tracedTimes, ours.do(b, http.MethodGet, path, "", id))
		r, _, err := collect.Request(context.Background(), ours.server.ProbeSockets, trace.Sent{TraceID: id, Method: http.MethodGet, Path: path})
		if err != nil {
			b.Fatal(err)
		}
		calls = len(r.Calls)
	}
	p := median(plainTimes)
	b.ReportMetric(p/1e3, "plain-µs")
	b.ReportMetric(median(untracedTimes)/p, "untraced/plain")
	b.ReportMetric(median(tracedTimes)/p, "traced/plain")
	b.ReportMetric(float64(calls), "calls")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRewrite rewrites all traced packages of kube-apiserver.
func BenchmarkRewrite(b *testing.B) {
	built := build(b, false)
	guide, err := instrument.Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_, err := instrument.Rewrite(instrument.Options{
			Guide: guide, Program: apiserver.Name, Version: built.K8sVersion,
			Vendor: filepath.Join(built.APIServer.Workspace, "vendor"), Out: b.TempDir(),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBuild builds kube-apiserver and etcd, instrumented and not, each with an
// empty build cache. It takes about ten minutes.
func BenchmarkBuild(b *testing.B) {
	build(b, false) // downloads the modules, and checks that there is space
	var took [2]time.Duration
	for i, plain := range []bool{true, false} {
		cache, err := program.OpenCache(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if _, err := apiserver.BuildPrograms(context.Background(), apiserver.BuildOptions{Plain: plain, Cache: cache}); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	b.ReportMetric(took[0].Seconds(), "plain-s")
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "instrumented/plain")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLibrary plays every scenario that can share a running server. It reports the
// total time, the median, the slowest, and the number of scenarios above half a second.
// docs/scenarios.md names these and gives the reasons.
func BenchmarkLibrary(b *testing.B) {
	s := server(b, traced)
	each := map[string][]time.Duration{}
	for b.Loop() {
		for _, scenario := range library(b) {
			if !scenario.Setup.Server.IsZero() || scenario.Boot != nil {
				continue
			}
			start := time.Now()
			play(b, s, scenario.Name)
			each[scenario.Name] = append(each[scenario.Name], time.Since(start))
		}
	}
	var medians []time.Duration
	var total time.Duration
	slow := 0
	for _, name := range slices.Sorted(maps.Keys(each)) {
		took := time.Duration(median(each[name]))
		medians, total = append(medians, took), total+took
		if took > time.Second/2 {
			b.Logf("%s: %s", name, took.Round(time.Millisecond))
			slow++
		}
	}
	b.ReportMetric(total.Seconds(), "s/library")
	b.ReportMetric(median(medians)/float64(time.Second), "s/median")
	b.ReportMetric(slices.Max(medians).Seconds(), "s/slowest")
	b.ReportMetric(float64(slow), "over-half-a-second")
}
