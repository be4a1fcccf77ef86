// Package witness holds the test that asks an independent witness whether the traces leave calls out: Go's own coverage
// counters, in upstream's programs without the tracing. It has no code but tests.
package witness
