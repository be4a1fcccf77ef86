package render

import (
	"hash/maphash"

	"github.com/kubeapitrace/apitrace/trace"
)

// collapse makes one node of each run of equal siblings below n. Two nodes are
// equal when they have the same label, the same failure and the same marks, and
// their children are equal one by one.
func collapse(tree *trace.Tree, n *Node) {
	c := collapser{tree: tree, seed: maphash.MakeSeed()}
	c.collapse(n)
}

type collapser struct {
	tree *trace.Tree
	seed maphash.Seed
}

// shape is what two equal nodes have in common. The children's part is a hash:
// comparing whole subtrees again on every level would take too long.
type shape struct {
	label, err, panic                               string
	unfinished, origin, newGoroutine, crossing, key bool
	children                                        int
	below                                           uint64
}

// collapse works from the leaves up and returns n's shape.
func (c *collapser) collapse(n *Node) shape {
	var kept []*Node
	var shapes []shape
	for _, child := range n.Children {
		s := c.collapse(child)
		if last := len(kept) - 1; last >= 0 && shapes[last] == s {
			merge(kept[last], child)
			continue
		}
		kept, shapes = append(kept, child), append(shapes, s)
	}
	n.Children = kept
	call := c.tree.Call(n.Calls[0])
	label := n.Group
	if label == "" {
		label = call.Function
	}
	var below uint64
	for _, s := range shapes {
		below = below*31 + maphash.Comparable(c.seed, s)
	}
	return shape{label, call.Error, call.Panic, call.Unfinished, n.Origin, n.NewGoroutine, n.Crossing, n.Key, len(kept), below}
}

// merge adds an equal node's calls and counts to n, child by child.
func merge(n, other *Node) {
	n.Calls = append(n.Calls, other.Calls...)
	n.Above += other.Above
	n.Below += other.Below
	for i, child := range other.Children {
		merge(n.Children[i], child)
	}
}
