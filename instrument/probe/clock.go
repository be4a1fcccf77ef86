//go:build go1.26

package probe

import (
	"math/bits"
	"os"
	"runtime"
	"strings"
	"time"
)

// Two readings of the clock are a third of the cost of a call. So calls are timed in
// ticks of the processor's counter where it is reliable. The ticks become nanoseconds
// when the trace is collected.

// useCounter is set if the processor's counter runs at one speed, on all cores alike. On
// amd64, it does if the Linux kernel itself tells the time by it. On arm64, the
// architecture guarantees it.
var useCounter = runtime.GOARCH == "arm64" || runtime.GOARCH == "amd64" && kernelUsesCounter()

func kernelUsesCounter() bool {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == "tsc"
}

// epoch is the zero of ticks if the counter is not used.
var epoch = time.Now()

// ticks returns the counter. If the counter is not used, it returns the nanoseconds since
// epoch.
func ticks() int64 {
	if useCounter {
		return counter()
	}
	return int64(time.Since(epoch))
}

// A moment is a reading of ticks and of the clock at the same time.
type moment struct {
	ticks int64
	clock time.Time
}

// now reads both clocks. If the goroutine is interrupted between the two readings, they
// are of different moments. So now tries a few times and returns the fastest try.
func now() (m moment) {
	const tries = 4
	best := int64(-1)
	for range tries {
		before := ticks()
		clock := time.Now()
		if took := ticks() - before; best < 0 || took < best {
			best, m = took, moment{before + took/2, clock}
		}
	}
	return m
}

// A scale converts ticks to time. It has two moments, at best some milliseconds apart.
type scale struct{ from, to moment }

// since returns the nanoseconds from the scale's first moment to the given tick.
func (s scale) since(tick int64) int64 {
	passed, span := tick-s.from.ticks, s.to.ticks-s.from.ticks
	elapsed := s.to.clock.Sub(s.from.clock)
	if passed <= 0 || span <= 0 || elapsed <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(passed), uint64(elapsed))
	if hi >= uint64(span) { // far outside of the scale
		return int64(elapsed)
	}
	ns, _ := bits.Div64(hi, lo, uint64(span))
	return int64(ns)
}
