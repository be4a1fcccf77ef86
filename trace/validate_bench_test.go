package trace_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// BenchmarkValidate validates the recording with the most calls, boot. Every loaded
// recording is validated.
func BenchmarkValidate(b *testing.B) {
	rec, err := recordings.Load(recordings.Latest, "boot")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := rec.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
