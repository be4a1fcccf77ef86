package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// An event is an event of the Trace Event Format. chrome://tracing and ui.perfetto.dev read
// this format.
type event struct {
	Name string `json:"name"`
	Cat  string `json:"cat,omitempty"`
	// Ph is the event's kind: "X" for a call, "i" for a moment, "s" and "f" for an
	// arrow's ends, "M" for a name.
	Ph string `json:"ph"`
	// S is the scope of a moment: "t", its thread.
	S string `json:"s,omitempty"`
	// Ts and Dur are in microseconds, with nanoseconds as the fraction.
	Ts  json.Number `json:"ts,omitempty"`
	Dur json.Number `json:"dur,omitempty"`
	Pid int         `json:"pid"`
	Tid uint64      `json:"tid"`
	// ID links the ends of an arrow.
	ID int `json:"id,omitempty"`
	// Bp is "e" for an arrow to the slice around its end, not to the next slice.
	Bp   string         `json:"bp,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// WriteChrome writes the recording as JSON trace events: a process for each traced
// program, a thread for each goroutine, and a slice for each call. An arrow leads to
// each call on another goroutine or in another process than its parent. Arrows "cause" lead
// to each request or event from the call that caused it, and to a call from its further causes.
// A call with only a recorded entry is a moment.
func WriteChrome(w io.Writer, rec *trace.Recording) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("writing trace events: %w", err)
	}
	out := bufio.NewWriter(w)
	c := &chromeWriter{out: out, pids: map[string]int{}, threads: map[thread]bool{}}
	fmt.Fprint(out, `{"displayTimeUnit":"ns","otherData":`)
	if err := c.json(map[string]string{"scenario": rec.Scenario, "k8sVersion": rec.K8sVersion, "etcdVersion": rec.EtcdVersion}); err != nil {
		return err
	}
	fmt.Fprint(out, `,"traceEvents":[`)
	starts := requestStarts(rec)
	for i := range rec.Requests {
		tree, err := trace.NewTree(&rec.Requests[i])
		if err != nil {
			return message.Errorf("writing trace events: %w", err)
		}
		if err := c.request(tree, starts[i]); err != nil {
			return message.Errorf("writing trace events: %w", err)
		}
	}
	if err := c.causes(rec, starts); err != nil {
		return message.Errorf("writing trace events: %w", err)
	}
	fmt.Fprint(out, "\n]}\n")
	return out.Flush()
}

// requestStarts returns each request's start in nanoseconds, counted from the first
// request. If any start is unknown, each request begins when all earlier ones have
// ended.
func requestStarts(rec *trace.Recording) []int64 {
	starts := make([]int64, len(rec.Requests))
	known := true
	first := rec.Requests[0].Start
	for _, r := range rec.Requests {
		known = known && !r.Start.IsZero()
		if r.Start.Before(first) {
			first = r.Start
		}
	}
	var next int64
	for i, r := range rec.Requests {
		starts[i] = next
		if known {
			starts[i] = int64(r.Start.Sub(first))
		}
		for _, call := range r.Calls {
			next = max(next, starts[i]+call.StartNs+call.DurationNs)
		}
	}
	return starts
}

type thread struct {
	pid       int
	goroutine uint64
}

type chromeWriter struct {
	out     *bufio.Writer
	pids    map[string]int // by process, in order of appearance
	threads map[thread]bool
	events  int
	arrows  int
}

func (c *chromeWriter) json(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = c.out.Write(text)
	}
	return err
}

func (c *chromeWriter) event(e event) error {
	if c.events++; c.events > 1 {
		c.out.WriteByte(',')
	}
	c.out.WriteByte('\n')
	return c.json(e)
}

func (c *chromeWriter) request(tree *trace.Tree, start int64) error {
	for i := range tree.Len() {
		call := tree.Call(i)
		pid, err := c.place(call)
		if err != nil {
			return err
		}
		slice := event{
			Name: call.ShortName(), Cat: "call", Ph: "X", Pid: pid, Tid: call.Goroutine,
			Ts: micros(start + call.StartNs), Dur: micros(call.DurationNs), Args: arguments(tree, i),
		}
		if call.Leaf {
			slice.Ph, slice.S, slice.Dur = "i", "t", ""
		}
		if err := c.event(slice); err != nil {
			return err
		}
		if err := c.arrow(tree, i, start); err != nil {
			return err
		}
	}
	return nil
}

// place returns the number of a call's process. It names the process and the thread
// before their first use.
func (c *chromeWriter) place(call *trace.Call) (int, error) {
	pid, ok := c.pids[call.Process]
	if !ok {
		pid = len(c.pids) + 1
		c.pids[call.Process] = pid
		if err := c.event(event{Name: "process_name", Ph: "M", Pid: pid, Args: map[string]any{"name": call.Process}}); err != nil {
			return 0, err
		}
	}
	t := thread{pid, call.Goroutine}
	if c.threads[t] {
		return pid, nil
	}
	c.threads[t] = true
	return pid, c.event(event{Name: "thread_name", Ph: "M", Pid: pid, Tid: call.Goroutine,
		Args: map[string]any{"name": fmt.Sprintf("goroutine %d", call.Goroutine)}})
}

// arrow writes an arrow to a call on another goroutine or in another process than its
// parent.
func (c *chromeWriter) arrow(tree *trace.Tree, i int, start int64) error {
	p := tree.Parent(i)
	if p < 0 {
		return nil
	}
	call, parent := tree.Call(i), tree.Call(p)
	name := "goroutine"
	switch {
	case call.Process != parent.Process:
		name = "process"
	case call.Goroutine == parent.Goroutine:
		return nil
	}
	return c.draw(name, moment{parent, start}, moment{call, start})
}

// A moment is a call of a request that began at start.
type moment struct {
	call  *trace.Call
	start int64
}

// draw writes an arrow from the slice of a call to the beginning of another.
func (c *chromeWriter) draw(name string, from, to moment) error {
	c.arrows++
	// The arrow begins within the first call's slice, even if the other call began after it, or
	// if the clocks of the processes differ.
	begin := from.start + from.call.StartNs
	leaves := min(max(to.start+to.call.StartNs, begin), begin+from.call.DurationNs)
	err := c.event(event{Name: name, Cat: "call", Ph: "s", ID: c.arrows, Pid: c.pids[from.call.Process], Tid: from.call.Goroutine, Ts: micros(leaves)})
	if err != nil {
		return err
	}
	return c.event(event{Name: name, Cat: "call", Ph: "f", Bp: "e", ID: c.arrows, Pid: c.pids[to.call.Process], Tid: to.call.Goroutine, Ts: micros(to.start + to.call.StartNs)})
}

// causes writes the arrows from causes to what they caused.
func (c *chromeWriter) causes(rec *trace.Recording, starts []int64) error {
	calls := map[trace.Cause]moment{} // of requests and events
	events := map[string]moment{}     // calls of events, by ID
	for i := range rec.Requests {
		r := &rec.Requests[i]
		for j := range r.Calls {
			call := moment{&r.Calls[j], starts[i]}
			calls[trace.Cause{TraceID: r.TraceID, Call: call.call.ID}] = call
			if r.IsEvent() {
				events[call.call.ID] = call
			}
		}
	}
	for i := range rec.Requests {
		r := &rec.Requests[i]
		if from, ok := calls[r.Cause]; ok {
			if err := c.draw("cause", from, moment{&r.Calls[0], starts[i]}); err != nil {
				return err
			}
		}
		for j := range r.Calls {
			for _, id := range r.Calls[j].Causes() {
				if from, ok := events[id]; ok {
					if err := c.draw("cause", from, moment{&r.Calls[j], starts[i]}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// arguments returns the details that a viewer shows for a selected slice.
func arguments(tree *trace.Tree, i int) map[string]any {
	call := tree.Call(i)
	args := map[string]any{"function": call.Function, "file": fmt.Sprintf("%s:%d", call.File, call.Line)}
	if call.CallerLine > 0 {
		args["callerLine"] = call.CallerLine
	}
	if call.Unfinished {
		args["unfinished"] = true
	}
	if call.Error != "" {
		args["error"] = call.Error
	}
	if call.Panic != "" {
		args["panic"] = call.Panic
	}
	if i == 0 {
		r := tree.Request
		args["request"] = fmt.Sprintf("%s %s -> %d", r.Method, r.Path, r.Status)
		args["traceID"] = r.TraceID
		if len(r.Incomplete) > 0 {
			args["incomplete"] = r.Incomplete
		}
	}
	if len(call.Attributes) > 0 {
		args["values"] = call.Attributes
	}
	return args
}

// micros returns nanoseconds as microseconds, without rounding.
func micros(ns int64) json.Number {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	us := int64(time.Microsecond)
	return json.Number(fmt.Sprintf("%s%d.%03d", sign, ns/us, ns%us))
}
