package probe

import (
	"errors"
	"testing"
)

var errNegative = errors.New("negative")

// startForTest makes the probe record, without a socket.
func startForTest(tb testing.TB) {
	tb.Helper()
	if err := calibrate(); err != nil {
		tb.Fatal(err)
	}
	if err := checkLabelLayout(); err != nil {
		tb.Fatal(err)
	}
	listening.Store(true)
	tb.Cleanup(func() { listening.Store(false) })
}

func TestX(t *testing.T) {
	startForTest(t)
	t.Logf("%+v", stack)
	rootCall("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01", func() { _ = instrumentedCall(-1) })
	tr := traces.get("0123456789abcdef0123456789abcdef")
	cs, _ := tr.calls()
	for _, c := range cs {
		t.Logf("%+v", tr.record(c))
	}
}
