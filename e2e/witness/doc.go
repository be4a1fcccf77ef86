// Package witness holds the test that finds calls that are missing in traces. It compares
// the traces with an independent witness: Go's coverage counters in upstream's programs
// without tracing. The package has no other code.
package witness
