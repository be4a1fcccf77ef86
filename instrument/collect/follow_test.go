package collect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// The calls because of a request for a Deployment, and other calls. The ids of a process
// begin with the same digit: 1 and 2 of clients, a of kube-apiserver, e of etcd.
var (
	manager = []probe.Record{
		event(0x11, "Watch", 0, 101),
		record(0x12, 0x11, "Add", 1, 20),
		event(0x13, "Watch", 2, 90), // the write of another request
		record(0x14, 0x13, "Add", 3, 5),
		// Both chains added the item, the unrelated one first.
		taken(record(0x15, 0x14, "Get", 4, 30), 0x12, 0x18),
		with(record(0x16, 0x15, "request", 5, 40), "http.request.method", "POST", "url.path", "/pods"),
		event(0x17, "Watch", 6, 102),
		record(0x18, 0x17, "Add", 7, 25),
		event(0x19, "Watch", 8, 95), // unrelated
		with(record(0x1a, 0x19, "request", 9, 41), "http.request.method", "PUT", "url.path", "/leases"),
	}
	scheduler = []probe.Record{event(0x21, "Watch", 0, 103), record(0x22, 0x21, "Pop", 1, 70)}
	server    = []probe.Record{
		with(record(0xa1, 0x16, "Serve", 0, 42), "http.response.status_code", "201"),
		record(0xa2, 0xa1, "Create", 1, 43),
		record(0xa3, 0x1a, "Serve", 2, 42),
	}
	store = []probe.Record{wrote(record(0xe1, 0xa2, "Txn", 0, 44), 103), wrote(record(0xe2, 0xa3, "Txn", 1, 44), 96)}
)

func with(r probe.Record, attrs ...string) probe.Record {
	for i := 0; i < len(attrs); i += 2 {
		r.Attrs = append(r.Attrs, probe.Attr{Key: attrs[i], Value: attrs[i+1]})
	}
	return r
}

func event(id probe.SpanID, function string, seq uint32, revision int) probe.Record {
	return with(record(id, 0, function, seq, int64(seq)), trace.AttrEtcdRevision, fmt.Sprint(revision),
		trace.AttrWatchEvent, "ADDED", trace.AttrObjectType, "*v1.Deployment", trace.AttrNamespace, "default", trace.AttrObjectName, "web")
}

func wrote(r probe.Record, revision int) probe.Record {
	return with(r, trace.AttrEtcdRevision, fmt.Sprint(revision), trace.AttrEtcdTxnSucceeded, "true")
}

func taken(r probe.Record, causes ...probe.SpanID) probe.Record {
	var ids []string
	for _, id := range causes {
		ids = append(ids, id.String())
	}
	return with(r, trace.AttrHandoff, "workqueue", trace.AttrCauses, strings.Join(ids, " "))
}

// posted is the request that caused it.
func posted() []trace.Request {
	call := trace.Call{ID: "00000000000000ff", Attributes: map[string]string{trace.AttrEtcdRevision: "101", trace.AttrEtcdTxnSucceeded: "true"}}
	return []trace.Request{{Calls: []trace.Call{call}}}
}

// listenAs answers queries as a probe would, with the records of the trace.
func listenAs(t *testing.T, records []probe.Record, answer func(probe.Query) probe.Header) string {
	t.Helper()
	dir := testenv.SocketDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var q probe.Query
			_ = json.NewDecoder(conn).Decode(&q)
			h := answer(q)
			sent := records
			if q.Follow || q.Pending || q.Revision != 0 {
				sent = nil
			}
			h.Calls = len(sent)
			_ = json.NewEncoder(conn).Encode(h)
			buffer := bufio.NewWriter(conn)
			out := probe.NewRecordWriter(buffer)
			for _, r := range sent {
				if q.Secrets == probe.SecretsCut && r.Error != "" {
					r.Error = "withheld"
				}
				_ = out.Write(&r)
			}
			_ = buffer.Flush()
			conn.Close()
		}
	}()
	return filepath.Join(dir, "s")
}

