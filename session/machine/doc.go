// Package machine reports the state of this machine: which releases are built or
// recorded, the contents of the cache, and the missing requirements of builds and
// servers. It also exports and imports builds, cleans the cache, and writes bug
// reports. It starts no servers.
package machine
