// Package story holds the tests that compare the sentences about a request with
// upstream's own data: the audit log, the answer, etcd's history, and the metrics of both
// programs. A seeded generator makes the requests, so nobody chose requests that fit. The
// package has no other code.
package story
