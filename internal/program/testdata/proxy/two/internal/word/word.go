// Package word may be imported by its own module only.
package word

// Word is what the program says.
func Word() string { return "hello" }
