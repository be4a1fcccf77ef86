package probe

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// listenForTest makes the probe record calls and answer queries on a socket, until the
// end of the test.
func listenForTest(tb testing.TB) (socket string) {
	tb.Helper()
	dir, err := os.MkdirTemp("", "probe") // the path of a unix socket must be short
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	start(socket)
	if failure != nil {
		tb.Fatal(failure)
	}
	tb.Cleanup(func() { listening.Store(false) })
	return socket
}

// The functions below stand for instrumented code.

var (
	rootSite = Site{Function: "p.root", File: "p/p.go", Line: 1}
	callSite = Site{Function: "p.call", File: "p/p.go", Line: 2}
	leafSite = Site{Function: "p.leafCall", File: "p/p.go", Line: 3}
)

func root(traceparent any, f func()) {
	if c := Root(Labels(), &rootSite, traceparent); c != nil {
		defer c.Exit(nil)
	}
	f()
}

func call(f func() error) (err error) {
	if On() {
		if l := Labels(); l != nil {
			defer Enter(l, &callSite).Exit(&err)
		}
	}
	return f()
}

//go:noinline
func leafCall(n int) int {
	if On() {
		if l := Labels(); l != nil {
			Leaf(l, &leafSite)
		}
	}
	return n + 1
}

func traceID(n int) string        { return fmt.Sprintf("%032x", n) }
func sampled(trace string) string { return "00-" + trace + "-00000000000000aa-01" }

func fetch(t *testing.T, socket string, q Query) (Header, []Record) {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	h, err := ReadHeader(in)
	if err != nil {
		t.Fatal(err)
	}
	records, err := ReadRecords(in, h.Calls)
	if err != nil {
		t.Fatal(err)
	}
	return h, records
}

func nothing() error { return nil }

func TestOnlySampledRequestsAreTraced(t *testing.T) {
	socket := listenForTest(t)
	trace := traceID(1)
	for _, traceparent := range []any{"", nil, "00-" + trace + "-00000000000000aa-00", []string{}, "nonsense"} {
		root(traceparent, func() {
			if Labels() != nil {
				t.Errorf("a request with the traceparent %v is traced, expected no trace", traceparent)
			}
			_ = call(nothing)
		})
	}
	if h, _ := fetch(t, socket, Query{Trace: trace}); h.Calls != 0 {
		t.Errorf("%d calls of untraced requests were recorded, expected none", h.Calls)
	}
	root([]string{sampled(trace)}, func() { _ = call(nothing) })
	h, records := fetch(t, socket, Query{Trace: trace, TimeoutMillis: 1000})
	if h.Calls != 2 || records[0].Parent != 0xaa || records[1].Parent != records[0].ID {
		t.Errorf("expected the root call and a call below it, got %+v", records)
	}
	if h, _ := fetch(t, socket, Query{Trace: trace}); h.Calls != 0 {
		t.Errorf("a trace that was fetched still has %d calls, expected none", h.Calls)
	}
}

func TestLabelsAreRestored(t *testing.T) {
	listenForTest(t)
	before := Labels()
	root(sampled(traceID(2)), func() {
		during := Labels()
		_ = call(nothing)
		if Labels() != during {
			t.Error("a call left its labels behind")
		}
		// The runtime's own reader of labels must understand ours.
		var b strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil || !strings.Contains(b.String(), `"apitrace":"`+traceID(2)+`"`) {
			t.Errorf("the goroutine profile (%v) does not show the trace's label", err)
		}
	})
	if Labels() != before {
		t.Error("the root call left its labels behind")
	}
}

func TestUnfinishedCalls(t *testing.T) {
	socket := listenForTest(t)
	release, done := make(chan bool), make(chan bool)
	go func() {
		root(sampled(traceID(3)), func() {
			_ = call(func() error { done <- true; <-release; return errors.New("late") })
		})
		done <- true
	}()
	<-done
	start := time.Now()
	_, records := fetch(t, socket, Query{Trace: traceID(3), SettleMillis: 10, TimeoutMillis: 100})
	if waited := time.Since(start); waited < 100*time.Millisecond {
		t.Errorf("the probe answered after %s, although calls were still running", waited)
	}
	if len(records) != 2 || !records[0].Unfinished || !records[1].Unfinished || records[1].Error != "" {
		t.Errorf("expected two unfinished calls without an error, got %+v", records)
	}
	late := traces.late.Load()
	release <- true
	<-done
	root(sampled(traceID(3)), func() {}) // the same id begins a new trace
	if h, _ := fetch(t, socket, Query{Trace: traceID(3), TimeoutMillis: 100}); h.Calls != 1 || h.Late != late {
		t.Errorf("the header of the new trace is %+v, expected one call and no late calls", h)
	}
}

func TestGoroutinesThatOutliveTheirTraceAreCounted(t *testing.T) {
	socket := listenForTest(t)
	release, done := make(chan bool), make(chan bool)
	root(sampled(traceID(4)), func() {
		go func() { <-release; _ = call(nothing); done <- true }()
	})
	fetch(t, socket, Query{Trace: traceID(4), SettleMillis: 1, TimeoutMillis: 100})
	late := traces.late.Load()
	release <- true
	<-done
	if traces.late.Load() != late+1 {
		t.Error("the late call was not counted")
	}
}

