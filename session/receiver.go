package session

import (
	"sync"
	"time"
)

// A receiver is what is known of the OTLP receiver. While it takes nothing, requests are not traced: making,
// fetching and encoding a trace takes processor time from the server's clients, and nobody would get it.
type receiver struct {
	mu sync.Mutex
	// away is whether the last attempt failed.
	away bool
	// failures counts the failed attempts since the last success, and failed is when the last one was.
	failures int
	failed   time.Time
	// next is when the next attempt may begin, as long as it is away.
	next time.Time
	// sending is since when an attempt is going on; zero: none is.
	sending time.Time
}

const (
	// slowSend is how long sending a trace may take before no further requests are traced.
	slowSend = time.Second
	// firstBackoff is the pause after a failure; it doubles with each further one, up to maxBackoff.
	firstBackoff = time.Second
	maxBackoff   = 30 * time.Second
	// trialTime is how long one attempt keeps others from being made if it comes to no end.
	trialTime = 5 * time.Second
)

// mayTrace tells whether a request that begins now is to be traced. One is, at the end of each pause: it shows
// whether the receiver is back.
func (r *receiver) mayTrace(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sending.IsZero() && now.Sub(r.sending) > slowSend {
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

// given tells whether the trace of a request that began then is worth sending: not if the receiver
// has failed since.
func (r *receiver) given(start time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.away || start.After(r.failed)
}

// begin notes that an attempt begins.
func (r *receiver) begin(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sending = now
}

// succeeded notes that the receiver has taken a trace, and tells whether it took none before.
func (r *receiver) succeeded() (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	again = r.failures > 0
	r.away, r.failures, r.sending = false, 0, time.Time{}
	return again
}

// doubt makes the first request a trial: an attempt that sent nothing has failed, which need not mean that
// one with a trace does.
func (r *receiver) doubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
}

// failedAt notes that an attempt has failed, and tells whether it is the first one and how long the
// pause is.
func (r *receiver) failedAt(now time.Time) (first bool, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pause = firstBackoff
	for range r.failures {
		pause = min(2*pause, maxBackoff)
	}
	r.failures++
	r.away, r.failed, r.next, r.sending = true, now, now.Add(pause), time.Time{}
	return r.failures == 1, pause
}
