// Package diff compares two traces.
//
// Calls are matched by identity first and by place second. The first step matches the
// functions of both traces: most have the same name, some were renamed, moved to another
// file or package, or are literals whose number shifted. The second step matches the
// calls. A function that is called once on both sides is the same call, wherever it is;
// the callers of matched calls are matched from below, the rest from above, in order,
// and through calls that only one side has. So a new filter that is wrapped around
// everything is one addition.
//
// The matching gives the changes, and a script of edits that turns one trace into the
// other. The memory that this takes is proportional to the size of the traces.
//
// Reasons explains a difference from the sources: whether the source changed or the same source ran another way, whether a function just
// has no span on one side, and whether a call is in the text of its caller at all.
package diff
