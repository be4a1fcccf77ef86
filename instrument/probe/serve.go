//go:build go1.26

package probe

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

var (
	// listening is set if traces are recorded. They are recorded if a reader can fetch
	// them.
	listening atomic.Bool
	// failure is set if tracing was requested but is not possible.
	failure error
	// processID is the upper half of this process's span ids.
	processID uint32
)

func init() {
	if path := os.Getenv(EnvSocket); path != "" {
		start(path)
	}
}

// start makes the probe record traces and answer queries on a unix socket. A failure
// never stops the program. start reports it in the answers, or on stderr if no reader can
// query.
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
		setLabels(nil) // the start of the probe is not part of the program's start
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

// deliver ends a trace and writes its calls. If the writing fails, the trace is kept for
// another query.
func deliver(conn net.Conn, q Query) error {
	h := Header{Process: os.Getenv(EnvProcess), Trace: q.Trace, Undelivered: traces.undelivered.Load(), Late: traces.late.Load()}
	if failure != nil {
		h.Error = failure.Error()
	}
	if q.Follow || q.Pending || q.Peek {
		t := h.progress(q)
		var calls []entry
		if q.Peek && t != nil {
			calls = inOrder(t.snapshot())
			h.Calls = len(calls)
		}
		return write(conn, h, t, calls, q.Secrets)
	}
	idle, timeout := time.Duration(q.SettleMillis)*time.Millisecond, time.Duration(q.TimeoutMillis)*time.Millisecond
	t := traces.get(q.Trace)
	if q.Revision != 0 {
		t = awaitTail(q.Revision, timeout)
	}
	var calls []entry
	if t != nil {
		calls = inOrder(t.settle(idle, timeout))
		t.in.remove(t)
		unfollow(t)
		h.Calls, h.Dropped, h.Secret = len(calls), t.dropped.Load(), t.secret.Load()
	}
	h.Checked, h.Mismatches = checks.done.Load(), takeMismatches()
	err := write(conn, h, t, calls, q.Secrets)
	if err != nil && t != nil {
		t.in.restore(t)
	}
	return err
}

// progress answers a query with Follow, Pending or Peek. It returns the trace, or nil.
func (h *Header) progress(q Query) *tracing {
	if failure != nil {
		return nil
	}
	t := traces.get(q.Trace)
	if q.Follow || t != nil && t == followed.Load() {
		if err := follow(q.Trace); err != nil {
			h.Error = err.Error()
			return nil
		}
		t = followed.Load()
	}
	h.Progress = &Progress{}
	if t != nil {
		h.Progress.Begun, h.Progress.Over = t.progress()
		h.Progress.Begun += t.leaves.size()
		h.Progress.Over += t.leaves.size()
		h.Progress.Queued = given.queued(t)
		h.Dropped, h.Secret = t.dropped.Load(), t.secret.Load()
	}
	return t
}

func write(conn net.Conn, h Header, t *tracing, calls []entry, secrets string) error {
	w := bufio.NewWriterSize(conn, 64<<10)
	until := now()
	cut := t != nil && t.secret.Load() && secrets != SecretsShow || secrets == SecretsCut
	if err := json.NewEncoder(w).Encode(h); err != nil {
		return err
	}
	out := NewRecordWriter(w)
	var notes map[uint32][]*note
	if t != nil {
		notes = t.notesByCall()
	}
	for seq, e := range calls {
		var r Record
		if e.call == nil {
			r = t.leafRecord(e.leaf, until)
		} else {
			r = t.record(e.call, until)
			r.add(notes[e.call.seq], cut)
		}
		r.Seq = uint32(seq)
		if err := out.Write(&r); err != nil {
			return err
		}
	}
	return w.Flush()
}

// An entry is a call or a leaf.
type entry struct {
	call *Call
	leaf writtenLeaf // if call is nil
}

