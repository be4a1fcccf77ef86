package dap

import (
	"github.com/google/go-dap"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// threads gives the goroutines of all processes of a request the numbers of threads, from 1.
type threads struct {
	ids map[goroutine]int
}

type goroutine struct {
	process string
	id      uint64
}

func newThreads(request *trace.Request) *threads {
	t := &threads{ids: map[goroutine]int{}}
	for i := range request.Calls {
		of := goroutineOf(&request.Calls[i])
		if t.ids[of] == 0 {
			t.ids[of] = len(t.ids) + 1
		}
	}
	return t
}

func goroutineOf(c *trace.Call) goroutine { return goroutine{c.Process, c.Goroutine} }

func (t *threads) of(c *trace.Call) int { return t.ids[goroutineOf(c)] }

// listThreads lists the goroutines on the stack, the innermost first: it moves, the others wait. Other
// goroutines are left out, because the recording does not have their positions within calls.
func (s *session) listThreads() dap.ResponseMessage {
	list := []dap.Thread{}
	listed := map[int]bool{}
	for _, frame := range s.walker.Stack(s.at) {
		c := s.walker.Tree.Call(frame.Call)
		if id := s.threads.of(c); !listed[id] {
			listed[id] = true
			list = append(list, dap.Thread{Id: id, Name: goroutineName(c).Localize(s.printer)})
		}
	}
	return &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: list}}
}

func goroutineName(c *trace.Call) message.Message {
	return message.Of("%s goroutine %d", c.Process, c.Goroutine)
}

// innermost returns the innermost call on the stack that a thread runs, and the call that this one is
// making, or -1 if the session is in the call itself.
func (s *session) innermost(thread int) (call, inner int, err error) {
	inner = -1
	for _, frame := range s.walker.Stack(s.at) {
		if s.threads.of(s.walker.Tree.Call(frame.Call)) == thread {
			return frame.Call, inner, nil
		}
		inner = frame.Call
	}
	return 0, 0, message.Errorf("thread %d is not on the stack here", thread)
}
