// Package collect asks the probes of the traced programs for the calls of a
// request, and joins the calls into one trace.
//
// It knows the probes' wire format and the trace model. Package trace interprets
// a trace, and package render displays it.
package collect

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/instrument/probe"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

func queryFor(s *trace.Sent, secrets Secrets) probe.Query {
	q := probe.Query{Trace: s.TraceID, Secrets: secrets.query(s.Path)}
	if s.Boot && s.Stop.IsZero() {
		return q
	}
	return untilSettled(q)
}

// untilSettled makes the probe wait until the selected calls have ended, but not
// longer than openCallTimeout if nothing else happens.
func untilSettled(q probe.Query) probe.Query {
	q.SettleMillis, q.TimeoutMillis = int(settleTime.Milliseconds()), int(openCallTimeout.Milliseconds())
	return q
}

// Check is the result of the probes' checking mode; see probe.EnvCheck.
type Check struct {
	// Calls is the number of calls that the probes have compared with the real
	// stack since they started.
	Calls int64
	// Mismatches describes each difference in one sentence.
	Mismatches []string
}

// settleTime is how long a trace must be quiet before it counts as complete.
// Goroutines that continue the work of a request begin within microseconds of
// the answer.
const settleTime = 25 * time.Millisecond

// openCallTimeout is how long open calls delay a trace if nothing else happens in it.
// Calls that still run after this time are marked as unfinished. Mostly they
// belong to a goroutine that sleeps until a timeout.
const openCallTimeout = 250 * time.Millisecond

// answerTimeout limits the time until a probe's answer begins. A probe answers
// within 10 times openCallTimeout.
const answerTimeout = 20 * time.Second

// Request fetches the calls of a request from the probes. sockets maps the name
// of each traced program to the path of its socket. Request treats secrets like
// RequestWith with the zero Secrets.
//
// Request returns an error if the calls do not form a tree: then a call is
// missing, and a tree with a hole would be wrong.
func Request(ctx context.Context, sockets map[string]string, sent trace.Sent) (*trace.Request, *Check, error) {
	return RequestWith(ctx, sockets, sent, Secrets{})
}

// RequestWith is like Request, but treats secrets as its last argument says.
func RequestWith(ctx context.Context, sockets map[string]string, sent trace.Sent, secrets Secrets) (*trace.Request, *Check, error) {
	r := &trace.Request{TraceID: sent.TraceID, Method: sent.Method, Path: trace.KeepablePath(sent.Path), Status: sent.Status}
	chk := &Check{}
	var all []call
	// The programs are asked one after the other, because etcd cannot have
	// settled while kube-apiserver has not.
	q, secret := queryFor(&sent, secrets), secrets.Hold(sent.Path)
	for _, process := range inOrder(sockets, firstProcess(&sent)) {
		answer, err := query(ctx, sockets[process], q)
		if err != nil {
			return nil, nil, message.Errorf("asking the probe of %s for the calls of %s %s: %w", process, sent.Method, sent.Path, err)
		}
		if secret = secret || answer.Secret; secret && !secrets.Show {
			q.Secrets = probe.SecretsCut // the next program may not know that this is a request for secrets
		}
		chk.Calls += answer.Checked
		chk.Mismatches = append(chk.Mismatches, answer.Mismatches...)
		r.Incomplete = append(r.Incomplete, answer.incomplete(process)...)
		for _, record := range answer.records {
			all = append(all, call{process, record})
		}
	}
	all = withoutLateCalls(all)
	if len(all) == 0 {
		return nil, nil, message.Errorf("no traced program has seen %s %s (trace %s): is this the server that the request was sent to, and did it carry a sampled traceparent?", sent.Method, sent.Path, sent.TraceID)
	}
	if !sent.Stop.IsZero() {
		all = changedSince(all, sent.Stop)
	}
	join(r, all)
	if err := addTails(ctx, sockets, r, q.Secrets); err != nil {
		return nil, nil, err
	}
	if err := r.Sort(); err != nil {
		return nil, nil, message.Errorf("the calls of %s %s are not one tree: %w", sent.Method, sent.Path, err)
	}
	if !secrets.Show {
		redactValues(r, sent.Values)
	} else if secret {
		first := &r.Calls[0]
		if first.Attributes == nil {
			first.Attributes = map[string]string{}
		}
		first.Attributes[attrSecrets] = "shown: this trace may hold contents of secrets"
	}
	return r, chk, nil
}

// withoutLateCalls removes calls that came after the list of their callers was made. The
// goroutines of a start never end, so calls can begin at any time:
//
//   - A probe lists the leaves of a trace after the trace's other calls. It does not list
//     a caller that begins in between.
//   - The probe of another program is asked later. It lists the calls that it made for such a caller.
//
// A call without its caller stays if it is older than the newest call of the caller's
// program. The request then gives an error, because a call is missing. all must list the
// programs in the order in which their probes were asked.
func withoutLateCalls(all []call) []call {
	known, newest := make(map[probe.SpanID]bool, len(all)), map[uint32]int64{}
	for _, c := range all {
		if !c.Leaf {
			program := programOf(c.ID)
			known[c.ID], newest[program] = true, max(newest[program], c.Start)
		}
	}
	late := map[probe.SpanID]bool{}
	return slices.DeleteFunc(all, func(c call) bool {
		last, listed := newest[programOf(c.Parent)]
		if programOf(c.Parent) == programOf(c.ID) {
			listed = c.Leaf
		}
		if late[c.Parent] || !known[c.Parent] && listed && c.Start >= last {
			late[c.ID] = true
		}
		return late[c.ID]
	})
}

