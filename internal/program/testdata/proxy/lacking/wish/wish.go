// Package wish requests generated source.
// +wish=true
package wish
