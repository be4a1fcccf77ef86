package session

import (
	"fmt"
	"testing"
)

// TestVerdictOfNothing checks that a run without traces does not claim that its calls
// were compared.
func TestVerdictOfNothing(t *testing.T) {
	for calls, want := range map[int64]string{0: "no call was compared with the real stack: no trace was fetched", 7: "compared 7 calls with the real stack: 0 differ"} {
		f, to := &fetcher{}, &noticed{}
		f.checked.Calls = calls
		if err := f.verdict(true, to); err != nil || len(to.lines) != 1 || to.lines[0] != want {
			t.Errorf("of %d calls: %q, %v, expected %q", calls, to.lines, err, want)
		}
	}
}

type noticed struct{ lines []string }

func (n *noticed) Notice(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *noticed) Building() BuildReporter { return nil }
