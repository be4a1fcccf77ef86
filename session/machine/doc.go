// Package machine tells what apitrace finds on this machine: which releases are built or recorded, what the cache
// holds, and whether all that a build and a server need is there.
package machine
