// Package diff tells how one trace differs from another.
//
// Calls are matched by identity first and by place second. First it is decided
// which function of one trace is which of the other: most have the same name, some were
// renamed, moved to another file or package, or are literals whose number shifted. Then
// it is decided which call is which. What is called once on both sides is the
// same call, wherever it stands; the callers of matched calls are matched from below,
// the rest from above, in order, and through calls that only one side has. So a new
// filter that is wrapped around everything is one addition.
//
// From the matching follow the changes, and a script of edits that makes the one trace
// into the other. All of it takes memory in proportion to the traces.
package diff
