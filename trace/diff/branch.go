package diff

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// findBranch sets r.Branch to the branch around call i in the caller's text. Several
// calls of the text can be call i; then all must stand in the same branch. The branch explains
// nothing if the other side took it, too. If the call only comes after a branch that leaves,
// the branch in which the other side made its last call explains more. there is the caller's
// text on the other side, and otherCaller its call in other.
func (r *Reason) findBranch(here indexedSide, there *recordings.Source, tree, other *trace.Tree, i, otherCaller int) {
	call, caller := tree.Call(i), tree.Call(tree.Parent(i))
	own := here.code.Function(caller.Process, caller.Function)
	if own == nil {
		return
	}
	var at []recordings.Branch
	for _, c := range callsAt(own, call, call.CallerLine-caller.Line) {
		if r.Way.is(c, call) {
			at = append(at, c.Branch)
		}
	}
	if len(at) == 0 || at[0].Kind == recordings.NoBranch {
		return
	}
	for _, b := range at {
		if b != at[0] {
			return
		}
	}
	if tookBranch(there, at[0], other, otherCaller) {
		return
	}
	if at[0].Kind == recordings.BranchPast {
		if elsewhere, ok := leftIn(there, other, otherCaller); ok && !tookBranch(own, elsewhere.Branch, tree, tree.Parent(i)) {
			r.Branch = elsewhere
			return
		}
	}
	r.Branch = Branch{Branch: at[0], File: caller.File, At: caller.Line + at[0].Line}
	var others []recordings.Branch
	for _, c := range there.Calls {
		if r.Way.is(c, call) {
			others = append(others, c.Branch)
		}
	}
	for _, b := range others {
		if b.Kind == at[0].Kind && b.Text == at[0].Text {
			return
		}
	}
	if len(others) == 1 {
		r.Branch.Differs, r.Branch.Other = true, others[0]
	}
}

// tookBranch reports whether a recorded call of the caller stands in the same branch as b.
// text is the caller's text. It skips a line with several calls in different branches,
// because any of them may be the recorded call.
func tookBranch(text *recordings.Source, b recordings.Branch, tree *trace.Tree, caller int) bool {
	for child := range tree.Children(caller) {
		call := tree.Call(child)
		if call.CallerLine == 0 {
			continue
		}
		at := slices.DeleteFunc(callsAt(text, call, call.CallerLine-tree.Call(caller).Line), func(c recordings.SourceCall) bool { return c.Deferred })
		isOutside := func(c recordings.SourceCall) bool { return c.Branch.Kind != b.Kind || c.Branch.Text != b.Text }
		if len(at) > 0 && !slices.ContainsFunc(at, isOutside) {
			return true
		}
	}
	return false
}

// leftIn returns the branch of an if in which a caller made its last recorded call. text is
// the caller's text.
func leftIn(text *recordings.Source, tree *trace.Tree, caller int) (Branch, bool) {
	of, last := tree.Call(caller), -1
	for child := range tree.Children(caller) {
		last = child
	}
	if last < 0 || tree.Call(last).CallerLine == 0 {
		return Branch{}, false
	}
	call := tree.Call(last)
	at := slices.DeleteFunc(callsAt(text, call, call.CallerLine-of.Line), func(c recordings.SourceCall) bool { return c.Deferred })
	if len(at) == 0 || at[0].Branch.Kind != recordings.BranchIn || !strings.HasPrefix(at[0].Branch.Text, "if ") ||
		slices.ContainsFunc(at, func(c recordings.SourceCall) bool { return c.Branch != at[0].Branch }) {
		return Branch{}, false
	}
	return Branch{Branch: at[0].Branch, File: of.File, At: of.Line + at[0].Branch.Line, Instead: call.ShortName()}, true
}

// runsPluginOnlyHere reports whether a call is for an admission plugin that
// its caller does not call on the other side. caller is the caller's index in
// other.
func runsPluginOnlyHere(call *trace.Call, other *trace.Tree, caller int) bool {
	for _, attribute := range []string{trace.AttrAdmissionPlugin, trace.AttrAdmissionType} {
		plugin := call.Attributes[attribute]
		if plugin == "" {
			continue
		}
		for child := range other.Children(caller) {
			if other.Call(child).Attributes[attribute] == plugin {
				return false
			}
		}
		return true
	}
	return false
}
