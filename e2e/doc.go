// Package e2e holds the tests that need the real thing: the traced kube-apiserver
// on its etcd, and next to it, where behaviour is compared, upstream's own build of
// both. It has no code but tests.
//
// They run where APITRACE_E2E is set, as "make test" does: the first time they
// build the programs, which takes minutes.
package e2e
