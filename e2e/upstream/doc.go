// Package upstream runs upstream's own unit tests on rewritten packages. The tests show
// that the inserted code changes nothing. A test that passes on the pristine source
// passes on the rewritten source, idle and traced. When a test is traced, the probe's
// checking mode compares each call with the goroutine's real stack.
//
// Tests of a server's answers belong in package e2e.
package upstream
