package render

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// callerName names the caller of call i in a sentence.
func (s *summary) callerName(tree *trace.Tree, i int) string {
	parent := tree.Parent(i)
	if parent < 0 {
		return "-"
	}
	return s.nameOf(tree, parent)
}

// nameOf names a caller in a sentence. Where functions of several packages that ran have the same short name, it
// has as much of the path as tells them apart: what the sentence says of one need not hold for the others.
func (s *summary) nameOf(tree *trace.Tree, caller int) string {
	function := tree.Call(caller).Function
	name := funcname.Short(function)
	for _, other := range s.calledOn(tree)[name] {
		for other != function && strings.HasSuffix(other, "/"+name) && name != function {
			name = longer(function, name)
		}
	}
	return name
}

// calledOn lists the functions of one side by their short names.
func (s *summary) calledOn(tree *trace.Tree) map[string][]string {
	all := s.called[tree]
	if all == nil {
		all = map[string][]string{}
		for i := range tree.Len() {
			call := tree.Call(i)
			if name := call.ShortName(); !slices.Contains(all[name], call.Function) {
				all[name] = append(all[name], call.Function)
			}
		}
		s.called[tree] = all
	}
	return all
}