// inOrder merges the calls and the leaves of a trace, each in order of entry. A leaf
// knows the number of calls that began before it.
func inOrder(calls []*Call, leaves []writtenLeaf) []entry {
	// Two goroutines may get the numbers of their leaves in one order, and the numbers of
	// calls in the other.
	slices.SortStableFunc(leaves, func(a, b writtenLeaf) int { return cmp.Compare(a.callsBefore, b.callsBefore) })
	all := make([]entry, 0, len(calls)+len(leaves))
	for _, c := range calls {
		for len(leaves) > 0 && leaves[0].callsBefore <= c.seq {
			all = append(all, entry{leaf: leaves[0]})
			leaves = leaves[1:]
		}
		all = append(all, entry{call: c})
	}
	for _, l := range leaves {
		all = append(all, entry{leaf: l})
	}
	return all
}

// settle waits until the trace is over, as Query describes, and returns its calls and
// leaves.
func (t *tracing) settle(idle, timeout time.Duration) ([]*Call, []writtenLeaf) {
	const step = 5 * time.Millisecond
	lastEntered, lastOver, start := int64(-1), int64(-1), time.Now()
	since := start
	for {
		begun, over := t.progress()
		if entered := begun + t.leaves.size(); entered != lastEntered || over != lastOver {
			lastEntered, lastOver, since = entered, over, time.Now()
		}
		patience := timeout
		if over == begun {
			patience = idle
		}
		if time.Since(since) >= patience || time.Since(start) >= 10*timeout {
			return t.snapshot()
		}
		time.Sleep(step)
	}
}

// record returns a call in wire form, without its notes. until is the end of a call that
// is still running.
func (t *tracing) record(c *Call, until moment) Record {
	time := scale{t.began, until}
	start := time.since(c.start)
	site, parent := c.site(), t.parentOf(c)
	r := Record{
		ID:       c.spanID(),
		Function: site.Function, File: site.File, Line: site.Line,
		Goroutine: c.goroutine, NewGoroutine: c.inherits(parent),
		Start: t.began.clock.UnixNano() + start,
	}
	r.CallerLine = callerLine(parent, c.callPC, r.NewGoroutine)
	if c.state.Load() == returned {
		r.Duration = time.since(c.end) - start
	} else {
		r.Duration, r.Unfinished = time.since(until.ticks)-start, true
	}
	if parent == nil {
		r.Parent = t.remote(c.seq)
	} else {
		r.Parent = parent.spanID()
	}
	return r
}

// add adds notes to the record. cut withholds the texts of errors.
func (r *Record) add(notes []*note, cut bool) {
	for _, n := range notes {
		switch n.kind {
		case noteValue:
			r.Attrs = append(r.Attrs, Attr{n.key, n.text.shown(cut)})
		case noteError:
			r.Error = n.text.shown(cut)
		case notePanic:
			r.Panic = n.text.full
		case noteStage:
			r.Stage = int(n.stage)
		}
	}
}

// leafRecord returns a leaf in wire form.
func (t *tracing) leafRecord(l writtenLeaf, until moment) Record {
	return Record{
		ID: l.spanID(), Parent: l.parent.spanID(), Leaf: true,
		Function: l.site.Function, File: l.site.File, Line: l.site.Line,
		Goroutine: l.goroutine, NewGoroutine: l.inherited, CallerLine: callerLine(l.parent, l.callPC, l.inherited),
		Start: t.began.clock.UnixNano() + scale{t.began, until}.since(l.start),
	}
}

// callerLine returns the line of a call in the parent, or 0. callPC is the place where
// control left the parent. If inherited is set, it is the go statement that started the
// goroutine.
func callerLine(parent *Call, callPC uintptr, inherited bool) int {
	if callPC == 0 || !inherited {
		return callSites.line(callPC)
	}
	// The go statement may be in a library that the parent called. If so, the line in
	// the parent is unknown.
	f, _ := runtime.CallersFrames([]uintptr{callPC}).Next()
	if f.Func == nil || f.Entry != runtime.FuncForPC(parent.self).Entry() {
		return 0
	}
	return f.Line
}
