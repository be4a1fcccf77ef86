package view

import (
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// firstPaired returns, among the calls below call i that both sides make and that lead to a key
// step, the one with the most calls below it; diff.None if there is none.
func (c *Differences) firstPaired(tree *trace.Tree, i int) int {
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

// KeysBetween returns the key steps between a call that only one side makes and the one below it that both make: calls of the side's
// tree, the first one of each part of the server. Several filters may have come in one place, and the outermost one, which stands for
// all of them, need not be that which a reader looks for.
func (c *Differences) KeysBetween(change diff.Change, classifier Classifier) []int {
	if !change.Wraps {
		return nil
	}
	tree, top := c.SideOf(change)
	inner := c.firstPaired(tree, top)
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

// partOf names the part of the server, a layer or a part of one, in which the sections of the tree show a function.
func partOf(classifier Classifier, function string) string {
	layer := classifier.Layer(function)
	if Impersonation(layer, function) {
		return impersonation
	}
	return layer
}
