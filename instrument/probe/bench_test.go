package probe

import "testing"

// These benchmarks run what the rewriter inserts, in functions that do nothing else.
// The difference to BenchmarkPlain is what a call costs.

//go:noinline
func plainCall(n int) (err error) {
	if n < 0 {
		return errNegative
	}
	return nil
}

//go:noinline
func instrumentedCall(n int) (err error) {
	if On() {
		if l := Labels(); l != nil {
			defer Enter(l, &callSite).Exit(&err)
		}
	}
	if n < 0 {
		return errNegative
	}
	return nil
}

var errNegative = error(nil)

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		_ = plainCall(1)
	}
}

func BenchmarkUntraced(b *testing.B) {
	for b.Loop() {
		_ = instrumentedCall(1)
	}
}

func BenchmarkTraced(b *testing.B) {
	listenForTest(b)
	const perTrace = 1000 // about as many as a request has
	for done := 0; done < b.N; done += perTrace {
		root(sampled(traceID(8)), func() {
			for range perTrace {
				_ = instrumentedCall(1)
			}
		})
		traces.remove(traces.get(traceID(8)))
	}
}

func BenchmarkLeaf(b *testing.B) {
	listenForTest(b)
	const perTrace = 1000
	for done := 0; done < b.N; done += perTrace {
		root(sampled(traceID(9)), func() {
			for range perTrace {
				_ = leafCall(1)
			}
		})
		traces.remove(traces.get(traceID(9)))
	}
}
