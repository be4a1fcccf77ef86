package view

import "github.com/kubeapitrace/apitrace/trace"

// A Choice selects the parts of a trace that a view shows. The zero value shows
// the key steps, how the request failed, and counts of everything else.
type Choice struct {
	// Full shows every call separately, unfolded.
	Full bool
	// Most is the maximum number of steps. The most telling steps stay, see
	// rankSteps. Steps of code that the user chose (trace.LayerOwn and
	// trace.LayerMore) do not count. They are shown in addition, at most
	// Most/2. 0 means no limit. With Full, Marked or an active Filter there is
	// no limit either.
	Most int
	// Depth cuts calls below this many levels. 0 cuts nothing. A call that
	// continues its caller (see Node.Continues) is on its caller's level.
	Depth int
	// Filter selects the calls of the view.
	Filter Filter
	// Upstream shows each call of upstream's own tracing.
	Upstream bool

	// Marked, if set, selects the calls to show, in place of the key steps.
	// Marks, if set, returns a call's mark, or "". Calls with different marks
	// are not collapsed.
	Marked func(call int) bool
	Marks  func(call int) string
}

// limited reports whether Most applies.
func (c *Choice) limited() bool { return !c.Full && !c.Filter.Active() && c.Marked == nil }

// A View is the shown part of one request. Each call of the request is in
// exactly one place: in the Calls of a Node, or counted in one Node's Above,
// Below or Cut.
type View struct {
	Tree *trace.Tree
	Root *Node
	// ErrorPath is a failed request's error path, if known.
	ErrorPath *ErrorPath

	// Shown counts the calls in Nodes. Collapsed counts the shown calls that
	// share their Node with others.
	Shown, Collapsed int
	// Folded counts the hidden calls, except the calls below Choice.Depth. Cut
	// counts these.
	Folded, Cut int
	// LessTelling counts the folded calls that would be shown without
	// Choice.Most. Upstream counts the folded calls that are upstream's spans
	// and events.
	LessTelling, Upstream int
	// Matching counts the calls that Choice.Filter selects. Plumbing counts the
	// matching calls that are folded because they are not key steps.
	Matching, Plumbing int
	// Leading counts the shown calls with Node.Leads.
	Leading int
	// Handled counts the calls that Filter.Errors left out because their error
	// had no part in the request's failure.
	Handled int
	// marked is set for the view of a comparison (Choice.Marked).
	marked bool
	// byLayer is set if Filter.Layers is set.
	byLayer bool
}

// A Node is a shown call, or several equal consecutive calls that are shown as
// one.
type Node struct {
	// Calls are indices of View.Tree, in order of entry: one call, or the
	// collapsed calls.
	Calls    []int
	Children []*Node

	// Above counts the folded calls between this node and its parent. A folded
	// call that leads to several nodes is counted at the first.
	Above int
	// Through counts the folded calls on the way from the parent's call to this
	// one, even if they lead to several nodes. It is 0 if the parent itself
	// made this call. For collapsed calls, it is the maximum.
	Through int
	// Below counts the folded calls below this node that lead to no other node.
	Below int
	// Cut counts the calls below this node that are deeper than Choice.Depth.
	Cut int
	// Upstream counts upstream's own spans and events among the folded calls
	// below this node, without the calls below its children.
	Upstream int

	// Layer and Key are the Classifier's results for the first call.
	Layer string
	Key   bool
	// Group is the Classifier's label, or "". Consecutive calls of one group
	// are collapsed even if their functions differ. The calls below them are
	// folded, unless something failed there or another process was called.
	Group string

	// NewGoroutine is set if the call runs on another goroutine than its parent
	// node, and SameGoroutine if an earlier child of the parent node runs on
	// that goroutine, too. Crossing is set if it runs in another process.
	NewGoroutine, SameGoroutine, Crossing bool
	// Handoff is the queue, such as raft, that handed the call to another
	// goroutine as work of its parent node. It is "" if there was none.
	Handoff string
	// Afterwards is set if the call handled the event of a write by this
	// request, on its way to the watchers. AfterNs is the time since the write
	// in nanoseconds, or 0 if it is not known.
	Afterwards bool
	AfterNs    int64
	// Origin is set if an error, a panic or a missing return began in this
	// call. It is not set if the call only passed it on from a call below.
	Origin bool
	// Leads is set only with Filter.Grep, if the filter does not select the
	// call. The call is shown because it leads to a selected call, or because
	// it is the request's first call.
	Leads bool
	// Fatal is set if the outcome of the call made the request fail: its error
	// led to the answer, it panicked, or it had not returned. A caller handled
	// all other errors. If the error path of a failed request is not known,
	// every error counts. In the start or end of a program, only panics count.
	Fatal bool

	// Continues is set if this node is the last child of its parent and does
	// most of the parent's work. Examples are the next filter of a chain, and
	// the function behind a wrapper. The node is drawn on its parent's level,
	// which keeps long chains readable.
	Continues bool
	// Opens is the section that begins here, or nil. Tell sets it.
	Opens *Section
}

// NewView returns the view of a trace that a choice selects.
func NewView(tree *trace.Tree, classifier Classifier, choice Choice) *View {
	return newChooser(tree, classifier, choice).view(choice.Most)
}

// count adds up the totals of a node and everything below it.
func (v *View) count(n *Node) {
	v.Shown += len(n.Calls)
	if len(n.Calls) > 1 {
		v.Collapsed += len(n.Calls)
	}
	if n.Leads {
		v.Leading += len(n.Calls)
	}
	v.Folded += n.Above + n.Below
	v.Cut += n.Cut
	v.Upstream += n.Upstream
	for _, child := range n.Children {
		v.count(child)
	}
}

// setContinues sets Continues of all nodes below n. It returns the number of
// nodes at and below n.
func setContinues(n *Node) int {
	const worthwhile = 3 // for fewer nodes the ordinary indentation reads better
	size, last := 1, 0
	for _, child := range n.Children {
		last = setContinues(child)
		size += last
	}
	if last >= worthwhile && 2*last >= size-1 {
		child := n.Children[len(n.Children)-1]
		// Parent and child must have the same number of calls. Calls that
		// handle the event of a write are a branch of their own.
		child.Continues = len(child.Calls) == len(n.Calls) && !child.Afterwards
	}
	return size
}

// cut removes the nodes below n that lie deeper than depth. n is on the given
// level.
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

// total counts the calls of n and of everything below it, including hidden
// calls.
func (n *Node) total() int {
	sum := len(n.Calls) + n.Above + n.Below + n.Cut
	for _, child := range n.Children {
		sum += child.total()
	}
	return sum
}

// upstream counts upstream's own spans and events folded at and below n.
func (n *Node) upstream() int {
	sum := n.Upstream
	for _, child := range n.Children {
		sum += child.upstream()
	}
	return sum
}
