package trace_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Every loaded recording is validated, and every recording that becomes a tree.
// boot has the most calls.
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
