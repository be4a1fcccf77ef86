package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// traceOf makes the trace of a request that began at this Unix time and sent operations to
// etcd.
func traceOf(sent trace.Sent, second int) *trace.Request {
	call := func(id, parent, process, function string) trace.Call {
		return trace.Call{ID: id, Parent: parent, Process: process, Function: function, File: "f.go", Line: 1}
	}
	const root = "00000000000000a1"
	return &trace.Request{
		TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status, Start: time.Unix(int64(second), 0),
		Calls: []trace.Call{
			call(root, "", "kube-apiserver", "k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP"),
			call("00000000000000a2", root, "kube-apiserver", "go.etcd.io/etcd/client/v3.(*retryKVClient).Txn"),
			call("00000000000000a3", root, "kube-apiserver", "go.etcd.io/etcd/client/v3.(*retryKVClient).Range"),
			call("00000000000000a4", root, "kube-apiserver", "go.etcd.io/etcd/client/v3.(*retryKVClient).Txn"),
			call("00000000000000a5", root, "etcd", "go.etcd.io/etcd/client/v3.(*retryKVClient).Range"),
			call("00000000000000a6", root, "kube-apiserver", "go.etcd.io/etcd/client/v3.(*watcher).Watch"),
		},
	}
}

func exchange(path string) front.Exchange {
	return front.Exchange{
		Sent:  trace.Sent{TraceID: trace.NewTraceID(), Method: "GET", Path: path, Status: 200},
		Start: time.Unix(99, 0), Duration: 1234567 * time.Nanosecond,
		UserAgent: "kubectl", ClientTraceparent: "00-1",
	}
}

// TestSession checks that all requests are kept, in whatever order they end, and that Sort
// sorts them by the time at which they began.
func TestSession(t *testing.T) {
	const n = 200
	var fetching, most atomic.Int64
	second := map[string]int{}
	var exchanges []front.Exchange
	for i := range n {
		x := exchange(fmt.Sprintf("/%d", i))
		second[x.TraceID] = i + 1
		exchanges = append(exchanges, x)
	}
	recording, err := trace.Create(filepath.Join(t.TempDir(), "s.jsonl"), trace.Recording{Scenario: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	var rows []Row
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) {
			now := fetching.Add(1)
			defer fetching.Add(-1)
			for {
				m := most.Load()
				if now <= m || most.CompareAndSwap(m, now) {
					break
				}
			}
			time.Sleep(time.Millisecond) // so that fetches overlap
			return traceOf(sent, second[sent.TraceID]), nil
		},
		Keep: recording.Append,
		Done: func(row Row) { rows = append(rows, row) },
	})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				if !s.Admit(t.Context()) {
					t.Error("Admit returned false, expected true")
				}
				s.Over(exchanges[n-1-i])
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(rows) != n || recording.Requests != n {
		t.Fatalf("%d rows and %d recorded requests of %d", len(rows), recording.Requests, n)
	}
	if most.Load() > atOnce {
		t.Errorf("%d traces were fetched at once, expected at most atOnce", most.Load())
	}
	Sort(rows)
	for i, row := range rows {
		one, err := recording.Read(row.Place)
		if want := fmt.Sprintf("/%d", i); err != nil || row.Path != want || one.Requests[0].Path != want {
			t.Fatalf("row %d is %+v, its trace is %v with the error %v, expected the same path in both", i, row, one, err)
		}
		first := one.Requests[0].Calls[0].Attributes
		if first["user_agent.original"] != "kubectl" || first["apitrace.client.traceparent"] != "00-1" {
			t.Errorf("the first call has the attributes %v, expected the user agent and the client's traceparent", first)
		}
	}
}