func draw(first string, calls []trace.Call) string {
	text := first
	for _, c := range calls {
		text += fmt.Sprintf("\n  %s below %s because of %s", short(c.ID), short(c.Parent), short(strings.Join(c.Causes(), " ")))
	}
	return text
}

func short(ids string) string { return strings.ReplaceAll(ids, "00000000000000", "") }

func TestFollow(t *testing.T) {
	queued := []probe.Queued{
		{Queue: "workqueue", Key: "unrelated", By: 0x1a},
		{Queue: "timer", Key: "default/web", By: 0x15, Due: time.Now().Add(time.Hour).UnixNano()},
	}
	follows := make(chan string, 2)
	client := func(queued ...probe.Queued) func(probe.Query) probe.Header {
		return func(q probe.Query) probe.Header {
			if q.Follow {
				follows <- q.Trace
			}
			return probe.Header{Progress: &probe.Progress{Begun: 10, Over: 10, Queued: queued}}
		}
	}
	quiet := func(q probe.Query) probe.Header {
		if q.Pending || q.Peek {
			return probe.Header{Undelivered: 7} // of other traces, before
		}
		return probe.Header{Undelivered: 10}
	}
	clients := map[string]string{"kube-controller-manager": listenAs(t, manager, client(queued...)), "kube-scheduler": listenAs(t, scheduler, client())}
	servers := map[string]string{"kube-apiserver": listenAs(t, server, quiet), "etcd": listenAs(t, store, quiet)}
	f, err := Follow(t.Context(), clients, servers, traceID, Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	for range clients {
		if id := <-follows; id != traceID {
			t.Errorf("a client follows %q, expected %q", id, traceID)
		}
	}
	if err := f.Await(t.Context(), posted(), time.Minute); err != nil || f.waited > 0 {
		t.Fatalf("Await returned %v after %v, expected that all is over: the timer is due later, and the other item is unrelated", err, f.waited)
	}
	caused, _, err := f.End(t.Context(), posted())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range caused {
		by := short(r.Cause.Call)
		if r.Cause.TraceID != traceID {
			by += " of another trace"
		}
		got = append(got, draw(fmt.Sprintf("%s %s %d by %s", r.Method, r.Path, r.Status, by), r.Calls))
	}
	want := []string{
		// The event of 102 is not reached: nobody wrote that revision. So 12 is the only cause.
		"EVENT kube-controller-manager ADDED Deployment default/web 0 by ff of another trace\n  11 below  because of \n  12 below 11 because of \n  15 below 12 because of \n  16 below 15 because of ",
		"EVENT kube-scheduler ADDED Deployment default/web 0 by e1\n  21 below  because of \n  22 below 21 because of ",
		"POST /pods 201 by 16\n  a1 below  because of \n  a2 below a1 because of \n  e1 below a2 because of ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the requests caused\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := caused[0].Pending; len(p) != 1 || p[0].Item != "default/web" || p[0].Due.IsZero() {
		t.Errorf("pending is %+v, expected the timer of default/web", p)
	}
	if want := []string{trace.LacksGivenUp("etcd", 3), trace.LacksGivenUp("kube-apiserver", 3)}; !slices.Equal(caused[0].Incomplete, want) {
		t.Errorf("missing is %q, expected %q", caused[0].Incomplete, want)
	}
}

// TestFollowWithholdsSecrets checks that a request for a secret hides the texts of errors in
// it and in the event that sent it, and in no other event.
func TestFollowWithholdsSecrets(t *testing.T) {
	failed := func(r probe.Record) probe.Record {
		r.Error = "quotes an object"
		return r
	}
	clients := []probe.Record{
		event(0x11, "Watch", 0, 101), failed(record(0x12, 0x11, "sync", 1, 20)),
		with(record(0x13, 0x12, "request", 2, 21), "http.request.method", "POST", "url.path", "/api/v1/namespaces/n/serviceaccounts/a/token"),
		event(0x14, "Watch", 3, 101), failed(record(0x15, 0x14, "sync", 4, 22)),
		with(record(0x16, 0x15, "request", 5, 23), "http.request.method", "POST", "url.path", "/api/v1/namespaces/n/pods"),
	}
	server := []probe.Record{failed(record(0xa1, 0x13, "Serve", 0, 42)), failed(record(0xa2, 0x16, "Serve", 1, 42))}
	quiet := func(probe.Query) probe.Header { return probe.Header{Progress: &probe.Progress{}, Secret: true} }
	for _, show := range []bool{false, true} {
		f, err := Follow(t.Context(), map[string]string{"kube-controller-manager": listenAs(t, clients, quiet)},
			map[string]string{"kube-apiserver": listenAs(t, server, quiet)}, traceID, Secrets{Show: show})
		if err != nil {
			t.Fatal(err)
		}
		caused, _, err := f.End(t.Context(), posted())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, r := range caused {
			for _, c := range r.Calls {
				if c.Error != "" {
					got[short(c.ID)] = c.Error
				}
			}
		}
		want := map[string]string{"12": "withheld", "a1": "withheld", "15": "quotes an object", "a2": "quotes an object"}
		if show {
			want["12"], want["a1"] = want["15"], want["15"]
		}
		if !maps.Equal(got, want) {
			t.Errorf("with Show %t, the errors are %q, expected %q", show, got, want)
		}
	}
}

func TestFollowUntilALimit(t *testing.T) {
	busy := func(probe.Query) probe.Header {
		return probe.Header{Progress: &probe.Progress{Begun: 10, Over: 10, Queued: []probe.Queued{{Queue: "workqueue", Key: "default/web", By: 0x12}}}}
	}
	clients := map[string]string{"kube-controller-manager": listenAs(t, manager, busy)}
	f, err := Follow(t.Context(), clients, nil, traceID, Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Await(t.Context(), posted(), time.Second); err != nil || f.waited < time.Second {
		t.Fatalf("Await returned %v after %v, expected that it is not over: an item waits in a queue", err, f.waited)
	}
	caused, _, err := f.End(t.Context(), posted())
	if err != nil {
		t.Fatal(err)
	}
	if lacks := caused[0].Incomplete; len(lacks) != 1 || !strings.Contains(lacks[0], "more may have been caused") {
		t.Errorf("missing is %q, expected that more may have been caused", lacks)
	}
}

// A call that is running may wait for work that is done once a second.
func TestFollowWaitsForCalls(t *testing.T) {
	running := slices.Clone(manager)
	running[1].Unfinished = true
	quiet := func(probe.Query) probe.Header { return probe.Header{Progress: &probe.Progress{Begun: 10, Over: 9}} }
	clients := map[string]string{"kube-controller-manager": listenAs(t, running, quiet)}
	f, err := Follow(t.Context(), clients, nil, traceID, Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Await(t.Context(), posted(), time.Second); err != nil || f.waited < time.Second {
		t.Fatalf("Await returned %v after %v, expected that it is not over: a call is running", err, f.waited)
	}
}

// TestBothCausesStay checks work with two causes that the requests caused both.
func TestBothCausesStay(t *testing.T) {
	all := &everything{clients: map[string]bool{"kube-controller-manager": true}}
	for _, r := range manager {
		all.calls = append(all.calls, call{"kube-controller-manager", r})
	}
	requests := posted()
	second := requests[0].Calls[0]
	second.Attributes = map[string]string{trace.AttrEtcdRevision: "102", trace.AttrEtcdTxnSucceeded: "true"}
	requests[0].Calls = append(requests[0].Calls, second)
	got := all.reachable(traceID, requests).byID["0000000000000015"]
	if got.Parent != "0000000000000012" || !slices.Equal(got.Causes(), []string{"0000000000000018"}) {
		t.Errorf("the work is below %s because of %q, expected below 12 because of 18", got.Parent, got.Causes())
	}
}
