package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// A chooser builds views of one trace.
type chooser struct {
	tree       *trace.Tree
	classifier Classifier
	choice     Choice

	origin []bool // see Node.Origin
	errors *ErrorPath
	// candidates marks the calls that may be shown. rank has the steps of the
	// candidates, the most telling first. If there are too many, show leaves out
	// the last steps. Without a limit, rank is nil.
	candidates []bool
	// leading has Node.Leads of the candidates. It is nil without Filter.Grep.
	leading []bool
	// See View.Matching, View.Plumbing and View.Handled.
	matching, plumbing, handled int
	rank                        []step
	// upstreamBefore[i] counts upstream's spans and events before call i.
	upstreamBefore []int

	shown []bool
	// shownBefore[i] counts the shown calls before i. The difference of two
	// counts tells whether a subtree has a shown call.
	shownBefore []int
}

func newChooser(tree *trace.Tree, classifier Classifier, choice Choice) *chooser {
	c := &chooser{tree: tree, classifier: classifier, choice: choice, errors: ErrorPathOf(tree, classifier), origin: origins(tree)}
	c.findCandidates()
	if choice.limited() {
		c.rank = rankSteps(c)
	}
	return c
}

// view builds a view. most is the maximum number of steps. Steps in the layers
// of chosen do not count; their maximum is most/2. The entry of a request inside the
// request does not count either. 0 means no limit.
func (c *chooser) view(most int) *View {
	v := &View{Tree: c.tree, ErrorPath: c.errors, Matching: c.matching, Plumbing: c.plumbing, Handled: c.handled, LessTelling: c.show(most), marked: c.choice.Marked != nil, byLayer: len(c.choice.Filter.Layers) > 0}
	v.Root = c.node(0)
	c.descend(v.Root, 0, state{})
	if !c.choice.Full {
		collapse(c.tree, v.Root, c.errors, !c.choice.Filter.Active(), c.choice.Marks)
	}
	setContinues(v.Root)
	if c.choice.Depth > 0 {
		cut(v.Root, 1, c.choice.Depth)
	}
	v.count(v.Root)
	return v
}

// findCandidates marks the candidates. It also counts the matching calls, and
// the calls for View.Plumbing and View.Handled.
func (c *chooser) findCandidates() {
	filter := newFiltering(&c.choice.Filter, c.tree, c.classifier, c.errors, c.choice.Full)
	active, finds := filter.Active(), filter.finds()
	var keyBelow []bool
	if c.choice.Marked == nil {
		keyBelow = LeadingTo(c.tree, func(call *trace.Call) bool { return c.classifier.Key(call.Function) && !Upstream(call) })
	}
	selected := make([]bool, c.tree.Len())
	for i := range selected {
		selected[i] = !active || filter.selects(i)
	}
	if filter.Grep != nil && c.choice.Marked == nil {
		c.leading = filter.leading(selected)
		c.leading[0] = !selected[0]
	}
	c.candidates = make([]bool, c.tree.Len())
	c.upstreamBefore = make([]int, c.tree.Len()+1)
	for i := range c.candidates {
		c.upstreamBefore[i+1] = c.upstreamBefore[i]
		if upstreamSays(c.tree.Call(i)) {
			c.upstreamBefore[i+1]++
		}
		wanted := c.wanted(i, keyBelow)
		isSelected := selected[i]
		switch {
		case i == 0:
			c.candidates[i] = true
		case isSelected:
			c.candidates[i] = c.choice.Full || wanted || finds && c.choice.Marked == nil
		default:
			c.candidates[i] = wanted && c.leading != nil && c.leading[i]
		}
		if isSelected {
			c.matching++
		}
		switch {
		case c.candidates[i]:
		case isSelected:
			c.plumbing++
		case c.choice.Filter.Errors && c.tree.Call(i).Error != "":
			c.handled++
		}
	}
}

// startLayers are the layers that matter in the start of a program. The
// goroutines of the program call functions of many other layers, without a
// request.
var startLayers = []string{trace.LayerServer, trace.LayerStorageSetup, trace.LayerInstaller, trace.LayerOwn}

// stopLayers are the layers that matter in the end of a program: they have the
// steps of the shutdown. Other layers only have calls of goroutines that still
// run, and calls of hooks that work in etcd.
var stopLayers = []string{trace.LayerServer}

// wanted reports whether a view that is not full may show call i. Such a view
// shows key steps, the error path, and the origins of fatal failures. It also
// shows a call that enters another process, if there is no key step at or below
// the call. keyBelow marks the calls that are key steps or lead to one.
//
// For the start or end of a program, the view only shows panics, and key steps
// in startLayers or stopLayers. If Choice.Marked is set, it alone selects.
func (c *chooser) wanted(i int, keyBelow []bool) bool {
	call, parent := c.tree.Call(i), c.tree.Parent(i)
	switch {
	case c.choice.Marked != nil:
		return c.choice.Marked(i)
	case parent >= 0 && c.tree.Request.OfProgram():
		layers := startLayers
		if c.tree.Request.IsStop() {
			layers = stopLayers
		} else if call.NewGoroutine && call.Unfinished && !c.leads(i, keyBelow) {
			return call.Panic != "" // a goroutine that waits for the end of the program
		}
		return call.Panic != "" || c.classifier.Key(call.Function) && slices.Contains(layers, c.classifier.Layer(call.Function))
	case parent < 0 || c.errors.At(i) != nil || c.origin[i] && Fatal(c.tree, c.errors, i):
		return true
	case Upstream(call):
		return c.choice.Upstream
	case call.Process != c.tree.Call(parent).Process && !keyBelow[i]:
		return true
	}
	return c.classifier.Key(call.Function)
}

