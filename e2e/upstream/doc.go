// Package upstream holds the tests that run upstream's own unit tests on what the rewriter makes of their packages. They
// show that inserted code changes nothing: the tests that pass on the pristine source pass on the rewritten one, idle, and
// with every test traced in the checking mode of the probe, which compares each call with the goroutine's real stack.
//
// What does not belong here: whether a server answers as upstream's does (package e2e).
package upstream
