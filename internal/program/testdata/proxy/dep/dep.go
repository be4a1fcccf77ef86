// Package dep is a dependency of the program.
package dep

// Hello is what the rewriter of the tests changes.
func Hello() string { return "hello" }
