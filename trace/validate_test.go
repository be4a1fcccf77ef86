package trace

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	oteltrace "go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"
)

// A text holds a control character wherever it stands, and whatever is beside it.
func TestHoldsControl(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat("a~ ", rapid.IntRange(0, 9).Draw(t, "before")) + rapid.SampledFrom([]string{
			"", "\x00", "\x1f", " ", "~", "\x7f", "\u0080", "\u009b", "é", "长", "\xff",
		}).Draw(t, "odd") + strings.Repeat("z", rapid.IntRange(0, 17).Draw(t, "behind"))
		if got, expected := holdsControl(s), strings.ContainsFunc(s, unicode.IsControl); got != expected {
			t.Errorf("holdsControl(%q) is %v", s, got)
		}
	})
}

// Ids are those that OpenTelemetry accepts.
func TestSpanID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{15,17}`), rapid.StringMatching(`[0-9a-gA-F/:@.\x60]{16}`), rapid.Just(strings.Repeat("0", 16))).Draw(t, "id")
		_, err := oteltrace.SpanIDFromHex(id)
		if got := spanID(id); (got != 0) != (err == nil) {
			t.Errorf("spanID(%q) is %x, OpenTelemetry says %v", id, got, err)
		}
	})
}

func TestDistinctIDs(t *testing.T) {
	r := &Request{}
	for i := range 1000 {
		r.Calls = append(r.Calls, Call{ID: fmt.Sprintf("%016x", i+1)})
	}
	if !r.distinctIDs() {
		t.Error("1000 ids are not distinct")
	}
	r.Calls[999].ID = r.Calls[0].ID
	if r.distinctIDs() {
		t.Error("an id that is there twice is not found")
	}
}
