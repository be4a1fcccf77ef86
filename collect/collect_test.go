package collect

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument/probe"
)

const traceID = "0123456789abcdef0123456789abcdef"

// serve answers each query on a new socket as a probe would.
func serve(t *testing.T, h probe.Header, records ...probe.Record) (socket string) {
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
	h.Calls = max(h.Calls, len(records))
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
				out := json.NewEncoder(conn)
				_ = out.Encode(h)
				for _, r := range records {
					_ = out.Encode(r)
				}
			}
			conn.Close()
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
	r, check, err := Request(t.Context(), sockets, Sent{TraceID: traceID, Method: "GET", Path: "/x", Status: 200})
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
			_, _, err := Request(t.Context(), map[string]string{"kube-apiserver": test.socket(t)}, Sent{TraceID: traceID, Method: "GET", Path: "/x"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}
