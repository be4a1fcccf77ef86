// Package machine reports the state of this machine: which releases are built or recorded, what the cache
// holds, and which requirements of builds and servers are missing.
package machine