// TestAdmitWaits checks that a client that is faster than the fetching waits, so that
// traces do not accumulate.
func TestAdmitWaits(t *testing.T) {
	release := make(chan struct{})
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) {
			<-release
			return traceOf(sent, 1), nil
		},
		Keep: func(context.Context, *trace.Request) (trace.Place, error) { return trace.Place{}, nil },
	})
	for range atOnce {
		if !s.Admit(t.Context()) || !s.hasRoom() {
			t.Fatal("with fewer than atOnce pending requests, a request was not admitted")
		}
		s.Over(exchange("/"))
	}
	if s.hasRoom() {
		t.Error("with atOnce pending requests, hasRoom is true, expected false")
	}
	gaveUp, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if s.Admit(gaveUp) {
		t.Error("with atOnce pending requests, Admit returned true, expected that it waits")
	}
	admitted := make(chan bool)
	go func() { admitted <- s.Admit(t.Context()) }()
	close(release)
	if !<-admitted {
		t.Error("after the traces were fetched, Admit returned false, expected true")
	}
	s.Close()
}

// TestKeepFails checks that, when a trace cannot be kept, earlier traces stay and
// later requests are not traced.
func TestKeepFails(t *testing.T) {
	full := errors.New("no space left")
	var failed []error
	kept, done := 0, 0
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) { return traceOf(sent, 1), nil },
		Keep: func(context.Context, *trace.Request) (trace.Place, error) {
			if kept++; kept > 2 {
				return trace.Place{}, full
			}
			return trace.Place{}, nil
		},
		Done:   func(Row) { done++ },
		Failed: func(err error) { failed = append(failed, err) },
	})
	for range 10 {
		s.Over(exchange("/"))
	}
	if err := s.Close(); !errors.Is(err, full) {
		t.Errorf("Close returned %v, expected the error of Keep", err)
	}
	if len(failed) != 1 || kept != 3 || done != 2 {
		t.Errorf("Failed was called with %v, Keep %d times, Done %d times; expected one error, 3 and 2 calls", failed, kept, done)
	}
	if s.Admit(t.Context()) || s.hasRoom() {
		t.Error("after an error of Keep, a request was admitted, expected none")
	}
}

func TestRows(t *testing.T) {
	x := exchange("/api/v1/nodes?watch=1")
	x.HungUp = true
	request := traceOf(x.Sent, 1)
	request.Incomplete = []string{"etcd made 1 more call"}
	refused := exchange("/")
	refused.Status = 0
	cut := newRow(x, request, nil)
	cut.HungUp, cut.Open = false, true
	rows := []Row{newRow(x, request, nil), newRow(refused, nil, errors.New("connection refused")), cut}
	var out bytes.Buffer
	if err := WriteTable(&out, rows, message.Printer{}); err != nil {
		t.Fatal(err)
	}
	want := `#  STATUS                 CALLS       TIME    ETCD                 REQUEST
1  200 (client hung up)   6+          1.23ms  Range, 2 Txn, Watch  GET /api/v1/nodes?watch=1
2  none                   not traced  1.23ms  -                    GET /
3  200 (open at the end)  6+          1.23ms  Range, 2 Txn, Watch  GET /api/v1/nodes?watch=1
`
	if out.String() != want {
		t.Errorf("the table is\n%s, want\n%s", out.String(), want)
	}
	if got := rows[1].String(); got != "none  not traced  1.23ms  -  GET /" {
		t.Errorf("the line is %q, expected the cells of row 2", got)
	}
}

// TestSummarize checks the rows of a recording. Duration is the duration of the first call.
func TestSummarize(t *testing.T) {
	request := traceOf(exchange("/a").Sent, 1)
	request.Calls[0].DurationNs = 2_000_000
	var out bytes.Buffer
	if err := WriteTable(&out, Summarize(&trace.Recording{Requests: []trace.Request{*request}}), message.Printer{}); err != nil {
		t.Fatal(err)
	}
	want := "#  STATUS  CALLS  TIME  ETCD                 REQUEST\n1  200     6      2ms   Range, 2 Txn, Watch  GET /a\n"
	if out.String() != want {
		t.Errorf("the table is\n%s, want\n%s", out.String(), want)
	}
}

