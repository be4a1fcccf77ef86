package render

import (
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Choice says what a view shows of a trace. The zero value is the view for a
// first look: key steps, what failed, and counts of everything else.
type Choice struct {
	// Full shows every call on its own: nothing is folded or collapsed.
	Full bool
	// Depth cuts what lies deeper than this many levels; 0 cuts nothing. A call
	// that continues its caller (see Node.Continues) is on its caller's level.
	Depth int
}

// A View is what is shown of one request. Each of its calls is in exactly one
// place: in the Calls of a Node, or counted in one Node's Above, Below or Cut.
type View struct {
	Tree *trace.Tree
	Root *Node

	// Shown counts the calls that are in Nodes, Collapsed those of them that share
	// their Node with others.
	Shown, Collapsed int
	// Folded counts the calls hidden as plumbing, Cut those below Choice.Depth.
	Folded, Cut int
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
	// Below counts the folded calls that lead from this node to no other.
	Below int
	// Cut counts the calls below this node that lie deeper than Choice.Depth.
	Cut int

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
	// Origin is set when an error, a panic or the lack of a return began in this
	// call; not when it only passed on what a call below it had.
	Origin bool

	// Continues is set when this node is the last child of its parent and carries
	// on with most of what the parent does: the next filter of a chain, the
	// function behind a wrapper. Shown on its parent's level, long chains stay
	// readable.
	Continues bool
}

// NewView chooses what is shown of a trace.
func NewView(tree *trace.Tree, classifier Classifier, choice Choice) *View {
	c := &chooser{tree: tree, classifier: classifier, choice: choice}
	c.mark()
	view := &View{Tree: tree, Root: c.node(0)}
	c.descend(view.Root, 0, state{})
	if !choice.Full {
		collapse(tree, view.Root)
	}
	setContinues(view.Root)
	if choice.Depth > 0 {
		cut(view.Root, 1, choice.Depth)
	}
	view.count(view.Root)
	return view
}

// count adds up the totals of a node and everything below it.
func (v *View) count(n *Node) {
	v.Shown += len(n.Calls)
	if len(n.Calls) > 1 {
		v.Collapsed += len(n.Calls)
	}
	v.Folded += n.Above + n.Below
	v.Cut += n.Cut
	for _, child := range n.Children {
		v.count(child)
	}
}

// A chooser builds the nodes of a view.
type chooser struct {
	tree       *trace.Tree
	classifier Classifier
	choice     Choice

	origin []bool // see Node.Origin
	shown  []bool
	// shownBefore[i] is how many of the calls before i are shown, so that a
	// difference tells whether a subtree has any.
	shownBefore []int
}

// mark decides for each call whether it is shown: key steps, where failures
// began, the first call of each process.
func (c *chooser) mark() {
	n := c.tree.Len()
	c.origin = origins(c.tree)
	c.shown = make([]bool, n)
	c.shownBefore = make([]int, n+1)
	for i := range n {
		parent := c.tree.Parent(i)
		c.shown[i] = c.choice.Full || c.origin[i] || parent < 0 ||
			c.tree.Call(i).Process != c.tree.Call(parent).Process ||
			c.classifier.Key(c.tree.Call(i).Function)
		c.shownBefore[i+1] = c.shownBefore[i]
		if c.shown[i] {
			c.shownBefore[i+1]++
		}
	}
}

// origins finds the calls in which an error or a panic began, and those that
// waited for no other unfinished call.
func origins(tree *trace.Tree) []bool {
	type passed struct{ err, panic, unfinished bool }
	fromBelow := make([]passed, tree.Len())
	origin := make([]bool, tree.Len())
	for i := tree.Len() - 1; i >= 0; i-- { // children before their parents
		call, below := tree.Call(i), fromBelow[i]
		origin[i] = call.Error != "" && !below.err || call.Panic != "" && !below.panic || call.Unfinished && !below.unfinished
		if p := tree.Parent(i); p >= 0 {
			parent, up := tree.Call(p), &fromBelow[p]
			up.err = up.err || call.Error != "" && strings.Contains(parent.Error, call.Error)
			up.panic = up.panic || call.Panic != "" && parent.Panic == call.Panic
			up.unfinished = up.unfinished || call.Unfinished
		}
	}
	return origin
}

// state is what a node learns from the folded calls above it.
type state struct {
	above        int
	newGoroutine bool
}

func (c *chooser) node(i int) *Node {
	function := c.tree.Call(i).Function
	return &Node{
		Calls:  []int{i},
		Layer:  c.classifier.Layer(function),
		Key:    c.classifier.Key(function),
		Group:  c.classifier.Group(function),
		Origin: c.origin[i],
	}
}

// descend adds to node what is shown below call i, which is node's own call or a
// folded one below it. It returns how many folded calls were not counted yet.
func (c *chooser) descend(node *Node, i int, from state) (pending int) {
	pending = from.above
	for child := range c.tree.Children(i) {
		call := c.tree.Call(child)
		below := state{above: pending, newGoroutine: from.newGoroutine || call.NewGoroutine}
		switch {
		case c.shown[child]:
			next := c.node(child)
			next.Above, pending = pending, 0
			next.NewGoroutine = below.newGoroutine
			next.Crossing = call.Process != c.tree.Call(node.Calls[0]).Process
			node.Children = append(node.Children, next)
			c.descend(next, child, state{})
		case c.shownBefore[c.tree.End(child)] > c.shownBefore[child]:
			below.above++
			pending = c.descend(node, child, below)
		default:
			node.Below += c.tree.End(child) - child
		}
	}
	return pending
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
		child.Continues = len(child.Calls) == len(n.Calls) // collapsed or not, one for one
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