func TestReaderThatGoesAway(t *testing.T) {
	socket := listenForTest(t)
	root(sampled(traceID(5)), func() {
		for range 20_000 {
			_ = call(nothing)
		}
	})
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, `{"trace":%q,"timeoutMillis":100}`+"\n", traceID(5))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	conn.Close() // in the middle of the answer
	// The probe notices when its write fails, a moment later.
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		h, _ := fetch(t, socket, Query{Trace: traceID(5), TimeoutMillis: 100})
		if h.Calls == 20_001 {
			return
		}
		if h.Calls != 0 || time.Now().After(deadline) {
			t.Fatalf("%d calls the second time, expected all 20001", h.Calls)
		}
	}
}

func TestUnfetchedTracesMakeRoomAndAreCounted(t *testing.T) {
	socket := listenForTest(t)
	setForTest(t, &maxRetained, traces.retained.Load()+10_000*int64(unsafe.Sizeof(Call{})))
	before := traces.undelivered.Load()
	const perTrace = 4000
	for n := range 6 {
		root(sampled(traceID(100+n)), func() {
			for range perTrace - 1 {
				_ = call(nothing)
			}
		})
	}
	delivered := 0
	for n := range 6 {
		h, _ := fetch(t, socket, Query{Trace: traceID(100 + n), TimeoutMillis: 100})
		if h.Calls != 0 && h.Calls != perTrace || n == 0 && h.Calls != 0 || n == 5 && h.Calls == 0 {
			t.Errorf("got %d calls of trace %d: expected all or none, none of the first and all of the last", h.Calls, n)
		}
		delivered += h.Calls
	}
	if lost := traces.undelivered.Load() - before; lost < int64(6*perTrace-delivered) || delivered > 4*perTrace {
		t.Errorf("%d of %d calls were delivered and %d counted as undelivered, expected that all others are counted", delivered, 6*perTrace, lost)
	}
}

func setForTest[T any](t *testing.T, variable *T, value T) {
	t.Helper()
	old := *variable
	*variable = value
	t.Cleanup(func() { *variable = old })
}

func TestATraceThatIsTooLarge(t *testing.T) {
	socket := listenForTest(t)
	setForTest(t, &maxCalls, 1000)
	root(sampled(traceID(6)), func() {
		for range 1009 {
			_ = call(nothing)
		}
	})
	h, _ := fetch(t, socket, Query{Trace: traceID(6), TimeoutMillis: 100})
	if h.Calls != 1000 || h.Dropped != 10 {
		t.Errorf("%d calls, %d dropped, expected 1000 and 10", h.Calls, h.Dropped)
	}
}

// TestLeavesOfATraceThatIsTooLarge checks that a leaf is not recorded below the caller of a
// call that was dropped.
func TestLeavesOfATraceThatIsTooLarge(t *testing.T) {
	socket := listenForTest(t)
	setForTest(t, &maxCalls, 10)
	root(sampled(traceID(63)), func() {
		for range 20 {
			_ = call(func() error { leafCall(1); return nil })
		}
	})
	h, records := fetch(t, socket, Query{Trace: traceID(63), TimeoutMillis: 100})
	for _, r := range records {
		if r.Function == "p.leafCall" && r.Parent == records[0].ID {
			t.Errorf("a leaf was recorded below %s, expected p.call", records[0].Function)
		}
	}
	if h.Calls+int(h.Dropped) != 41 || h.Dropped == 0 {
		t.Errorf("%d calls, %d dropped, expected 41 together", h.Calls, h.Dropped)
	}
}

func TestManyTracesAtOnceConcurrentSafe(t *testing.T) {
	socket := listenForTest(t)
	const traces, goroutines, calls = 20, 5, 300
	var wg sync.WaitGroup
	for n := range traces {
		wg.Go(func() {
			root(sampled(traceID(200+n)), func() {
				var children sync.WaitGroup
				for range goroutines {
					children.Go(func() {
						for range calls {
							_ = call(func() error { return errors.New(traceID(n)) })
						}
					})
				}
				children.Wait()
			})
		})
	}
	wg.Wait()
	for n := range traces {
		h, records := fetch(t, socket, Query{Trace: traceID(200 + n), TimeoutMillis: 1000})
		if h.Calls != 1+goroutines*calls {
			t.Errorf("trace %d has %d calls, expected all", n, h.Calls)
		}
		for _, r := range records[1:] {
			if r.Error != traceID(n) || !r.NewGoroutine || r.Parent != records[0].ID {
				t.Fatalf("trace %d: a call is not as expected: %+v", n, r)
			}
		}
	}
}

