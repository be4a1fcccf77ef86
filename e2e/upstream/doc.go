// Package upstream runs upstream's own unit tests on rewritten packages. The tests show
// that the inserted code changes nothing. A test that passes on the pristine source must
// pass on the rewritten source, idle and traced. When a test is traced, the probe's
// checking mode compares each call with the goroutine's real stack.
//
// Package e2e tests a server's answers.
package upstream
