package recordings

import (
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// Only times are stored less exactly than they were measured: in units of fine, and of
// coarse in a long trace. They are two thirds of the data, they differ in every run, and
// the resolution of the clocks of virtual machines is mostly tens of nanoseconds.
const (
	fine   = int64(10 * time.Nanosecond)
	coarse = int64(time.Microsecond)
	long   = int64(time.Second)
)

// rounded returns a copy of the recording with rounded times. It never swaps the order of two
// events, but may make them simultaneous.
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
			end := floor(c.StartNs+c.DurationNs, unit)
			c.StartNs = floor(c.StartNs, unit)
			c.DurationNs = end - c.StartNs
		}
		if err := r.Sort(); err != nil {
			return nil, err
		}
	}
	return &copied, nil
}

// floor gives the multiple of unit that is v or the next below it.
func floor(v, unit int64) int64 { return v - (v%unit+unit)%unit }

// unitOf gives the largest unit that all times of the request are multiples of.
func unitOf(r *trace.Request) int64 {
	for _, unit := range []int64{coarse, fine} {
		if !slices.ContainsFunc(r.Calls, func(c trace.Call) bool { return c.StartNs%unit != 0 || c.DurationNs%unit != 0 }) {
			return unit
		}
	}
	return 1
}
