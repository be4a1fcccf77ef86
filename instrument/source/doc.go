// Package source finds functions and types in the pristine source of a traced
// program, by the names that calls have. It prints a function with its doc comment,
// upstream's line numbers, and marks at the lines that made traced calls. It also
// compares the texts of functions.
//
// Package instrument/traced fetches the source.
package source