// TestCausedRows checks the table of requests that caused others.
func TestCausedRows(t *testing.T) {
	begun := time.Unix(1, 0)
	request := func(method, path string, after time.Duration, call string, cause trace.Cause) trace.Request {
		return trace.Request{TraceID: "f", Method: method, Path: path, Start: begun.Add(after), Cause: cause, Calls: []trace.Call{{ID: call, DurationNs: 2e6}}}
	}
	posted := request("POST", "/pods", 0, "a", trace.Cause{})
	posted.TraceID, posted.Status = "e", 201
	rec := &trace.Recording{Requests: []trace.Request{
		posted,
		request("GET", "/other", time.Millisecond, "b", trace.Cause{}),
		request(trace.MethodEvent, "kube-scheduler ADDED Pod p", 3*time.Millisecond, "c", trace.Cause{TraceID: "e", Call: "a"}),
		request(trace.MethodEvent, "kubelet ADDED Pod p", 4*time.Millisecond, "d", trace.Cause{TraceID: "e", Call: "a"}),
		request("POST", "/binding", 5*time.Millisecond, "g", trace.Cause{TraceID: "f", Call: "h"}),
		request("PUT", "/broken", 6*time.Millisecond, "i", trace.Cause{TraceID: "f", Call: "i"}), // by itself
	}}
	event := &rec.Requests[2]
	event.Calls = append(event.Calls, trace.Call{ID: "h", StartNs: 1e6, DurationNs: 9e6}, trace.Call{ID: "watch", DurationNs: 9e9, Unfinished: true})
	var out bytes.Buffer
	if err := WriteTable(&out, Summarize(rec), message.Printer{}); err != nil {
		t.Fatal(err)
	}
	want := `#  STATUS  CALLS  AFTER  TIME  ETCD  REQUEST
1  201     1      0s     2ms   -     POST /pods
3  -       3      3ms    10ms  -       EVENT kube-scheduler ADDED Pod p
5  none    1      5ms    2ms   -         POST /binding
2  none    1      1ms    2ms   -     GET /other
6  none    1      6ms    2ms   -     PUT /broken
not listed: 1 events that caused no request
`
	if out.String() != want {
		t.Errorf("the table is\n%s, want\n%s", out.String(), want)
	}
}

// TestRowsAreInTheOrderOfAFile checks requests of which the first has caused one before the
// second was sent.
func TestRowsAreInTheOrderOfAFile(t *testing.T) {
	begun := time.Unix(1, 0)
	first := &trace.Request{TraceID: "a", Calls: []trace.Call{{ID: "1"}}}
	caused := &trace.Request{TraceID: "f", Calls: []trace.Call{{ID: "2"}}, Cause: trace.Cause{TraceID: "a", Call: "1"}}
	rows := []Row{{Path: "/first", Start: begun}, {Path: "/second", Start: begun.Add(2)}, {Path: "/caused", Start: begun.Add(1)}}
	var got []string
	for _, r := range byTime(rows, []*trace.Request{first, nil, caused}) {
		got = append(got, fmt.Sprint(r.Path, " by ", r.By))
	}
	if want := []string{"/first by 0", "/caused by 1", "/second by 0"}; !slices.Equal(got, want) {
		t.Errorf("the rows are %q, expected %q", got, want)
	}
}