func TestErrorsThatPanicDoNoHarm(t *testing.T) {
	socket := listenForTest(t)
	root(sampled(traceID(7)), func() {
		_ = call(func() error { var e *os.PathError; return e })
		_ = call(func() error { return errors.New(strings.Repeat("ä", maxError)) })
	})
	_, records := fetch(t, socket, Query{Trace: traceID(7), TimeoutMillis: 100})
	if got := records[1].Error; got != "(*fs.PathError, whose Error method panicked)" {
		t.Errorf("got the error %q, expected the type and the panic of its Error method", got)
	}
	if got := records[2].Error; len(got) > maxError+40 || !strings.HasSuffix(got, "ä… (2048 bytes more)") {
		t.Errorf("a long error has %d bytes and ends in %q, expected that its text is cut", len(got), got[len(got)-30:])
	}
}

func TestClock(t *testing.T) {
	var from moment
	var s scale
	// now reads the clock and the counter. The process may be interrupted between the two
	// readings, so there are several attempts.
	for attempt := 1; ; attempt++ {
		from = now()
		time.Sleep(20 * time.Millisecond) // the time that is measured
		middle := now()
		time.Sleep(30 * time.Millisecond)
		s = scale{from, now()}
		want := int64(middle.clock.Sub(from.clock))
		got := s.since(middle.ticks)
		if got >= want-100_000 && got <= want+100_000 {
			break
		}
		if attempt == 100 {
			t.Fatalf("the counter says that %d ns have passed, the clock %d", got, want)
		}
	}
	if got := s.since(from.ticks - 5); got != 0 {
		t.Errorf("before the beginning: got %d ns, expected 0", got)
	}
	for i := range 1000 {
		if a, b := ticks(), ticks(); b < a {
			t.Fatalf("reading %d went back by %d ticks", i, a-b)
		}
	}
}

func TestFormat(t *testing.T) {
	type name string
	n := 3
	secret := struct{ Token string }{"secret"}
	for _, test := range []struct {
		value any
		want  string
	}{
		{"text", "text"}, {name("named"), "named"}, {[]string{"a", "b"}, "a,b"}, {-4, "-4"}, {uint8(4), "4"},
		{true, "true"}, {1.5, "1.5"}, {&n, "3"}, {errors.New("error"), "error"}, {time.Second, "1s"},
		{secret, `(struct { Token string })`}, {&secret, `(*struct { Token string })`}, {[]byte("secret"), "([]uint8)"},
		{map[string]string{"a": "secret"}, "(map[string]string)"}, {Type(&callSite), "*" + packagePath + ".Site"}, {Type(nil), "nil"},
		{stored("secret"), "(" + packagePath + ".stored)"}, {verbs{"get", "list"}, "[get list]"},
	} {
		if got := format(test.value); got != test.want {
			t.Errorf("%#v is %q, expected %q", test.value, got, test.want)
		}
	}
}

func FuzzTraceparent(f *testing.F) {
	for _, s := range []string{sampled(traceID(1)), "", "00-", "ff" + sampled(traceID(1))[2:], sampled(traceID(1)) + "-more", "01" + sampled(traceID(1))[2:] + "-more", sampled(traceID(0))} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		trace, parent, _, ok := parseTraceparent(s)
		if !ok {
			return
		}
		if !strings.HasPrefix(s[2:], "-"+trace+"-"+parent.String()+"-") || len(trace) != 32 || parent == 0 || strings.Trim(trace, "0") == "" {
			t.Errorf("%q gives trace %q, parent %q", s, trace, parent)
		}
	})
}

// A greedy revision has a String method that needs so much stack that the goroutine's
// stack moves.
type greedy struct{}

func (greedy) String() string { return digit(make([]byte, 1), 0) }

//go:noinline
func digit(b []byte, depth int) string {
	var frame [1 << 10]byte
	if depth < 200 {
		return digit(append(b, frame[depth]), depth+1)
	}
	return "7"
}

func TestPositionsSurviveAStackThatMoves(t *testing.T) {
	listenForTest(t)
	root(sampled(traceID(90)), func() {
		done := make(chan bool)
		go func() { // the stack of a new goroutine is small
			defer close(done)
			setLabels(nil)
			took := func() {
				defer After(nil, &rootSite, 1, true, greedy{}).Exit(nil)
				_ = call(nothing)
			}
			took()
		}()
		<-done
	})
	tail := tails.get(tailID("7"))
	defer tails.remove(tail)
	took, _ := tail.snapshot()
	if begun, over := tail.progress(); len(took) != 2 || begun != 2 || over != 2 || took[1].callPC == 0 {
		t.Errorf("expected two ended calls, and the second with the place of its caller, got %+v", took)
	}
}

// TestRest checks that inserted code looks for labels while there is a trace, and stops
// after a while without traces.
func TestRest(t *testing.T) {
	setForTest(t, &offDelay, time.Millisecond)
	r := &registry{full: func(*registry) bool { return false }}
	rest := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.scheduleOff()
	}
	offScheduled := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.offScheduled
	}
	one := r.open(traceID(70))
	rest()
	for offScheduled() {
		time.Sleep(time.Millisecond)
	}
	if !On() {
		t.Error("inserted code does not look for labels although there is a trace")
	}
	r.remove(one)
	rest()
	for On() {
		time.Sleep(time.Millisecond)
	}
	if r.open(traceID(71)); !On() {
		t.Error("inserted code does not look for labels although a trace has begun")
	}
}
