// Package story holds the test that checks the sentences on a request against upstream's
// own account of it: the audit log, the answer, etcd's history, and the metrics of both
// programs. A seeded generator makes the requests, so nobody chose them to fit the
// sentences. The package has no other code.
package story
