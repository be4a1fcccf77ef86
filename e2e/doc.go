// Package e2e holds the tests that need real programs: the traced kube-apiserver on its
// etcd and, for comparisons of behaviour, upstream's own builds. It has only tests.
//
// The tests run if APITRACE_E2E is set; "make test" sets it. The first run builds the
// programs, which takes minutes.
package e2e
