package testenv

import (
	"testing"
	"time"
)

// Patience is the time that a test waits for an event before it fails. Only a test that fails uses it up, so it is long enough for a
// machine that does many other things. No test asserts a shorter time.
const Patience = 2 * time.Minute

// Await waits until a condition holds, and fails the test if it does not hold after Patience. what describes the condition:
// "the server is gone".
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for this condition: %s", Patience, what)
		}
	}
}

// Receive returns the next value of a channel, and fails the test if none comes within Patience. A closed channel
// gives the zero value.
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
