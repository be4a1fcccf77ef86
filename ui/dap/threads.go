package dap

import (
	"cmp"
	"slices"

	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/step"
)

// mostThreads is the maximum number of threads that a client gets, as in Delve. A
// server's start has thousands of goroutines.
const mostThreads = 1024

// threads numbers the goroutines of all processes as threads, from 1, in order of their
// first calls.
type threads struct {
	ids map[goroutine]int
	all []thread
}

type goroutine struct {
	process string
	id      uint64
}

// A thread is a goroutine with recorded calls.
type thread struct {
	// call is the goroutine's first call.
	call int
	// first and last are the numbers of its first and last
	// position (step.Walker.Number).
	first, last int
}

func newThreads(w step.Walker) *threads {
	t := &threads{ids: map[goroutine]int{}}
	for i := range w.Tree.Len() {
		of := goroutineOf(w.Tree.Call(i))
		if t.ids[of] == 0 {
			t.all = append(t.all, thread{call: i, first: w.Number(step.Position{Call: i})})
			t.ids[of] = len(t.all)
		}
		is := &t.all[t.ids[of]-1]
		is.last = max(is.last, w.Number(step.Position{Call: i, Kind: step.Returning}))
	}
	return t
}

func goroutineOf(c *trace.Call) goroutine { return goroutine{c.Process, c.Goroutine} }

func (t *threads) of(c *trace.Call) int { return t.ids[goroutineOf(c)] }

// get returns a thread by its number.
func (t *threads) get(id int) (thread, error) {
	if id < 1 || id > len(t.all) {
		return thread{}, message.Errorf("the recording has no thread %d", id)
	}
	return t.all[id-1], nil
}

// near returns the numbers of the threads to list. If there are more than
// mostThreads, it prefers the threads in must, then the threads with the
// nearest numbers to current.
func (t *threads) near(current int, must map[int]bool) []int {
	ids := make([]int, len(t.all))
	for i := range ids {
		ids[i] = i + 1
	}
	if len(ids) <= mostThreads {
		return ids
	}
	distance := func(id int) int {
		if must[id] {
			return -1
		}
		return max(id-current, current-id)
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	ids = ids[:mostThreads]
	slices.Sort(ids)
	return ids
}

// listThreads lists the goroutines in order of their first calls. Only
// goroutines on the stack have a position: the innermost one runs, and the
// others wait for it. The names of all other goroutines say why they have no
// position (absence).
func (s *session) listThreads() dap.ResponseMessage {
	onStack := map[int]bool{}
	for _, frame := range s.walker.Stack(s.at) {
		onStack[s.threads.of(s.walker.Tree.Call(frame.Call))] = true
	}
	list := []dap.Thread{}
	for _, id := range s.threads.near(s.threads.of(s.walker.Tree.Call(s.at.Call)), onStack) {
		is := s.threads.all[id-1]
		c := s.walker.Tree.Call(is.call)
		name := message.Of("%s: %s", goroutineName(c), c.ShortName())
		if !onStack[id] {
			name = message.Of("%s (%s)", name, s.absence(is))
		}
		list = append(list, dap.Thread{Id: id, Name: name.Localize(s.printer)})
	}
	if left := len(s.threads.all) - len(list); left > 0 && !s.toldThreads {
		s.toldThreads = true
		s.printf("The request has %d goroutines. The %d around the position are listed as threads.", len(s.threads.all), len(list))
	}
	return &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: list}}
}

func goroutineName(c *trace.Call) message.Message {
	return message.Of("%s goroutine %d", c.Process, c.Goroutine)
}

// absence says why a thread is not on the stack.
func (s *session) absence(of thread) message.Message {
	switch now := s.walker.Number(s.at); {
	case now < of.first:
		return message.Of("its recorded calls begin later")
	case now > of.last:
		return message.Of("its recorded calls are over")
	}
	return message.Of("where it is now is not recorded")
}

// innermost returns a thread's innermost call on the stack. inner is the call
// that this call is making, or -1 if it is the innermost call of all threads.
// on is false if the thread is not on the stack. If the thread does not
// exist, it returns an error.
func (s *session) innermost(id int) (call, inner int, on bool, err error) {
	inner = -1
	for _, frame := range s.walker.Stack(s.at) {
		if s.threads.of(s.walker.Tree.Call(frame.Call)) == id {
			return frame.Call, inner, true, nil
		}
		inner = frame.Call
	}
	_, err = s.threads.get(id)
	return 0, 0, false, err
}
