//go:build go1.26

package probe

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

var (
	// listening is whether traces are recorded: somebody can fetch them.
	listening atomic.Bool
	// failure says why nothing is traced although it was asked for.
	failure error
	// processID tells this process's span ids from those of others.
	processID uint32
)

func init() {
	if path := os.Getenv(EnvSocket); path != "" {
		start(path)
	}
}

// start makes the probe record traces and answer queries on a unix socket. A
// failure is told to the one who queries, or to stderr if nobody can query; it
// never stops the program.
func start(path string) {
	if failure = calibrate(); failure == nil {
		failure = checkLabelLayout()
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails, see its documentation
	processID = binary.BigEndian.Uint32(id[:])
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "apitrace probe: nothing is traced: listening on %s: %v\n", path, err)
		return
	}
	listening.Store(failure == nil)
	if failure == nil {
		traceBoot(os.Getenv(EnvBoot))
	}
	go func() {
		setLabels(nil) // the start of the probe is no part of the program's
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
}

// answer serves the queries of one reader.
func answer(conn net.Conn) {
	defer conn.Close()
	in := json.NewDecoder(conn)
	for {
		var q Query
		if err := in.Decode(&q); err != nil {
			return
		}
		if err := deliver(conn, q); err != nil {
			return
		}
	}
}

// deliver ends a trace and writes its calls. If the reader does not take them all,
// the trace is kept for another try.
func deliver(conn net.Conn, q Query) error {
	h := Header{Process: os.Getenv(EnvProcess), Trace: q.Trace, Undelivered: traces.undelivered.Load(), Late: traces.late.Load()}
	if failure != nil {
		h.Error = failure.Error()
	}
	quiet, timeout := time.Duration(q.SettleMillis)*time.Millisecond, time.Duration(q.TimeoutMillis)*time.Millisecond
	t := traces.get(q.Trace)
	if q.Revision != 0 {
		t = awaitTail(q.Revision, timeout)
	}
	var calls []*Call
	if t != nil {
		calls = t.settle(quiet, timeout)
		t.in.remove(t)
		h.Calls, h.Dropped, h.Secret = len(calls), t.dropped.Load(), t.secret.Load()
	}
	h.Checked, h.Mismatches = checks.done.Load(), takeMismatches()
	err := write(conn, h, t, calls, q.Secrets)
	if err != nil && t != nil {
		t.in.restore(t)
	}
	return err
}

func write(conn net.Conn, h Header, t *tracing, calls []*Call, secrets string) error {
	w := bufio.NewWriterSize(conn, 64<<10)
	out := json.NewEncoder(w)
	until := now()
	cut := t != nil && t.secret.Load() && secrets != SecretsShow || secrets == SecretsCut
	if err := out.Encode(h); err != nil {
		return err
	}
	for _, c := range calls {
		if err := out.Encode(t.record(c, until, cut)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// settle waits until the trace is over, as Query says, and returns the calls.
func (t *tracing) settle(quiet, timeout time.Duration) []*Call {
	const step = 5 * time.Millisecond
	lastBegun, lastOver, start := -1, -1, time.Now()
	since := start
	for {
		calls, over := t.calls()
		if len(calls) != lastBegun || over != lastOver {
			lastBegun, lastOver, since = len(calls), over, time.Now()
		}
		patience := timeout
		if over == len(calls) {
			patience = quiet
		}
		if time.Since(since) >= patience || time.Since(start) >= 10*timeout {
			return calls
		}
		time.Sleep(step)
	}
}

// record renders a call for the wire. A call that is still running is taken to last until
// the given moment. cut keeps the texts of errors here.
func (t *tracing) record(c *Call, until moment, cut bool) Record {
	time := scale{t.began, until}
	start := time.since(c.start)
	r := Record{
		ID: c.spanID(), Seq: c.seq,
		Function: c.site.Function, File: c.site.File, Line: c.site.Line,
		Goroutine: c.goroutine, NewGoroutine: c.inherited,
		Start: t.began.clock.UnixNano() + start,
	}
	if c.parent != nil {
		r.Parent = c.parent.spanID()
	}
	r.CallerLine = callerLine(c)
	if c.state.Load() == returned {
		r.Duration = time.since(c.end) - start
	} else {
		r.Duration, r.Unfinished = time.since(until.ticks)-start, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := c.notes; n != nil {
		r.Error, r.Panic, r.Stage = n.err.shown(cut), n.panicked, n.stage
		for _, v := range n.attrs {
			r.Attrs = append(r.Attrs, Attr{v.key, v.text.shown(cut)})
		}
	}
	if c.parent == nil {
		r.Parent = t.remotes[c.seq]
	}
	return r
}

// callerLine is the line in the parent from which the call was made, or 0.
func callerLine(c *Call) int {
	if c.callPC == 0 || !c.inherited {
		return callSites.line(c.callPC)
	}
	// The go statement may stand in a library that the parent called. Then the
	// line in the parent is not known.
	f, _ := runtime.CallersFrames([]uintptr{c.callPC}).Next()
	if f.Func == nil || f.Entry != runtime.FuncForPC(c.parent.self).Entry() {
		return 0
	}
	return f.Line
}