// leads reports whether a call below call i is a key step or leads to one.
func (c *chooser) leads(i int, keyBelow []bool) bool {
	for child := range c.tree.Children(i) {
		if keyBelow[child] {
			return true
		}
	}
	return false
}

// Fatal returns Node.Fatal for call i of a request with this error path. If the
// error path of a failed request is not known, errors is nil and every error
// counts.
func Fatal(tree *trace.Tree, errors *ErrorPath, i int) bool {
	call := tree.Call(i)
	if tree.Request.OfProgram() {
		return call.Panic != "" // goroutines of the program retry after an error
	}
	if call.Panic != "" || call.Unfinished || errors.has(i) {
		return true
	}
	return call.Error != "" && errors == nil && !succeeded(tree.Request)
}

func succeeded(r *trace.Request) bool { return r.Status > 0 && r.Status < 400 }

// show marks the shown calls of a view; see view for most. It returns the
// number of candidates that are left out.
func (c *chooser) show(most int) (left int) {
	c.shown = c.candidates
	if most > 0 && c.rank != nil {
		c.shown = make([]bool, c.tree.Len())
		c.shown[0] = true
		usual, own := most, most/2
		for _, s := range c.rank {
			room := &usual
			if slices.Contains(chosen, s.layer) {
				room = &own
			}
			if *room == 0 {
				left += len(s.calls)
				continue
			}
			*room--
			for _, i := range s.calls {
				c.shown[i] = true
			}
		}
		for i := range c.shown {
			c.shown[i] = c.shown[i] || c.apart(i) || c.candidates[i] && c.entersServer(i)
		}
	}
	c.shownBefore = make([]int, c.tree.Len()+1)
	for i, shown := range c.shown {
		c.shownBefore[i+1] = c.shownBefore[i]
		if shown {
			c.shownBefore[i+1]++
		}
	}
	return left
}

// apart reports whether call i belongs to upstream's own tracing and the choice
// shows such calls. They do not count as steps, so no limit leaves them out.
func (c *chooser) apart(i int) bool { return c.choice.Upstream && i > 0 && Upstream(c.tree.Call(i)) }

// entersServer reports whether call i is the first call of a request inside the
// request: the handler of an API server that another server has sent a request to.
func (c *chooser) entersServer(i int) bool {
	parent := c.tree.Parent(i)
	return parent >= 0 && c.tree.Call(i).Process != c.tree.Call(parent).Process && c.classifier.Layer(c.tree.Call(i).Function) == trace.LayerFilters
}

// origins marks the calls where an error or a panic began, and unfinished calls
// that waited for no other unfinished call.
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

// state describes the folded calls above a node.
type state struct {
	above, through int
	newGoroutine   bool
	handoff        string
	event          *trace.Call // the outermost call above that handled a write's event, or nil
}

// node returns a node for call i, without its place in the tree.
func (c *chooser) node(i int) *Node {
	function := c.tree.Call(i).Function
	return &Node{
		Calls:  []int{i},
		Layer:  c.classifier.Layer(function),
		Key:    c.classifier.Key(function),
		Group:  c.classifier.Group(function),
		Origin: c.origin[i],
		Fatal:  Fatal(c.tree, c.errors, i),
		Leads:  c.leading != nil && c.leading[i],
	}
}

// descend adds the shown calls below call i to node. Call i is node's own call
// or a folded call below it. from describes the folded calls above call i's
// children. descend returns the number of folded calls that are not counted
// yet.
func (c *chooser) descend(node *Node, i int, from state) (pending int) {
	pending = from.above
	for child := range c.tree.Children(i) {
		call := c.tree.Call(child)
		if !c.shown[child] {
			node.Upstream += c.upstreamIn(child, child+1)
		}
		below := state{above: pending, through: from.through, newGoroutine: from.newGoroutine || call.NewGoroutine, handoff: cmp.Or(call.Attributes[trace.AttrHandoff], from.handoff), event: from.event}
		if below.event == nil && call.Afterwards() {
			below.event = call
		}
		switch {
		case c.shown[child]:
			next := c.node(child)
			next.Above, pending = pending, 0
			next.Through = from.through
			next.NewGoroutine, next.Handoff = below.newGoroutine, below.handoff
			next.SameGoroutine = next.NewGoroutine && slices.ContainsFunc(node.Children, func(n *Node) bool {
				earlier := c.tree.Call(n.Calls[0])
				return n.NewGoroutine && earlier.Goroutine == call.Goroutine && earlier.Process == call.Process
			})
			if below.event != nil {
				next.Afterwards = true
				// A folded call above this one may have received the event.
				if since := c.tree.Request.SinceWrite(below.event); since > 0 {
					next.AfterNs = since + call.StartNs - below.event.StartNs
				}
			}
			next.Crossing = call.Process != c.tree.Call(node.Calls[0]).Process
			node.Children = append(node.Children, next)
			c.descend(next, child, state{})
		case c.shownBefore[c.tree.End(child)] > c.shownBefore[child]:
			below.above++
			below.through++
			pending = c.descend(node, child, below)
		default:
			node.Below += c.tree.End(child) - child
			node.Upstream += c.upstreamIn(child+1, c.tree.End(child))
		}
	}
	return pending
}

// upstreamIn counts upstream's spans and events among the calls from i up to,
// but not including, end.
func (c *chooser) upstreamIn(i, end int) int { return c.upstreamBefore[end] - c.upstreamBefore[i] }
