package collect

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/trace"
)

const traceID = "0123456789abcdef0123456789abcdef"

// serve answers each query for a trace on a new socket as a probe would.
func serve(t *testing.T, h probe.Header, records ...probe.Record) (socket string) {
	t.Helper()
	return serveTails(t, h, records, nil)
}

// serveTails also answers queries for the calls that followed a write.
func serveTails(t *testing.T, h probe.Header, request []probe.Record, tails map[int64][]probe.Record) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "collect") // the path of a unix socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	answer := func(conn net.Conn) {
		defer conn.Close()
		var q probe.Query
		if err := json.NewDecoder(conn).Decode(&q); err != nil {
			return
		}
		h, records := h, request
		if q.Revision != 0 {
			h, records = probe.Header{}, tails[q.Revision]
		}
		h.Calls = max(h.Calls, len(records))
		out := json.NewEncoder(conn)
		_ = out.Encode(h)
		for _, r := range records {
			_ = out.Encode(r)
		}
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer(conn)
		}
	}()
	return socket
}

func record(id, parent, function string, seq uint32, start int64) probe.Record {
	return probe.Record{ID: id, Parent: parent, Seq: seq, Function: function, File: "p/p.go", Line: 1, Start: 1_000_000 + start, Duration: 1}
}

func TestRequestJoinsProcesses(t *testing.T) {
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{Checked: 1, Mismatches: []string{"wrong"}},
			record("00000000000000e1", "00000000000000a2", "etcd.Range", 0, 30)),
		"kube-apiserver": serve(t, probe.Header{Checked: 3, Dropped: 2},
			record("00000000000000a1", "00000000000000cc", "Serve", 0, 0),
			record("00000000000000a2", "00000000000000a1", "Get", 1, 10),
			record("00000000000000a3", "00000000000000a1", "Write", 2, 40)),
	}
	r, check, err := Request(t.Context(), sockets, trace.Sent{TraceID: traceID, Method: "GET", Path: "/x", Status: 200})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Calls {
		got = append(got, c.Process+" "+c.Function+" "+c.Parent)
	}
	want := []string{"kube-apiserver Serve ", "kube-apiserver Get 00000000000000a1", "etcd etcd.Range 00000000000000a2", "kube-apiserver Write 00000000000000a1"}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if r.Calls[2].StartNs != 30 || r.Start.UnixNano() != 1_000_000 {
		t.Errorf("starts at %d, %d ns after %v", r.Calls[2].StartNs, r.Calls[2].StartNs, r.Start)
	}
	if len(r.Incomplete) != 1 || !strings.Contains(r.Incomplete[0], "kube-apiserver made 2 more calls") {
		t.Errorf("incomplete: %q", r.Incomplete)
	}
	if check.Calls != 4 || !slices.Equal(check.Mismatches, []string{"wrong"}) {
		t.Errorf("check: %+v", check)
	}
}

