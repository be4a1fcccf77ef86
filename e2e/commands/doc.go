// Package commands holds the tests of the command line that need real servers, and no
// other code. The tests build apitrace and run it as a user does.
//
// The go command does not see the sources of the programs that the tests build. Run "go
// test -count 1", or it may show cached results.
package commands
