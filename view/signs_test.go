package view

import "testing"

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0ns", 999: "999ns", 1000: "1.00µs", 9994: "9.99µs", 9996: "10.0µs", 99_960: "100µs", 999_400: "999µs",
		999_600: "1.00ms", 4_123_000: "4.12ms", 41_230_000: "41.2ms", 999_600_000: "1.00s", 61_000_000_000: "61.0s", 5_000_000_000_000: "5000s",
	} {
		if got := SignsFor(false).Duration(ns); got != want {
			t.Errorf("%d ns is %q, want %q", ns, got, want)
		}
	}
	if got := SignsFor(true).Duration(5000); got != "5.00us" {
		t.Errorf("in ASCII 5000 ns is %q, want \"5.00us\"", got)
	}
}

// TestDurationOfACoarseClock writes durations that a clock with a tick of a microsecond
// measured.
func TestDurationOfACoarseClock(t *testing.T) {
	signs := SignsFor(false)
	signs.TickNs = 1000
	for ns, want := range map[int64]string{0: "<1µs", 1000: "1µs", 23_000: "23µs", 999_000: "999µs", 4_123_000: "4.12ms"} {
		if got := signs.Duration(ns); got != want {
			t.Errorf("%d ns is %q, want %q", ns, got, want)
		}
	}
}