// TestNotAnswered checks that a request without an answer has a trace if the server has
// seen the request, and otherwise a reason.
func TestNotAnswered(t *testing.T) {
	rows := map[string]Row{}
	s := New(Options{
		Fetch: func(_ context.Context, sent trace.Sent) (*trace.Request, error) {
			if sent.Path == "/refused" {
				return nil, errors.New("no traced program has seen it")
			}
			return traceOf(sent, 1), nil
		},
		Keep: func(context.Context, *trace.Request) (trace.Place, error) { return trace.Place{}, nil },
		Done: func(row Row) { rows[row.Path] = row },
	})
	for path, why := range map[string]error{"/refused": syscall.ECONNREFUSED, "/cut": errors.New("stream error")} {
		x := exchange(path)
		x.Status, x.Err = 0, why
		s.Over(x)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if refused := rows["/refused"]; !errors.Is(refused.Err, syscall.ECONNREFUSED) {
		t.Errorf("a refused connection: %+v, expected the error ECONNREFUSED", refused)
	}
	if cut := rows["/cut"]; cut.Err != nil || cut.Calls != 6 || cut.Status != 0 {
		t.Errorf("cut by the server: %+v, expected 6 calls and no status", cut)
	}
}

// byInterrupt is a context's cause, as after SIGINT.
type byInterrupt struct{}

func (byInterrupt) Error() string          { return "interrupt" }
func (byInterrupt) Signal() syscall.Signal { return syscall.SIGINT }

func TestClientRun(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh")
	}
	for name, test := range map[string]struct {
		script string
		status int
		out    string
	}{
		"success":           {"read x; echo $x $MINE", 0, "in env\n"},
		"failure":           {"exit 7", 7, ""},
		"a signal":          {"kill -9 $$", 128 + 9, ""},
		"leaves one behind": {"sleep 1000 & echo $!", 0, "pid"},
	} {
		var out bytes.Buffer
		c := Client{Args: []string{"/bin/sh", "-c", test.script}, Env: []string{"MINE=env", "PATH=" + os.Getenv("PATH")}, Stdin: strings.NewReader("in\n"), Stdout: &out}
		status, err := c.run(t.Context())
		if err != nil || status != test.status {
			t.Errorf("%s: exit status %d, %v, want %d", name, status, err, test.status)
		}
		if test.out == "pid" {
			var pid int
			fmt.Sscan(out.String(), &pid)
			awaitEnd(t, pid)
		} else if out.String() != test.out {
			t.Errorf("%s: printed %q, want %q", name, out.String(), test.out)
		}
	}
	if _, err := (Client{Args: []string{"no-such-program-anywhere"}}).run(t.Context()); err == nil || !strings.Contains(err.Error(), "starting the client") {
		t.Errorf("a missing program: got %v, expected an error about starting the client", err)
	}
}

// awaitEnd waits until a process has ended. The process may remain as a zombie.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	testenv.Await(t, fmt.Sprintf("process %d, which the client had started, has ended", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) != nil || err == nil && slices.Contains(strings.Fields(string(stat)), "Z")
	})
}

func TestClientSignals(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh")
	}
	for name, test := range map[string]struct {
		cause  error
		status int
	}{
		"an interrupt is passed on":    {byInterrupt{}, 42},
		"the end of the server is not": {errors.New("etcd ended"), 43},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		ready := &notice{text: "ready\n", seen: func() { cancel(test.cause) }}
		c := Client{Args: []string{"/bin/sh", "-c", "trap 'exit 42' INT; trap 'exit 43' TERM; echo ready; while :; do sleep 0.05; done"}, Env: os.Environ(), Stdout: ready}
		if status, err := c.run(ctx); err != nil || status != test.status {
			t.Errorf("%s: exit status %d, %v, want %d", name, status, err, test.status)
		}
	}
}

// A notice is an io.Writer that calls seen when its text is written.
type notice struct {
	text string
	seen func()
}

func (n *notice) Write(p []byte) (int, error) {
	if strings.Contains(string(p), n.text) {
		n.seen()
	}
	return len(p), nil
}

// TestClientStubborn checks that a client that ignores signals is killed.
func TestClientStubborn(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the grace period")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ready := &notice{text: "ready\n", seen: func() { cancel(byInterrupt{}) }}
	c := Client{Args: []string{"/bin/sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"}, Env: os.Environ(), Stdout: ready}
	if status, err := c.run(ctx); err != nil || status != 128+9 {
		t.Errorf("exit status %d, %v, expected 137, because it was killed", status, err)
	}
}
