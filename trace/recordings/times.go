package recordings

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// times are the times of the calls of a request. A time is stored as its rank
// among all times of the request. Most calls begin and end at the time right
// after the previous call's time. So the ranks take little space, and the
// differences between successive times are small.
type times struct {
	// all are the distinct times in units, ascending.
	all []int64
	// unit is the unit in nanoseconds.
	unit int64
	// starts and ends are the ranks of the calls' times.
	starts, ends []int32
	// kinds are the kinds of events; see callCodec. events has, for each rank, the
	// number of the kind of its first stored event, or 0 if no event was stored yet.
	kinds  []*eventKind
	events []uint8
}

// gapColumns is the prefix of the names of the columns with differences between
// times.
const gapColumns = "gap."

// An eventKind is a kind of events with similar times.
type eventKind struct {
	// number is the position among the kinds, counted from 1.
	number uint8
	// rank predicts the rank of an event.
	rank *columns.Model
	// gap has the differences between a rank's time and the one before.
	gap *columns.Column
}

// kind adds a kind with a name, and returns it.
func (t *times) kind(c *codec, name string) *eventKind {
	t.kinds = append(t.kinds, &eventKind{uint8(len(t.kinds) + 1), c.Model(name), c.Column(gapColumns + name)})
	return t.kinds[len(t.kinds)-1]
}

// timesOf returns the times of the calls of a request.
func timesOf(r *trace.Request) *times {
	t := &times{}
	t.rankCalls(r)
	return t
}

// rankCalls fills in the times and ranks of the calls of a request.
func (t *times) rankCalls(r *trace.Request) {
	t.unit, t.all = unitOf(r), make([]int64, 0, 2*len(r.Calls))
	for i := range r.Calls {
		start, end := span(&r.Calls[i])
		t.all = append(t.all, start/t.unit, end/t.unit)
	}
	slices.Sort(t.all)
	t.all = slices.Compact(t.all)
	rank := func(ns int64) int32 {
		at, _ := slices.BinarySearch(t.all, ns/t.unit)
		return int32(at)
	}
	for i := range r.Calls {
		start, end := span(&r.Calls[i])
		t.starts, t.ends = append(t.starts, rank(start)), append(t.ends, rank(end))
	}
}

// span returns the start and the end of a call in nanoseconds.
func span(c *trace.Call) (start, end int64) { return c.StartNs, c.StartNs + c.DurationNs }

// start stores the start of call at as the difference between its rank and the rank
// free. It returns its rank. end does the same for the end of the call.
func (t *times) start(c *callCodec, at int, kind *eventKind, free int) int {
	return t.rank(c, &t.starts[at], c.places[at], kind, free)
}

func (t *times) end(c *callCodec, at int, kind *eventKind, free int) int {
	return t.rank(c, &t.ends[at], c.places[at], kind, free)
}

func (t *times) rank(c *callCodec, rank *int32, place int32, kind *eventKind, free int) int {
	step := columns.Fold(int64(*rank) - int64(free))
	c.Predicted(kind.rank, &step, int(place))
	at := free + int(columns.Unfold(step))
	if at < 0 || at >= 2*len(c.request.Calls) {
		c.Fail(fmt.Errorf("a request with %d calls has a time with the rank %d", len(c.request.Calls), at))
		at = 0
	}
	for at >= len(t.events) {
		t.events = append(t.events, 0)
	}
	if t.events[at] == 0 {
		t.events[at] = kind.number
	}
	*rank = int32(at)
	return at
}

// code stores the times themselves. The calls' ranks must be stored before.
func (t *times) code(c *codec) {
	if c.Err() != nil {
		return
	}
	columns.Int(c.Codec, "unit", &t.unit)
	if t.unit <= 0 {
		c.Fail(fmt.Errorf("the unit of its times is %d ns", t.unit))
	}
	if !c.Writing() {
		t.all = make([]int64, len(t.events))
	}
	for i := range t.all {
		if i == 0 {
			c.Step("firstTime", &t.all[0], 0)
			continue
		}
		if t.events[i] == 0 {
			c.Fail(fmt.Errorf("no call begins or ends at time %d of %d", i, len(t.all)))
		}
		if c.Err() != nil {
			return
		}
		gap := uint64(t.all[i] - t.all[i-1])
		c.gap(t.kinds[t.events[i]-1].gap, &gap)
		t.all[i] = t.all[i-1] + int64(gap)
	}
}

// at returns the time of a rank in nanoseconds.
func (t *times) at(rank int32) int64 { return t.all[rank] * t.unit }

// gap stores the difference between two times. It stores a short code in the
// column. If the difference has more digits than a code can have, it stores 0
// there, and the number itself in another column.
func (c *codec) gap(column *columns.Column, gap *uint64) {
	code := codeOf(*gap)
	c.NumberIn(column, &code)
	if code == 0 {
		c.Number(gapColumns+"long", gap)
	} else if !c.Writing() {
		*gap = codedBy(code)
	}
}

// codeOf returns the code of a number with at most digits binary digits before
// its trailing zeros. It returns 0 for other numbers. A number with at most digits
// binary digits is its own code.
func codeOf(v uint64) uint64 {
	zeros := max(bits.Len64(v)-digits, 0)
	if v&(1<<zeros-1) != 0 {
		return 0
	}
	return uint64(zeros)<<(digits-1) + v>>zeros
}

// codedBy is the inverse of codeOf.
func codedBy(code uint64) uint64 {
	if code < 1<<digits {
		return code
	}
	zeros := code>>(digits-1) - 1
	return (code - zeros<<(digits-1)) << zeros
}

// inOrder returns the calls in the order of their start. Calls with the same
// start keep their order.
func (t *times) inOrder() []int32 {
	at := make([]int32, len(t.all)+1) // position of the first call of each rank
	for _, rank := range t.starts {
		at[rank+1]++
	}
	for rank := range t.all {
		at[rank+1] += at[rank]
	}
	order := make([]int32, len(t.starts))
	for i, rank := range t.starts {
		order[at[rank]] = int32(i)
		at[rank]++
	}
	return order
}
