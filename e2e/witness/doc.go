// Package witness holds the test that compares the traces with an independent witness,
// to find missing calls: Go's coverage counters in upstream's programs without
// tracing. The package has no other code.
package witness
