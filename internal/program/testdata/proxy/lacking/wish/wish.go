// Package wish asks for generated source.
// +wish=true
package wish
