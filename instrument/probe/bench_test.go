package probe

import (
	"testing"
)

// The benchmarks call what the rewriter inserts, in functions that do nothing else.

var benchSite = Site{Function: "bench", File: "bench_test.go", Line: 1}

//go:noinline
func plainCall(n int) (err error) {
	if n < 0 {
		return errNegative
	}
	return nil
}

//go:noinline
func instrumentedCall(n int) (err error) {
	if l := Labels(); l != nil {
		defer Enter(l, &benchSite).Exit(&err)
	}
	if n < 0 {
		return errNegative
	}
	return nil
}

//go:noinline
func rootCall(traceparent string, f func()) {
	if c := Root(Labels(), &benchSite, traceparent); c != nil {
		defer c.Exit(nil)
	}
	f()
}

func BenchmarkPlain(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		_ = plainCall(i)
	}
}

func BenchmarkUntraced(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		_ = instrumentedCall(i)
	}
}

func BenchmarkTraced(b *testing.B) {
	startForTest(b)
	const tp = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
	const perTrace = 300 // as many as a request has
	n := 0
	for b.Loop() {
		if n%perTrace == 0 {
			if t := traces.get("0123456789abcdef0123456789abcdef"); t != nil {
				traces.remove(t)
			}
			b.StopTimer()
			b.StartTimer()
		}
		n++
		_ = n
		if n%perTrace == 1 {
			rootCall(tp, func() {
				for i := range perTrace {
					_ = instrumentedCall(i)
				}
			})
		}
	}
}
