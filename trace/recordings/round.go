package recordings

import (
	"math/bits"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// Only times are stored less exactly than they were measured. They are a third of
// the data and differ in every run.
//
// First, all times are rounded down to units of fine, or of coarse in a long
// trace. The clocks of virtual machines mostly have a resolution of tens of
// nanoseconds. Then the difference between each time of a request and the next
// time is rounded to a few binary digits, unless it is a pause.
const (
	fine   = int64(10 * time.Nanosecond)
	coarse = int64(time.Microsecond)
	long   = int64(time.Second)
	// digits is how many binary digits of a difference are kept, unless it is a pause.
	digits = 4
	// pause is the least difference that is not rounded. Otherwise, the times of two programs
	// after a pause could contradict each other.
	pause = int64(time.Millisecond)
)

// rounded returns a copy of the recording with rounded times. It never swaps the
// order of two events, but makes them simultaneous if they are in the same unit.
// Every duration, and every other difference between two times in units, changes
// by a sixteenth at most. A difference of a pause or more between successive times does not change.
func rounded(rec *trace.Recording) (*trace.Recording, error) {
	copied := *rec
	copied.Requests = slices.Clone(rec.Requests)
	for i := range copied.Requests {
		r := &copied.Requests[i]
		r.Calls = slices.Clone(r.Calls)
		unit := fine
		if len(r.Calls) > 0 && r.Calls[0].DurationNs > long {
			unit = coarse
		}
		for j := range r.Calls {
			c := &r.Calls[j]
			start, end := span(c)
			c.StartNs = floor(start, unit)
			c.DurationNs = floor(end, unit) - c.StartNs
		}
		if err := r.Sort(); err != nil {
			return nil, err
		}
		roundGaps(r)
	}
	return &copied, nil
}

// roundGaps rounds the difference between each time of a request and the next time.
func roundGaps(r *trace.Request) {
	t := timesOf(r)
	out := make([]int64, len(t.all))
	for i := 1; i < len(t.all); i++ {
		gap := t.all[i] - t.all[i-1]
		if gap*t.unit < pause {
			gap = shortened(gap)
		}
		out[i] = out[i-1] + gap
	}
	for i := range r.Calls {
		c, first := &r.Calls[i], out[t.starts[0]] // times count from the first call
		c.StartNs = (out[t.starts[i]] - first) * t.unit
		c.DurationNs = (out[t.ends[i]] - out[t.starts[i]]) * t.unit
	}
}

// shortened returns the nearest number with at most digits binary digits before
// its trailing zeros.
func shortened(v int64) int64 {
	more := max(bits.Len64(uint64(v))-digits, 0)
	half := int64(1) << more >> 1
	return (v + half) >> more << more
}

// floor returns the greatest multiple of unit that is not above v.
func floor(v, unit int64) int64 { return v - (v%unit+unit)%unit }

// unitOf returns the largest of coarse, fine and 1 that divides all times of the
// request.
func unitOf(r *trace.Request) int64 {
	for _, unit := range []int64{coarse, fine} {
		if !slices.ContainsFunc(r.Calls, func(c trace.Call) bool {
			start, end := span(&c)
			return start%unit != 0 || end%unit != 0
		}) {
			return unit
		}
	}
	return 1
}
