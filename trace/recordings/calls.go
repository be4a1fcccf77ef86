package recordings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// A callCodec writes or reads the calls of one request, in order. It predicts
// some fields from earlier calls and stores the difference to the prediction,
// which is small.
type callCodec struct {
	*codec
	request *trace.Request
	times   *times
	// These have an element for each call: the number of its place (see local), the
	// number of its counter (see counter), and the position of its parent, or -1.
	places, counters, parents []int32
	// processes are the distinct processes of the calls.
	processes []string
	// above are the open calls, from the root down to the previous call.
	above []open
	// These are the kinds of events. first is the start of the root call, and
	// of the first call below a parent. next is the start of a later call below a parent. end is the end of a call
	// without children, endAfter is the end of any other call.
	first, next, end, endAfter *eventKind
	// marked predicts which fields are set.
	marked *columns.Model
	// place, up, line and goroutine are columns.
	place, up, line, goroutine *columns.Column
}

// An open is a call that may still get children. at is its position in the request.
type open struct {
	at int
	// free is the rank (see times) of the last known event of the call on its own
	// goroutine: its start, or the end of its last child there. It predicts the start of
	// the next child, and the end of the call.
	free int
	// calls is set if it has children.
	calls, newGoroutine bool
	goroutine           uint64
}

// calls writes or reads the calls of a request.
func (c *codec) calls(r *trace.Request) {
	t := &times{}
	calls := &callCodec{
		codec: c, request: r, times: t,
		first: t.kind(c, "first"), next: t.kind(c, "next"), end: t.kind(c, "end"), endAfter: t.kind(c, "endAfter"), marked: c.Model("marks"),
		place: c.Column(placeColumn), up: c.Column("up"), line: c.Column("callerLine"), goroutine: c.Column("goroutine"),
	}
	columns.List(c.Codec, "calls", &r.Calls, calls.call)
	if c.Err() != nil {
		return
	}
	calls.leave(len(calls.above))
	if t.code(c); c.Err() != nil {
		return
	}
	ids := calls.ids()
	if !c.Writing() && c.Err() == nil {
		calls.complete(ids)
	}
}

func (c *callCodec) call(call *trace.Call) {
	at := len(c.places)
	if at == 0 {
		c.grow(len(c.request.Calls))
	}
	local := c.local(c.placed(call))
	c.places = append(c.places, local)
	parent := c.parent(call)
	if parent == nil {
		parent = &open{}
	}
	start := c.first
	if parent.calls {
		start = c.next
	}
	parent.calls = true
	line := int64(call.CallerLine)
	c.StepIn(c.line, &line, 0)
	call.CallerLine = int(line)
	goroutine := int64(call.Goroutine)
	c.StepIn(c.goroutine, &goroutine, int64(parent.goroutine))
	call.Goroutine = uint64(goroutine)
	c.marks(call, int(local))
	c.counters = append(c.counters, c.counter(call))
	free := c.times.start(c, at, start, parent.free)
	c.above = append(c.above, open{at: at, free: free, newGoroutine: call.NewGoroutine, goroutine: call.Goroutine})
}

// marks writes or reads a bit for each rare field, and then the fields with texts or
// attributes that are set.
func (c *callCodec) marks(call *trace.Call, place int) {
	marks := columns.BitOf(call.Leaf) | columns.BitOf(len(call.Attributes) > 0)<<1 | columns.BitOf(call.NewGoroutine)<<2 |
		columns.BitOf(call.Error != "")<<3 | columns.BitOf(call.Unfinished)<<4 | columns.BitOf(call.Panic != "")<<5
	c.Predicted(c.marked, &marks, place)
	if marks == 0 || c.Err() != nil {
		return
	}
	call.Leaf, call.NewGoroutine, call.Unfinished = marks&1 != 0, marks>>2&1 != 0, marks>>4&1 != 0
	if marks>>1&1 != 0 {
		c.Pairs("attributes", &call.Attributes)
	}
	if marks>>3&1 != 0 {
		c.Text("error", &call.Error)
	}
	if marks>>5&1 != 0 {
		c.Text("panic", &call.Panic)
	}
}

const placeColumn = "place"