// programOf identifies the running program that a call is in: a probe gives all its calls
// ids with the same upper half.
func programOf(id probe.SpanID) uint32 { return uint32(id >> 32) }

// firstProcess returns the program that a trace begins in. For the trace of a start or
// an end it is the program that starts or ends. Otherwise it is "", which
// stands for kube-apiserver, the first program by name.
func firstProcess(sent *trace.Sent) string {
	if sent.Boot {
		return sent.Path
	}
	return ""
}

// inOrder lists the programs in the order that a request reaches them. The
// program first comes before all others.
//
// In the trace of a start, first is the program that starts. The trace ends when
// the probe of this program is asked. So calls that the program makes later are
// not in the answers of the other programs' probes.
func inOrder(sockets map[string]string, first string) []string {
	var names []string
	for name := range sockets {
		names = append(names, name)
	}
	last := func(name string) int {
		switch {
		case name == first:
			return -1
		case trace.ProcessOf(name).Store:
			return 1
		}
		return 0
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a, b))
	})
	return names
}

type call struct {
	process string
	probe.Record
}

// join fills in r.Start and r.Calls.
func join(r *trace.Request, all []call) {
	alignClocks(all)
	known := make(map[probe.SpanID]bool, len(all))
	first := all[0].Start
	for _, c := range all {
		known[c.ID] = true
		first = min(first, c.Start)
	}
	r.Start = time.Unix(0, first)
	r.Calls = make([]trace.Call, 0, len(all))
	for _, c := range all {
		t := c.inTrace(r.Start)
		if c.Seq == 0 && !known[c.Parent] {
			t.Parent = "" // the client's span
		}
		r.Calls = append(r.Calls, t)
	}
}

// alignClocks moves the calls of a process to later times if one of them would
// begin before its caller in another process.
//
// A probe reads the clock once for a trace. If the probe is interrupted at that
// moment, as on a busy machine, all its times are wrong by the same amount. The
// process of the request's first call keeps its times. all must list the
// processes in the order that a request reaches them.
func alignClocks(all []call) {
	byID := make(map[probe.SpanID]*call, len(all))
	var processes []string
	for i := range all {
		byID[all[i].ID] = &all[i]
		if !slices.Contains(processes, all[i].process) {
			processes = append(processes, all[i].process)
		}
	}
	for _, process := range processes {
		var behind int64 // in nanoseconds
		isFirst := false
		for _, c := range all {
			parent := byID[c.Parent]
			switch {
			case c.process != process:
			case parent == nil: // the request came from a client
				isFirst = true
			case parent.process != process:
				behind = max(behind, parent.Start-c.Start)
			}
		}
		for i := range all {
			if all[i].process == process && !isFirst {
				all[i].Start += behind
			}
		}
	}
}

// inTrace converts the call to the trace model. start is the start of the trace. Texts of
// the server may contain any bytes that a client sent.
func (c *call) inTrace(start time.Time) trace.Call {
	t := trace.Call{
		ID: c.ID.String(), Function: c.Function, File: c.File, Line: c.Line, CallerLine: c.CallerLine,
		Process: c.process, Goroutine: c.Goroutine, NewGoroutine: c.NewGoroutine,
		StartNs: c.Start - start.UnixNano(), DurationNs: c.Duration, Leaf: c.Leaf, Unfinished: c.Unfinished, Error: trace.KeepableText(c.Error), Panic: trace.KeepableText(c.Panic),
	}
	if c.Parent != 0 {
		t.Parent = c.Parent.String()
	}
	if len(c.Attrs) > 0 {
		t.Attributes = make(map[string]string, len(c.Attrs))
	}
	for _, a := range c.Attrs {
		t.Attributes[a.Key] = trace.KeepableText(a.Value)
	}
	return t
}

// An answer is the answer of one probe.
type answer struct {
	probe.Header
	records []probe.Record
}

// incomplete describes the missing calls of a process, and why they are
// missing. It does not count calls that had not returned, because the trace has
// them as unfinished calls.
func (a *answer) incomplete(process string) []string {
	var said []string
	if a.Dropped > 0 {
		said = append(said, trace.LacksDropped(process, a.Dropped))
	}
	return said
}

func query(ctx context.Context, socket string, q probe.Query) (*answer, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, message.Errorf("%w: has the program ended, or was it built without the probe?", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	a := &answer{}
	in := bufio.NewReaderSize(conn, 64<<10)
	// The kernel accepts connections even for a suspended program.
	_ = conn.SetReadDeadline(time.Now().Add(answerTimeout))
	if a.Header, err = probe.ReadHeader(in); err != nil {
		return nil, errors.Join(message.Errorf("reading the probe's answer: %w", err), ctx.Err())
	}
	_ = conn.SetReadDeadline(time.Time{})
	if a.Error != "" {
		return nil, message.Errorf("nothing is traced: %s", a.Error)
	}
	if a.records, err = probe.ReadRecords(in, a.Calls); err != nil {
		return nil, errors.Join(message.Errorf("reading the probe's answer: %w", err), ctx.Err())
	}
	return a, nil
}
