// Package source finds functions in the pristine source of a traced program, by the
// names that calls have, and shows them: with their doc comments, upstream's line
// numbers, and the lines from which traced calls went out.
package source
