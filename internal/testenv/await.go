package testenv

import (
	"testing"
	"time"
)

// Patience is how long a test waits for an event before it fails.
// Only a failing test waits that long, so Patience suits a busy machine.
const Patience = 2 * time.Minute

// Await waits until a condition holds, and fails the test after Patience.
// what describes the condition, such as "the server is gone".
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for this condition: %s", Patience, what)
		}
	}
}

// Receive returns a channel's next value, and fails the test after Patience.
// For a closed channel, it returns the zero value. what describes the event.
func Receive[V any](t testing.TB, what string, from <-chan V) V {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Patience):
		t.Fatalf("waited %v for this event: %s", Patience, what)
		panic("not reached")
	}
}
