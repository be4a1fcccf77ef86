// Package commands holds the tests of the command line that need the real servers. They build
// apitrace as it is now and run it as a user does. It has no code but tests.
//
// The go command does not see what they run: "go test -count 1" keeps it from showing old results.
package commands
