package view

import (
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// largestPaired returns a call below call i that both sides make, and that is a
// key step or leads to one. Calls below such a call are not considered. Of
// several calls, largestPaired returns the call with the most calls below it. If
// there is none, it returns diff.None.
func (c *Differences) largestPaired(tree *trace.Tree, i int) int {
	partner, leads := c.Partners(tree), c.keyA
	if tree == c.Diff.B {
		leads = c.keyB
	}
	best := diff.None
	for j := i + 1; j < tree.End(i); {
		if partner[j] == diff.None || !leads[j] {
			j++
			continue
		}
		if best == diff.None || tree.End(j)-j > tree.End(best)-best {
			best = j
		}
		j = tree.End(j)
	}
	return best
}

// KeysBetween returns the key steps from the call of a change, which only one
// side makes, down to the first call below that both sides make (largestPaired).
// It returns calls of the side's tree: the first key step of each part of the
// server. It returns nil if there is no such call below.
//
// Several filters may have been added or removed in one place. The change only
// has the outermost filter, but the reader may look for another one.
func (c *Differences) KeysBetween(change diff.Change, classifier Classifier) []int {
	if !change.Wraps {
		return nil
	}
	tree, top := c.SideOf(change)
	inner := c.largestPaired(tree, top)
	if inner == diff.None {
		return nil
	}
	var path []int
	for i := tree.Parent(inner); i >= top; i = tree.Parent(i) {
		path = append(path, i)
	}
	slices.Reverse(path)
	var keys []int
	var parts []string
	for _, i := range path {
		call := tree.Call(i)
		if part := partOf(classifier, call.Function); classifier.Key(call.Function) && !Upstream(call) && !slices.Contains(parts, part) {
			keys, parts = append(keys, i), append(parts, part)
		}
	}
	return keys
}

// partOf returns the part of the server that a function belongs to: its layer,
// or impersonation, which is a part of the authorization layer.
func partOf(classifier Classifier, function string) string {
	return partOfLayer(classifier.Layer(function), function)
}

// partOfLayer returns the part of the server that a function of a layer belongs to: the
// layer, or impersonation.
func partOfLayer(layer, function string) string {
	if Impersonation(layer, function) {
		return impersonation
	}
	return layer
}
