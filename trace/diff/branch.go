package diff

import (
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// findBranch sets r.Branch to the branch around call i in the caller's text. Several
// calls of the text may be call i; all must stand in the same branch. there is the
// caller's text on the other side.
func (r *Reason) findBranch(here indexedSide, there *recordings.Source, tree *trace.Tree, i int) {
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

// isAskedOnlyHere reports whether a call is for an admission plugin that the
// caller does not call on the other side. caller is its index in other.
func isAskedOnlyHere(call *trace.Call, other *trace.Tree, caller int) bool {
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
