package probe

import (
	"io"
	"net"
	"testing"
	"time"
)

// These benchmarks run the code that the rewriter inserts, in functions that do nothing
// else. The difference from BenchmarkPlain is the cost of a call.

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

// BenchmarkTracedByCounter and BenchmarkLeafByCounter read the processor's counter even
// if the kernel does not trust it. They show the cost of a call without the cost of the
// system's clock.
func BenchmarkTracedByCounter(b *testing.B) {
	readCounter(b)
	BenchmarkTraced(b)
}

func BenchmarkLeafByCounter(b *testing.B) {
	readCounter(b)
	BenchmarkLeaf(b)
}

func readCounter(b *testing.B) {
	if !supportedArch {
		b.Skip("this architecture has no counter that the probe can read")
	}
	old := useCounter
	useCounter = true
	b.Cleanup(func() { useCounter = old })
}

// BenchmarkClock reads the clock that the probe uses if it cannot use the counter. A leaf
// needs one reading, another call two.
func BenchmarkClock(b *testing.B) {
	for b.Loop() {
		_ = time.Since(epoch)
	}
}

func BenchmarkCounter(b *testing.B) {
	if !supportedArch {
		b.Skip("this architecture has no counter that the probe can read")
	}
	for b.Loop() {
		_ = counter()
	}
}

// BenchmarkDeliver writes the records of a trace of a thousand calls.
func BenchmarkDeliver(b *testing.B) {
	listenForTest(b)
	root(sampled(traceID(10)), func() {
		for range 500 {
			_ = instrumentedCall(1)
			_ = leafCall(1)
		}
	})
	t := traces.get(traceID(10))
	b.Cleanup(func() { traces.remove(t) })
	calls := inOrder(t.snapshot())
	reader, writer := net.Pipe()
	b.Cleanup(func() { reader.Close(); writer.Close() })
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	for b.Loop() {
		if err := write(writer, Header{Calls: len(calls)}, t, calls, ""); err != nil {
			b.Fatal(err)
		}
	}
}
