// Package dep is a dependency of the program.
package dep

// Hello returns a greeting. The rewriter of the tests changes it.
func Hello() string { return "hello" }
