package view

import (
	"hash/maphash"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// collapse makes one node of each run of siblings below n that belong to one
// group, and of each run of equal siblings. Two nodes are equal if they have
// the same function, the same failure and the same marks, and if their children
// are equal one by one. If groups is false, calls of a group are not collapsed,
// because a filter selected them.
func collapse(tree *trace.Tree, n *Node, errors *ErrorPath, groups bool, marks func(call int) string) {
	c := collapser{tree: tree, seed: maphash.MakeSeed(), errors: errors, groups: groups, marks: marks}
	c.collapse(n)
}

type collapser struct {
	tree   *trace.Tree
	seed   maphash.Seed
	errors *ErrorPath
	groups bool
	marks  func(call int) string // Choice.Marks; nil if no call has a mark
}

// shape is the key for comparing nodes. It has only a hash of the children,
// because comparing whole subtrees on every level would take too long.
type shape struct {
	function, err, panic, upstream, mark       string
	handoff                                    string
	unfinished, origin, newGoroutine, crossing bool
	leads                                      bool
	afterwards                                 bool
	// eventful is set if the error path, a fatal failure, another process or a
	// mark is at or below the node. hook is set if a call of a webhook is there.
	// Such a node must not disappear in a group.
	eventful, hook bool
	// holdsGroup is set if a child belongs to the node's own group. The node
	// then is not a member of the group but contains the members.
	holdsGroup bool
	// call distinguishes a group's calls that must not be collapsed.
	call     int
	children int
	below    uint64
}

// collapse works from the leaves up and returns n's shape.
func (c *collapser) collapse(n *Node) shape {
	var kept []*Node
	var shapes []shape
	for _, child := range n.Children {
		s := c.collapse(child)
		last := len(kept) - 1
		switch {
		case last >= 0 && c.groups && sameGroup(kept[last], child) && !shapes[last].mustStay() && !s.mustStay():
			fold(kept[last])
			fold(child)
			merge(kept[last], child)
			shapes[last].children, shapes[last].below = 0, 0
		case last >= 0 && shapes[last] == s:
			merge(kept[last], child)
		default:
			kept, shapes = append(kept, child), append(shapes, s)
		}
	}
	call := c.tree.Call(n.Calls[0])
	hook := callsHook(call) || slices.ContainsFunc(shapes, func(s shape) bool { return s.hook })
	holdsGroup := n.Group != "" && slices.ContainsFunc(kept, func(child *Node) bool { return child.Group == n.Group })
	if hook && n.Group != "" && c.groups && !n.Fatal && !holdsGroup {
		kept, shapes = prune(n, kept, shapes)
	}
	n.Children = kept
	s := shape{
		function: call.Function, err: call.Error, panic: call.Panic, unfinished: call.Unfinished,
		origin: n.Origin, leads: n.Leads, newGoroutine: n.NewGoroutine, handoff: n.Handoff, crossing: n.Crossing, afterwards: n.Afterwards,
		eventful: c.eventful(n), hook: hook, holdsGroup: holdsGroup, children: len(kept),
	}
	if c.marks != nil {
		s.mark = c.marks(n.Calls[0])
		s.eventful = s.eventful || s.mark != ""
	}
	if Upstream(call) {
		s.upstream = UpstreamLabel(call)
	}
	if n.Group != "" && !c.groups {
		s.call = n.Calls[0]
	}
	for _, below := range shapes {
		s.eventful = s.eventful || below.eventful
		s.below = s.below*31 + maphash.Comparable(c.seed, below)
	}
	return s
}

// eventful reports whether a node itself enters another process, is on the
// error path, or is the origin of a fatal failure.
func (c *collapser) eventful(n *Node) bool {
	return n.Crossing || n.Origin && n.Fatal || c.errors.At(n.Calls[0]) != nil
}

// callsHook reports whether a call calls an admission webhook.
func callsHook(call *trace.Call) bool {
	return call.Attributes[trace.AttrWebhookName] != "" && call.Attributes[trace.AttrAdmissionVerdict] != ""
}

// prune folds the children of n, a member of a group, except the children that
// must stay. For a plugin that calls a webhook, only the calls that lead to the
// webhook remain. prune returns the kept children and their shapes.
func prune(n *Node, children []*Node, shapes []shape) (kept []*Node, of []shape) {
	for i, child := range children {
		if shapes[i].mustStay() {
			kept, of = append(kept, child), append(of, shapes[i])
			continue
		}
		n.Below += child.total()
		n.Upstream += child.upstream()
	}
	return kept, of
}

// mustStay reports whether the node must not disappear in a group.
func (s *shape) mustStay() bool { return s.eventful || s.hook || s.holdsGroup }

// sameGroup reports whether two consecutive siblings are members of one group
// and began in the same way.
func sameGroup(a, b *Node) bool {
	return a.Group != "" && a.Group == b.Group && a.NewGoroutine == b.NewGoroutine && a.Handoff == b.Handoff && a.Afterwards == b.Afterwards
}

// fold hides the nodes below n and adds their calls to n's counts.
func fold(n *Node) {
	for _, child := range n.Children {
		n.Below += child.total()
		n.Upstream += child.upstream()
	}
	n.Children = nil
}

// merge adds an equal node's calls and counts to n, child by child.
func merge(n, other *Node) {
	n.Calls = append(n.Calls, other.Calls...)
	n.Above += other.Above
	n.Through = max(n.Through, other.Through)
	n.Below += other.Below
	n.Upstream += other.Upstream
	for i, child := range other.Children {
		merge(n.Children[i], child)
	}
}
