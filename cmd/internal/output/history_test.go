package output

import (
	"bytes"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// TestHistoryIsKept prints a history twice. The second time, it comes from the cache. It
// must have the same text and colours.
func TestHistoryIsKept(t *testing.T) {
	t.Setenv("APITRACE_CACHE", t.TempDir())
	write := func() string {
		var out bytes.Buffer
		o := &Options{View: "path", Colour: "always", Lang: "en"}
		if err := o.WriteHistory(&console.Streams{Out: &out, Err: &out}, "get-node"); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if first, second := write(), write(); first == "" || first != second {
		t.Errorf("expected the same text twice; first:\n%s\nsecond:\n%s", first, second)
	}
}
