package trace

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	oteltrace "go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"
)

// TestHoldsControl draws texts with a control character at any position, or without one.
func TestHoldsControl(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat("a~ ", rapid.IntRange(0, 9).Draw(t, "before")) + rapid.SampledFrom([]string{
			"", "\x00", "\x1f", " ", "~", "\x7f", "\u0080", "\u009b", "é", "长", "\xff",
		}).Draw(t, "odd") + strings.Repeat("z", rapid.IntRange(0, 17).Draw(t, "behind"))
		if got, expected := holdsControl(s), strings.ContainsFunc(s, unicode.IsControl); got != expected {
			t.Errorf("holdsControl(%q) = %v, expected the opposite", s, got)
		}
	})
}

// TestSpanID checks that spanID accepts the same ids as OpenTelemetry.
func TestSpanID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{15,17}`), rapid.StringMatching(`[0-9a-gA-F/:@.\x60]{16}`), rapid.Just(strings.Repeat("0", 16))).Draw(t, "id")
		_, err := oteltrace.SpanIDFromHex(id)
		if got := spanID(id); (got != 0) != (err == nil) {
			t.Errorf("spanID(%q) = %x, but SpanIDFromHex returned the error %v", id, got, err)
		}
	})
}

// TestDistinctIDs checks numbered ids, as the probe makes them, and random ids.
func TestDistinctIDs(t *testing.T) {
	for name, id := range map[string]func(i int) uint64{
		"counted":   func(i int) uint64 { return uint64(i%2)<<20 + uint64(i/2) + 1 },
		"drawn":     func(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 },
		"far apart": func(i int) uint64 { return uint64(i+1) << 44 },
	} {
		r := &Request{}
		for i := range 100_000 {
			r.Calls = append(r.Calls, Call{ID: fmt.Sprintf("%016x", id(i))})
		}
		if !r.distinctIDs() {
			t.Errorf("%s: distinctIDs = false for different ids, expected true", name)
		}
		for _, twice := range []int{0, 63, 64, 511, 512, 99_998} {
			r.Calls[99_999].ID = r.Calls[twice].ID
			if r.distinctIDs() {
				t.Errorf("%s: distinctIDs = true although the id of call %d occurs twice, expected false", name, twice)
			}
		}
	}
}
