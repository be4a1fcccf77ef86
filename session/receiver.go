package session

import (
	"slices"
	"sync"
	"time"
)

// A receiver is the OTLP receiver's state, as the sampler sees it. While it accepts no
// traces, requests are not traced: making, fetching and encoding traces would cost the
// server's clients processor time for nothing.
type receiver struct {
	mu sync.Mutex
	// away is set if the last attempt failed.
	away bool
	// failures counts the failed attempts since the last success. failed is the time
	// of the last failure.
	failures int
	failed   time.Time
	// next is the earliest next attempt, while the receiver is away.
	next time.Time
	// sending lists the attempts in progress, oldest first.
	sending []*attempt
}

// An attempt is the sending of one trace.
type attempt struct{ start time.Time }

const (
	// slowSend is how long sending a trace may take before tracing pauses.
	slowSend = time.Second
	// firstBackoff is the pause after a failure. It doubles with each further
	// failure, up to maxBackoff.
	firstBackoff = time.Second
	maxBackoff   = 30 * time.Second
	// trialTime is the time from a trial to the next, if the first does not end.
	trialTime = 5 * time.Second
)

// mayTrace reports whether to trace a request that begins now. While the receiver is away,
// one request is traced after each pause: a trial that shows whether the receiver is back.
func (r *receiver) mayTrace(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sending) > 0 && now.Sub(r.sending[0].start) > slowSend {
		return false
	}
	if !r.away {
		return true
	}
	if now.Before(r.next) {
		return false
	}
	r.next = now.Add(trialTime)
	return true
}

// mayDeliver reports whether to send the trace of a request that began at start. It returns
// false if the receiver failed since then, and has accepted no trace again.
func (r *receiver) mayDeliver(start time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.away || start.After(r.failed)
}

// begin notes that an attempt begins. The caller must pass the attempt to succeeded
// or failedAt.
func (r *receiver) begin(now time.Time) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &attempt{now}
	r.sending = append(r.sending, a)
	return a
}

// end notes that an attempt is over. The caller must hold mu.
func (r *receiver) end(a *attempt) {
	r.sending = slices.DeleteFunc(r.sending, func(other *attempt) bool { return other == a })
}

// succeeded notes that the receiver has accepted a trace. It reports whether attempts
// had failed before.
func (r *receiver) succeeded(a *attempt) (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(a)
	again = r.failures > 0
	r.away, r.failures = false, 0
	return again
}

// doubt makes the next traced request a trial. It is called if the receiver did not accept
// an empty message, because sending a trace may succeed nevertheless.
func (r *receiver) doubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
}

// failedAt notes a failed attempt. It returns whether this is the first failure, and how
// long to pause. If the attempt began before the last failure, it belongs to that failure
// and does not lengthen the pause.
func (r *receiver) failedAt(a *attempt, now time.Time) (first bool, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(a)
	if r.failures > 0 && !a.start.After(r.failed) {
		return false, r.next.Sub(now)
	}
	pause = firstBackoff
	for range r.failures {
		pause = min(2*pause, maxBackoff)
	}
	r.failures++
	r.away, r.failed, r.next = true, now, now.Add(pause)
	return r.failures == 1, pause
}