// placed writes or reads Function, File, Line and Process as one number. There are far
// fewer places than calls.
func (c *callCodec) placed(call *trace.Call) int {
	var i uint64
	if c.Writing() {
		i = c.shared.places.index[placeOf(call)]
	}
	c.NumberIn(c.place, &i)
	if c.Writing() || c.Err() != nil {
		return int(i)
	}
	if i >= uint64(len(c.shared.places.all)) {
		c.Fail(unknownPlace(i, len(c.shared.places.all)))
		return 0
	}
	p := &c.shared.places.all[i]
	call.Function, call.File, call.Line, call.Process = p.Function, p.File, p.Line, p.Process
	return int(i)
}

// local returns the number that a place has in this recording. place is its number in the
// release. A recording numbers its places in the order of their first call.
func (c *callCodec) local(place int) int32 {
	if c.locals == nil {
		c.locals = make([]int32, len(c.shared.places.all)+1)
	}
	if c.locals[place] == 0 {
		c.last++
		c.locals[place] = c.last
	}
	return c.locals[place]
}

// grow makes room for the calls. For writing, it ranks their times.
func (c *callCodec) grow(calls int) {
	c.places, c.counters, c.parents = make([]int32, 0, calls), make([]int32, 0, calls), make([]int32, 0, calls)
	if c.Writing() {
		c.times.rankCalls(c.request)
	} else {
		c.times.starts, c.times.ends = make([]int32, calls), make([]int32, calls)
	}
	c.times.events = make([]uint8, 0, 2*calls)
}

// parent writes or reads the number of levels from the previous call up to the parent. It
// closes the calls below the parent, and returns the parent, or nil if there is none.
func (c *callCodec) parent(call *trace.Call) *open {
	var up uint64
	if c.Writing() {
		for i := len(c.above) - 1; i >= 0 && c.request.Calls[c.above[i].at].ID != call.Parent; i-- {
			up++
		}
	}
	c.NumberIn(c.up, &up)
	if up > uint64(len(c.above)) {
		c.Fail(fmt.Errorf("the parent of a call is %d levels above the previous call, which has depth %d", up, len(c.above)))
		up = uint64(len(c.above))
	}
	c.leave(int(up))
	if len(c.above) == 0 {
		c.parents = append(c.parents, -1)
		return nil
	}
	parent := &c.above[len(c.above)-1]
	c.parents = append(c.parents, int32(parent.at))
	return parent
}

// leave closes the lowest open calls, and writes or reads their ends.
func (c *callCodec) leave(levels int) {
	for range levels {
		last := len(c.above) - 1
		call := c.above[last]
		c.above = c.above[:last]
		model := c.end
		if call.calls {
			model = c.endAfter
		}
		end := c.times.end(c, call.at, model, call.free)
		if !call.newGoroutine && last > 0 {
			c.above[last-1].free = end
		}
	}
}

// counter returns the number of the counter that gave a call its ID. The probe of
// each process has two counters, and counts calls in the order of their start. The
// second counter is for functions that call nothing.
func (c *callCodec) counter(call *trace.Call) int32 {
	at := slices.Index(c.processes, call.Process)
	if at < 0 {
		at = len(c.processes)
		c.processes = append(c.processes, call.Process)
	}
	return int32(2*at) + int32(columns.BitOf(call.Leaf))
}

// ids writes or reads the IDs, and returns them.
func (c *callCodec) ids() []uint64 {
	model := c.Model("id")
	last := make([]uint64, 2*len(c.processes))
	ids := make([]uint64, len(c.counters))
	for _, i := range c.times.inOrder() {
		before := &last[c.counters[i]]
		if c.Writing() {
			ids[i] = c.parse(c.request.Calls[i].ID)
		}
		step := columns.Fold(int64(ids[i] - *before - 1))
		if c.Predicted(model, &step, 0); c.Err() != nil {
			return nil
		}
		ids[i] = *before + 1 + uint64(columns.Unfold(step))
		*before = ids[i]
	}
	return ids
}

// complete sets the fields that are known only after all calls were read.
func (c *callCodec) complete(ids []uint64) {
	var digits strings.Builder // one string; the IDs are parts of it
	digits.Grow(idDigits * len(ids))
	for _, id := range ids {
		var one [idDigits]byte
		putHex(&one, id)
		digits.Write(one[:])
	}
	all := digits.String()
	for i, parent := range c.parents {
		call := &c.request.Calls[i]
		call.ID = all[idDigits*i : idDigits*(i+1)]
		if parent >= 0 {
			call.Parent = all[idDigits*parent : idDigits*(parent+1)]
		}
		start := c.times.at(c.times.starts[i])
		call.StartNs, call.DurationNs = start, c.times.at(c.times.ends[i])-start
	}
}
