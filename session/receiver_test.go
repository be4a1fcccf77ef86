package session

import (
	"testing"
	"time"
)

// TestReceiverBackoff checks that while a receiver fails, one request is traced after each pause, and the pauses grow.
func TestReceiverBackoff(t *testing.T) {
	r, now := &receiver{}, time.Unix(1000, 0)
	for range 2 {
		if !r.mayTrace(now) {
			t.Error("a receiver of which nothing is known: a request is not traced")
		}
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		a := r.begin(now)
		first, pause := r.failedAt(a, now)
		if pause != want*time.Second || first != (i == 0) {
			t.Errorf("after failure %d the pause is %v, first: %v", i+1, pause, first)
		}
		if r.mayTrace(now.Add(pause - 1)) {
			t.Error("a request in the pause is traced")
		}
		if r.mayDeliver(now.Add(-1)) {
			t.Error("the trace of a request from before the failure is wanted")
		}
		now = now.Add(pause)
		if !r.mayTrace(now) || r.mayTrace(now) {
			t.Error("after the pause not exactly one request is traced")
		}
		if !r.mayDeliver(now) {
			t.Error("the trace of the trial is not wanted")
		}
	}
	if !r.mayTrace(now.Add(trialTime)) {
		t.Error("a trial without an end is the last one")
	}
	if !r.succeeded(r.begin(now)) || r.succeeded(r.begin(now)) || !r.mayTrace(now) || !r.mayTrace(now) {
		t.Error("a receiver that is back")
	}
	r.begin(now)
	if !r.mayTrace(now.Add(slowSend)) || r.mayTrace(now.Add(slowSend+1)) {
		t.Errorf("while sending takes more than %v, requests are traced", slowSend)
	}
}

// TestReceiverInDoubt checks that a receiver that refuses an empty message gets one
// trace before further traces are made.
func TestReceiverInDoubt(t *testing.T) {
	r, now := &receiver{}, time.Unix(1000, 0)
	r.doubt()
	if !r.mayTrace(now) || r.mayTrace(now) {
		t.Error("not exactly one request is traced")
	}
	if r.succeeded(r.begin(now)) || !r.mayTrace(now) {
		t.Error("it has taken a trace, and no further request is traced")
	}
}

// TestReceiverFailsOnce checks that all attempts in progress count as one failure
// when the receiver fails, and that the oldest attempt in progress decides whether
// sending is slow.
func TestReceiverFailsOnce(t *testing.T) {
	r, now := &receiver{}, time.Unix(1000, 0)
	old := r.begin(now)
	other := r.begin(now.Add(slowSend / 2))
	if r.mayTrace(now.Add(slowSend + 1)) {
		t.Error("a request is traced while the older of two attempts is slow")
	}
	failed := now.Add(slowSend)
	if first, pause := r.failedAt(old, failed); !first || pause != firstBackoff {
		t.Errorf("the first failure: first %v, pause %v", first, pause)
	}
	if first, pause := r.failedAt(other, failed.Add(firstBackoff/4)); first || pause != firstBackoff*3/4 {
		t.Errorf("the second attempt of the same failure: first %v, pause %v, expected what is left of the first pause", first, pause)
	}
	if !r.mayTrace(failed.Add(firstBackoff)) {
		t.Error("the second attempt lengthened the pause")
	}
}
