package session

import (
	"testing"
	"time"
)

// TestReceiverBackoff checks that while a receiver fails, one request is traced after each
// pause, and that the pauses grow.
func TestReceiverBackoff(t *testing.T) {
	r, now := &receiver{}, time.Unix(1000, 0)
	for range 2 {
		if !r.mayTrace(now) {
			t.Error("before the first attempt, mayTrace is false, expected true")
		}
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		a := r.begin(now)
		first, pause := r.failedAt(a, now)
		if pause != want*time.Second || first != (i == 0) {
			t.Errorf("failure %d: the pause is %v and first is %v, expected a pause that doubles up to 30s", i+1, pause, first)
		}
		if r.mayTrace(now.Add(pause - 1)) {
			t.Error("in the pause, mayTrace is true, expected false")
		}
		if r.mayDeliver(now.Add(-1)) {
			t.Error("for a request from before the failure, mayDeliver is true, expected false")
		}
		now = now.Add(pause)
		if !r.mayTrace(now) || r.mayTrace(now) {
			t.Error("after the pause, expected that mayTrace is true for exactly one request")
		}
		if !r.mayDeliver(now) {
			t.Error("for the trial after the pause, mayDeliver is false, expected true")
		}
	}
	if !r.mayTrace(now.Add(trialTime)) {
		t.Error("trialTime after a trial that does not end, mayTrace is false, expected true")
	}
	if !r.succeeded(r.begin(now)) || r.succeeded(r.begin(now)) || !r.mayTrace(now) || !r.mayTrace(now) {
		t.Error("expected that only the first success ends a failure, and that requests are traced again")
	}
	r.begin(now)
	if !r.mayTrace(now.Add(slowSend)) || r.mayTrace(now.Add(slowSend+1)) {
		t.Errorf("expected that mayTrace is true until sending has taken %v, and then false", slowSend)
	}
}

// TestReceiverInDoubt checks that a receiver that refuses an empty message gets one
// trace before further traces are made.
func TestReceiverInDoubt(t *testing.T) {
	r, now := &receiver{}, time.Unix(1000, 0)
	r.doubt()
	if !r.mayTrace(now) || r.mayTrace(now) {
		t.Error("expected that mayTrace is true for exactly one request")
	}
	if r.succeeded(r.begin(now)) || !r.mayTrace(now) {
		t.Error("after a success without a failure before, expected that succeeded is false and mayTrace is true")
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
		t.Error("while the older of two attempts is slow, mayTrace is true, expected false")
	}
	failed := now.Add(slowSend)
	if first, pause := r.failedAt(old, failed); !first || pause != firstBackoff {
		t.Errorf("the first failure: first is %v, the pause is %v, expected true and firstBackoff", first, pause)
	}
	if first, pause := r.failedAt(other, failed.Add(firstBackoff/4)); first || pause != firstBackoff*3/4 {
		t.Errorf("the second attempt of the same failure: first is %v, the pause is %v, expected false and the rest of the first pause", first, pause)
	}
	if !r.mayTrace(failed.Add(firstBackoff)) {
		t.Error("after firstBackoff, mayTrace is false, expected that the second attempt does not lengthen the pause")
	}
}