// TestRequestAlignsClocks has an etcd with a clock that was read too early: its
// calls seem to begin before the request.
func TestRequestAlignsClocks(t *testing.T) {
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{},
			record("00000000000000e1", "00000000000000a2", "etcd.Range", 0, -90),
			record("00000000000000e2", "00000000000000e1", "etcd.Read", 1, -70)),
		"kube-apiserver": serve(t, probe.Header{},
			record("00000000000000a1", "00000000000000cc", "Serve", 0, 0),
			record("00000000000000a2", "00000000000000a1", "Get", 1, 10)),
	}
	r, _, err := Request(t.Context(), sockets, trace.Sent{TraceID: traceID, Method: "GET", Path: "/x", Status: 200})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Calls {
		got = append(got, fmt.Sprint(c.Function, " ", c.StartNs))
	}
	if want := []string{"Serve 0", "Get 10", "etcd.Range 10", "etcd.Read 30"}; !slices.Equal(got, want) {
		t.Errorf("calls begin at %q, want %q", got, want)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

func TestRequestRefusesAHole(t *testing.T) {
	for name, test := range map[string]struct {
		socket func(t *testing.T) string
		want   string
	}{
		"a missing parent": {func(t *testing.T) string {
			return serve(t, probe.Header{}, record("00000000000000a1", "", "Serve", 0, 0), record("00000000000000a3", "00000000000000a2", "Write", 2, 9))
		}, "are not one tree"},
		"nothing":             {func(t *testing.T) string { return serve(t, probe.Header{}) }, "no traced program has seen GET /x"},
		"a probe that is off": {func(t *testing.T) string { return serve(t, probe.Header{Error: "unknown Go release"}) }, "nothing is traced: unknown Go release"},
		"an answer cut short": {func(t *testing.T) string {
			return serve(t, probe.Header{Calls: 2}, record("00000000000000a1", "", "Serve", 0, 0))
		}, "reading call 2 of 2"},
		"nobody there": {func(*testing.T) string { return filepath.Join(os.TempDir(), "nobody") }, "has the program ended"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Request(t.Context(), map[string]string{"kube-apiserver": test.socket(t)}, trace.Sent{TraceID: traceID, Method: "GET", Path: "/x"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestRequestGetsWhatFollowedItsWrite(t *testing.T) {
	write := record("00000000000000e1", "00000000000000a2", "etcd.Txn", 0, 10)
	write.Attrs = []probe.Attr{{Key: "apitrace.etcd.txn.succeeded", Value: "true"}, {Key: "apitrace.etcd.revision", Value: "41"}}
	stage := func(n int, r probe.Record) probe.Record { r.Stage = n; return r }
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{}, write),
		"kube-apiserver": serveTails(t, probe.Header{}, []probe.Record{
			record("00000000000000a1", "", "Serve", 0, 0), record("00000000000000a2", "00000000000000a1", "Put", 1, 5),
		}, map[int64][]probe.Record{
			41: {
				// Two watchers; and the first stage occurs twice.
				stage(1, record("00000000000000b1", "", "transform", 0, 20)), record("00000000000000b2", "00000000000000b1", "decode", 1, 21),
				stage(1, record("00000000000000b3", "", "transform", 2, 22)), stage(2, record("00000000000000b4", "", "dispatch", 3, 30)),
				stage(3, record("00000000000000b5", "", "send", 4, 40)), stage(3, record("00000000000000b6", "", "send", 5, 41)),
			},
			42: {stage(1, record("00000000000000c1", "", "another's", 0, 20))},
		}),
	}
	r, _, err := Request(t.Context(), sockets, trace.Sent{TraceID: traceID, Method: "POST", Path: "/x", Status: 201})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i := range r.Calls {
		c := &r.Calls[i]
		fmt.Fprintf(&got, "%s%s %s\n", strings.Repeat("  ", tree.Depth(i)), c.Function, c.Attributes[trace.AttrHandoff])
	}
	const want = `Serve 
  Put 
    etcd.Txn 
  transform watch
    decode 
  transform watch
    dispatch watch
      send watch
      send watch
`
	if got.String() != want {
		t.Errorf("the calls are\n%s\nexpected\n%s", got.String(), want)
	}
	if ns := r.SinceWrite(&r.Calls[3]); ns != 10 {
		t.Errorf("transform began %d ns after the write, expected 10", ns)
	}
}

// For the trace of a start or an end, the program itself is asked first, before
// the programs that it calls, whatever their names are.
func TestOrderOfPrograms(t *testing.T) {
	sockets := map[string]string{"etcd": "", "kube-apiserver": "", "metrics-server": ""}
	for _, test := range []struct {
		sent trace.Sent
		want string
	}{
		{trace.Sent{Method: "GET", Path: "/metrics-server"}, "kube-apiserver metrics-server etcd"},
		{trace.Sent{Method: trace.MethodStart, Path: "kube-apiserver", Boot: true}, "kube-apiserver metrics-server etcd"},
		{trace.Sent{Method: trace.MethodStart, Path: "metrics-server", Boot: true}, "metrics-server kube-apiserver etcd"},
		{trace.Sent{Method: trace.MethodStop, Path: "metrics-server", Boot: true}, "metrics-server kube-apiserver etcd"},
	} {
		if got := strings.Join(inOrder(sockets, first(&test.sent)), " "); got != test.want {
			t.Errorf("%s %s asks %q, expected %q", test.sent.Method, test.sent.Path, got, test.want)
		}
	}
}
