// Package diff compares two traces.
//
// Calls are matched by identity first and by place second. The first step
// matches the functions of both traces. Most have the same name. Some were
// renamed, or moved to another file or package, or are literals with a shifted
// number. The second step matches the calls. A function that is called once on
// both sides is the same call, wherever it is. The callers of matched calls
// are matched from below. The remaining calls are matched from above, in
// order, and through calls that only one side has. So a new filter that wraps
// everything is one addition.
//
// The matching gives the changes, and a script of edits that turns one trace
// into the other. The memory use is proportional to the size of the traces.
//
// Reasons explains a difference from the sources: whether the source changed, whether the same
// source ran differently, whether a function has no span on one side, and whether the caller's
// text has the call at all.
//
// Packages view and render present the differences.
package diff
