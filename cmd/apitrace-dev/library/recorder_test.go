package library

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestReasonOf checks that a reason in the recordings is one line, without the address of
// a proxy.
func TestReasonOf(t *testing.T) {
	download := &program.DownloadError{Module: "example.org/sample", Version: "v0.1.2", Reason: "reading https://proxy.example.org/: 403 Forbidden"}
	for err, want := range map[error]string{
		fmt.Errorf("building it: %w", download): "the module example.org/sample v0.1.2 is not available from the module proxy",
		errors.New("two\n\tlines"):              "two lines",
	} {
		if got := reasonOf(err); got != want {
			t.Errorf("reasonOf returned %q, expected %q", got, want)
		}
	}
}
