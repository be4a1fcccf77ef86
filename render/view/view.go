package view

import "github.com/kubeapitrace/apitrace/trace"

// A Choice says what a view shows of a trace. The zero value is key steps, how
// the request failed, and counts of everything else.
type Choice struct {
	// Full shows every call on its own: nothing is folded or collapsed.
	Full bool
	// Most is how many steps the view may have at most: the most telling ones stay,
	// see rank. 0 is no limit; Full or a Filter lifts it.
	Most int
	// Depth cuts what lies deeper than this many levels; 0 cuts nothing. A call
	// that continues its caller (see Node.Continues) is on its caller's level.
	Depth int
	// Filter says which calls the view is about.
	Filter Filter
	// Upstream shows each span and event of upstream's own tracing.
	Upstream bool

	// Marked, where it is set, says which calls are shown in place of key steps; Marks what
	// tells a call from others of its function.
	Marked func(call int) bool
	Marks  func(call int) string
}

// limited reports whether Most holds.
func (c *Choice) limited() bool { return !c.Full && !c.Filter.Active() && c.Marked == nil }

// A View is what is shown of one request. Each of its calls is in exactly one
// place: in the Calls of a Node, or counted in one Node's Above, Below or Cut.
type View struct {
	Tree *trace.Tree
	Root *Node
	// ErrorPath is how a failed request came to its answer, nil if that is not known.
	ErrorPath *ErrorPath

	// Shown counts the calls that are in Nodes, Collapsed those of them that share
	// their Node with others.
	Shown, Collapsed int
	// Folded counts the calls hidden as plumbing, Cut those below Choice.Depth.
	Folded, Cut int
	// Of the folded calls, LessTelling would be shown without Choice.Most. Upstream are
	// spans and events of upstream's.
	LessTelling, Upstream int
	// Matching counts the calls that Choice.Filter let through, Plumbing those of them
	// that are folded for being no key steps.
	Matching, Plumbing int
	// Handled counts the calls whose error had no part in the request's, and which
	// Filter.Errors left out for that.
	Handled int
}

// A Node is a call that is shown, or several equal ones in a row as one.
type Node struct {
	// Calls are indices of View.Tree, in order of entry: one call, or the
	// collapsed ones.
	Calls    []int
	Children []*Node

	// Above counts the folded calls between this node and the one it is a child
	// of. A folded call that leads to several nodes is counted at the first.
	Above int
	// Through counts the folded calls on the way from that node's call to this one,
	// however many nodes they lead to: 0 if that call itself made this one. Of calls drawn
	// as one it is that of the longest way.
	Through int
	// Below counts the folded calls that lead from this node to no other.
	Below int
	// Cut counts the calls below this node that lie deeper than Choice.Depth.
	Cut int
	// Upstream counts upstream's own spans and events among the folded calls to
	// which this node is the nearest above.
	Upstream int

	// Layer and Key are the Classifier's word on the first call.
	Layer string
	Key   bool
	// Group is the Classifier's label, "" if the calls have none. Calls of one
	// group in a row are collapsed even if they are of several functions, with
	// what is below them folded, unless something failed there or another process
	// was called.
	Group string

	// NewGoroutine is set when the call runs on another goroutine than the node
	// that it is a child of, Crossing when it runs in another process.
	NewGoroutine, Crossing bool
	// Afterwards is set when the call took up what a write of the request had caused: the
	// event on its way to those who watch. AfterNs is how long after the write that was,
	// in nanoseconds, 0 if it is not known.
	Afterwards bool
	AfterNs    int64
	// Origin is set when an error, a panic or the lack of a return began in this
	// call; not when it only passed on what a call below it had.
	Origin bool
	// Fatal is set when what the call returned decided the request: its error led to
	// the answer, a panic passed through it, or it never returned. An error without
	// it was dealt with by a caller, as happens in every request that succeeds.
	Fatal bool

	// Continues is set when this node is the last child of its parent and carries
	// on with most of what the parent does: the next filter of a chain, the
	// function behind a wrapper. Shown on its parent's level, long chains stay
	// readable.
	Continues bool
	// Opens is the section that begins with this node, nil if it stands in that of its caller.
	// Tell sets it.
	Opens *Section
}

// NewView chooses what is shown of a trace.
func NewView(tree *trace.Tree, classifier Classifier, choice Choice) *View {
	return newChooser(tree, classifier, choice).view(choice.Most)
}

// count adds up the totals of a node and everything below it.
func (v *View) count(n *Node) {
	v.Shown += len(n.Calls)
	if len(n.Calls) > 1 {
		v.Collapsed += len(n.Calls)
	}
	v.Folded += n.Above + n.Below
	v.Cut += n.Cut
	v.Upstream += n.Upstream
	for _, child := range n.Children {
		v.count(child)
	}
}

// setContinues decides which nodes are shown on their parent's level. It returns
// the number of nodes from n downwards.
func setContinues(n *Node) int {
	const worthwhile = 3 // for fewer nodes the ordinary indentation reads better
	size, last := 1, 0
	for _, child := range n.Children {
		last = setContinues(child)
		size += last
	}
	if last >= worthwhile && 2*last >= size-1 {
		child := n.Children[len(n.Children)-1]
		// Collapsed or not, one for one. What comes after the answer is a branch of its own.
		child.Continues = len(child.Calls) == len(n.Calls) && !child.Afterwards
	}
	return size
}

// cut removes the nodes below n, which is on the given level, that lie deeper
// than depth.
func cut(n *Node, level, depth int) {
	kept := n.Children[:0]
	for _, child := range n.Children {
		childLevel := level + 1
		if child.Continues {
			childLevel = level
		}
		if childLevel > depth {
			n.Cut += child.total()
			continue
		}
		cut(child, childLevel, depth)
		kept = append(kept, child)
	}
	n.Children = kept
}

// total counts the calls that n stands for, with everything below it.
func (n *Node) total() int {
	sum := len(n.Calls) + n.Above + n.Below + n.Cut
	for _, child := range n.Children {
		sum += child.total()
	}
	return sum
}

// upstream counts upstream's own spans and events folded at n and below it.
func (n *Node) upstream() int {
	sum := n.Upstream
	for _, child := range n.Children {
		sum += child.upstream()
	}
	return sum
}
