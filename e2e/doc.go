// Package e2e holds the tests that need real programs: the traced kube-apiserver on its
// etcd and, where behaviour is compared, upstream's own build of both. It has only
// tests.
//
// The tests run if APITRACE_E2E is set, as "make test" does. The first run builds the
// programs, which takes minutes. Tests that need no server do not belong here.
package e2e
