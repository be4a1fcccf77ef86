// Package word can be imported only by its own module.
package word

// Word returns the text that the program prints.
func Word() string { return "hello" }
