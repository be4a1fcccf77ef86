package recordings

import (
	"fmt"

	"github.com/kubeapitrace/apitrace/trace"
)

// A callCodec writes or reads the calls of one request, in order. A value that can be predicted
// from earlier calls is stored as the difference to the prediction, which is small.
type callCodec struct {
	*codec
	// above are the calls from the root down to the one before.
	above []open
	// lastID is the ID of the call before in each process: probes count.
	lastID map[string]uint64
	// unit is the unit of times in nanoseconds.
	unit int64
}

// An open is a call that may still get children.
type open struct {
	call *trace.Call
	// free is when the next call below it can begin, in units: its start, then the end of each call.
	free int64
}

func (c *callCodec) call(call *trace.Call) {
	c.place(call)
	c.id(call)
	parent := c.parent(call)
	integer(c.codec, "callerLine", &call.CallerLine)
	goroutine := int64(call.Goroutine)
	c.step("goroutine", &goroutine, int64(parent.call.Goroutine))
	call.Goroutine = uint64(goroutine)
	c.flag("newGoroutine", &call.NewGoroutine)
	start := c.times(call, parent)
	c.flag("leaf", &call.Leaf)
	c.flag("unfinished", &call.Unfinished)
	c.text("error", &call.Error)
	c.text("panic", &call.Panic)
	c.pairs("attributes", &call.Attributes)
	c.above = append(c.above, open{call, start})
}

// times keeps the start and the duration, and returns the start in units.
func (c *callCodec) times(call *trace.Call, parent *open) int64 {
	start, duration := call.StartNs/c.unit, uint64(call.DurationNs/c.unit)
	c.step(startColumn, &start, parent.free)
	c.number(durationColumn, &duration)
	parent.free = start + int64(duration)
	call.StartNs, call.DurationNs = start*c.unit, int64(duration)*c.unit
	return start
}

const (
	placeColumn    = "place"
	startColumn    = "start"
	durationColumn = "duration"
)

// place keeps Function, File, Line and Process, of which there are far fewer than calls.
func (c *callCodec) place(call *trace.Call) {
	i := c.shared.places.index[placeOf(call)]
	c.number(placeColumn, &i)
	if c.writing || c.err != nil {
		return
	}
	if i >= uint64(len(c.shared.places.all)) {
		c.err = unknownPlace(i, len(c.shared.places.all))
		return
	}
	p := c.shared.places.all[i]
	call.Function, call.File, call.Line, call.Process = p.Function, p.File, p.Line, p.Process
}

func (c *callCodec) id(call *trace.Call) {
	var id uint64
	if c.writing {
		id = c.parse(call.ID)
	}
	signed := int64(id)
	c.step("id", &signed, int64(c.lastID[call.Process]))
	c.lastID[call.Process] = uint64(signed)
	call.ID = hex16(uint64(signed))
}

// parent stores the number of levels from the previous call up to the parent.
func (c *callCodec) parent(call *trace.Call) *open {
	var up uint64
	if c.writing {
		for i := len(c.above) - 1; i >= 0 && c.above[i].call.ID != call.Parent; i-- {
			up++
		}
	}
	c.number("up", &up)
	if up > uint64(len(c.above)) {
		c.err = fmt.Errorf("a call stands %d levels above one of depth %d", up, len(c.above))
		up = uint64(len(c.above))
	}
	c.above = c.above[:uint64(len(c.above))-up]
	if len(c.above) == 0 {
		call.Parent = ""
		return &open{call: &trace.Call{}}
	}
	parent := &c.above[len(c.above)-1]
	call.Parent = parent.call.ID
	return parent
}
