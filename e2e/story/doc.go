// Package story holds the test of the sentences on a request against upstream's own
// account: the audit log, the answer, etcd's history, and both programs' metrics. A
// seeded generator makes the requests, so nobody chose them to fit. The package has no
// other code.
package story
