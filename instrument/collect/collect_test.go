package collect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

const traceID = "0123456789abcdef0123456789abcdef"

// serve listens on a new socket and answers each query for a trace as a probe would.
func serve(t *testing.T, h probe.Header, records ...probe.Record) (socket string) {
	t.Helper()
	return serveTails(t, h, records, nil)
}

// serveTails is like serve, but also answers queries for the calls that followed a write.
// The keys of tails are revisions.
func serveTails(t *testing.T, h probe.Header, request []probe.Record, tails map[int64][]probe.Record) (socket string) {
	t.Helper()
	dir := testenv.SocketDir(t)
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
		_ = json.NewEncoder(conn).Encode(h)
		buffer := bufio.NewWriter(conn)
		out := probe.NewRecordWriter(buffer)
		for _, r := range records {
			_ = out.Write(&r)
		}
		_ = buffer.Flush()
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

func record(id, parent probe.SpanID, function string, seq uint32, start int64) probe.Record {
	return probe.Record{ID: id, Parent: parent, Seq: seq, Function: function, File: "p/p.go", Line: 1, Start: 1_000_000 + start, Duration: 1}
}

// TestTextsAreUTF8 checks that bytes from a client that are not UTF-8 are escaped. A
// recording is UTF-8 text.
func TestTextsAreUTF8(t *testing.T) {
	hostile := record(0xa1, 0, "Serve", 0, 0)
	hostile.Error, hostile.Panic, hostile.Attrs = "bad \xff", "\x9b31m", []probe.Attr{{Key: "name", Value: "\x9bgpj\xff"}}
	sockets := map[string]string{"kube-apiserver": serve(t, probe.Header{}, hostile)}
	r, _, err := Request(t.Context(), sockets, trace.Sent{TraceID: traceID, Method: "GET", Path: "/x", Status: 200})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{r.Calls[0].Error, r.Calls[0].Panic, r.Calls[0].Attributes["name"]}
	if want := []string{`bad \xff`, `\x9b31m`, `\x9bgpj\xff`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRequestJoinsProcesses(t *testing.T) {
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{Checked: 1, Mismatches: []string{"wrong"}},
			record(0xe1, 0xa2, "etcd.Range", 0, 30)),
		"kube-apiserver": serve(t, probe.Header{Checked: 3, Dropped: 2},
			record(0xa1, 0xcc, "Serve", 0, 0),
			record(0xa2, 0xa1, "Get", 1, 10),
			record(0xa3, 0xa1, "Write", 2, 40)),
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
		t.Errorf("etcd.Range starts at %d, %d ns after %v, want 30 ns after the first millisecond", r.Calls[2].StartNs, r.Calls[2].StartNs, r.Start)
	}
	if len(r.Incomplete) != 1 || !strings.Contains(r.Incomplete[0], "kube-apiserver made 2 more calls") {
		t.Errorf("incomplete: %q, want the dropped calls of kube-apiserver", r.Incomplete)
	}
	if check.Calls != 4 || !slices.Equal(check.Mismatches, []string{"wrong"}) {
		t.Errorf("check: %+v, want 4 calls and the mismatch of etcd", check)
	}
}

// TestRequestAlignsClocks collects calls from an etcd with a clock that is behind: its
// calls seem to begin before the request.
func TestRequestAlignsClocks(t *testing.T) {
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{},
			record(0xe1, 0xa2, "etcd.Range", 0, -90),
			record(0xe2, 0xe1, "etcd.Read", 1, -70)),
		"kube-apiserver": serve(t, probe.Header{},
			record(0xa1, 0xcc, "Serve", 0, 0),
			record(0xa2, 0xa1, "Get", 1, 10)),
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
			return serve(t, probe.Header{}, record(0xa1, 0, "Serve", 0, 0), record(0xa3, 0xa2, "Write", 2, 9))
		}, "are not one tree"},
		"nothing":             {func(t *testing.T) string { return serve(t, probe.Header{}) }, "no traced program has seen GET /x"},
		"a probe that is off": {func(t *testing.T) string { return serve(t, probe.Header{Error: "unknown Go release"}) }, "nothing is traced: unknown Go release"},
		"an answer cut short": {func(t *testing.T) string {
			return serve(t, probe.Header{Calls: 2}, record(0xa1, 0, "Serve", 0, 0))
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
	write := record(0xe1, 0xa2, "etcd.Txn", 0, 10)
	write.Attrs = []probe.Attr{{Key: "apitrace.etcd.txn.succeeded", Value: "true"}, {Key: "apitrace.etcd.revision", Value: "41"}}
	stage := func(n int, r probe.Record) probe.Record { r.Stage = n; return r }
	sockets := map[string]string{
		"etcd": serve(t, probe.Header{}, write),
		"kube-apiserver": serveTails(t, probe.Header{}, []probe.Record{
			record(0xa1, 0, "Serve", 0, 0), record(0xa2, 0xa1, "Put", 1, 5),
		}, map[int64][]probe.Record{
			41: {
				// There are two watchers, and the first stage occurs twice.
				stage(1, record(0xb1, 0, "transform", 0, 20)), record(0xb2, 0xb1, "decode", 1, 21),
				stage(1, record(0xb3, 0, "transform", 2, 22)), stage(2, record(0xb4, 0, "dispatch", 3, 30)),
				stage(3, record(0xb5, 0, "send", 4, 40)), stage(3, record(0xb6, 0, "send", 5, 41)),
			},
			42: {stage(1, record(0xc1, 0, "another's", 0, 20))},
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

// TestOrderOfPrograms checks the order in which the probes are asked. For the trace of a
// program's start or end, this program must be the first one, whatever its name is.
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
		if got := strings.Join(inOrder(sockets, firstProcess(&test.sent)), " "); got != test.want {
			t.Errorf("%s %s asks %q, expected %q", test.sent.Method, test.sent.Path, got, test.want)
		}
	}
}
