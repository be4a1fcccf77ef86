package trace

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Tree is the tree of a request's calls. A call is identified by its index in
// Request.Calls. The calls are in order of entry: the calls below call i come
// right after it, up to End(i).
type Tree struct {
	// Request is the request with these calls.
	Request *Request

	parent []int // index of the parent, -1 for the root
	end    []int // index behind the last call of the subtree
	depth  []int
}

// NewTree returns the tree of a request. It returns Validate's error if Validate
// does not accept the request.
func NewTree(r *Request) (*Tree, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return TreeOfValid(r), nil
}

// TreeOfValid returns the tree of a request. Validate must accept the request, as
// it does for every loaded request. Otherwise the result is undefined.
func TreeOfValid(r *Request) *Tree {
	n := len(r.Calls)
	t := &Tree{Request: r, parent: make([]int, n), end: make([]int, n), depth: make([]int, n)}
	for i := range r.Calls {
		// In order of entry, a call's parent is the previous one or its ancestor.
		p := i - 1
		for p >= 0 && r.Calls[p].ID != r.Calls[i].Parent {
			p = t.parent[p]
		}
		t.parent[i], t.end[i] = p, i+1
		if p >= 0 {
			t.depth[i] = t.depth[p] + 1
		}
	}
	for i := n - 1; i > 0; i-- {
		if p := t.parent[i]; p >= 0 {
			t.end[p] = max(t.end[p], t.end[i])
		}
	}
	return t
}

// Len returns the number of calls.
func (t *Tree) Len() int { return len(t.Request.Calls) }

// Call returns call i.
func (t *Tree) Call(i int) *Call { return &t.Request.Calls[i] }

// Parent returns the call that made call i, or -1 for the root.
func (t *Tree) Parent(i int) int { return t.parent[i] }

// Depth returns the number of calls above call i, 0 for the root.
func (t *Tree) Depth(i int) int { return t.depth[i] }

// End returns the index behind the last call below call i. Those calls are i+1 to
// End(i)-1.
func (t *Tree) End(i int) int { return t.end[i] }

// Children yields the calls that call i made, in order of entry.
func (t *Tree) Children(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := i + 1; c < t.end[i]; c = t.end[c] {
			if !yield(c) {
				return
			}
		}
	}
}

// Sort sorts the calls into the order that Request.Calls promises. Siblings that
// began in the same nanosecond keep their order. So before Sort, the calls of each
// process must be in the order in which the process counted them.
//
// If the calls are not one tree, Sort returns an error and changes nothing.
func (r *Request) Sort() error {
	order, err := r.entryOrder()
	if err != nil {
		return err
	}
	if slices.IsSorted(order) {
		return nil
	}
	sorted := make([]Call, len(order))
	for i, from := range order {
		sorted[i] = r.Calls[from]
	}
	r.Calls = sorted
	return nil
}

// entryOrder returns the indices of the calls in their order of entry.
func (r *Request) entryOrder() ([]int, error) {
	root, children, err := r.links()
	if err != nil {
		return nil, err
	}
	order := make([]int, 0, len(r.Calls))
	for stack := []int{root}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, i)
		kids := children[i]
		r.sortSiblings(kids)
		for _, c := range slices.Backward(kids) {
			stack = append(stack, c)
		}
	}
	if len(order) < len(r.Calls) {
		return nil, r.cycleError(order)
	}
	return order, nil
}

// sortSiblings sorts the calls of one parent by time. A call on a goroutine that the
// parent started is moved in front of calls from later lines of the parent.
func (r *Request) sortSiblings(kids []int) {
	slices.SortStableFunc(kids, func(a, b int) int {
		return cmp.Compare(r.Calls[a].StartNs, r.Calls[b].StartNs)
	})
	for i := range kids {
		for at := i; at > 0 && r.Calls[kids[at]].startedBefore(&r.Calls[kids[at-1]]); at-- {
			kids[at-1], kids[at] = kids[at], kids[at-1]
		}
	}
}

// startedBefore reports whether c runs on a goroutine that its parent started on an
// earlier line than the line of the call earlier. c ran later only because of the
// scheduler.
func (c *Call) startedBefore(earlier *Call) bool {
	isStarted := c.NewGoroutine && c.CallerLine > 0 && c.Attributes[AttrHandoff] == ""
	return isStarted && earlier.CallerLine > c.CallerLine
}

// links finds the root and the children of each call.
func (r *Request) links() (root int, children [][]int, err error) {
	if len(r.Calls) == 0 {
		return 0, nil, message.Errorf("it has no calls: expected at least the function that received the request")
	}
	index := make(map[string]int, len(r.Calls))
	for i := range r.Calls {
		if first, ok := index[r.Calls[i].ID]; ok {
			return 0, nil, message.Errorf("%s and %s have the same id: each call needs its own",
				r.describe(first), r.describe(i))
		}
		index[r.Calls[i].ID] = i
	}
	root = -1
	children = make([][]int, len(r.Calls))
	for i := range r.Calls {
		parent, ok := index[r.Calls[i].Parent]
		switch {
		case r.Calls[i].Parent != "" && !ok:
			return 0, nil, message.Errorf("%s is an orphan: its parent %q is not among the calls, so a part of the trace is missing; record it again",
				r.describe(i), r.Calls[i].Parent)
		case ok:
			children[parent] = append(children[parent], i)
		case root >= 0:
			return 0, nil, message.Errorf("%s and %s both have no parent: a request has one first call, so a link between them is missing; record it again",
				r.describe(root), r.describe(i))
		default:
			root = i
		}
	}
	if root < 0 {
		return 0, nil, r.cycleError(nil)
	}
	return root, children, nil
}

// cycleError returns an error that names a call of a cycle. visited are the calls
// that a walk from the root visits. If a walk does not visit a call with an
// existing parent, the call is its own ancestor or is below such a call.
func (r *Request) cycleError(visited []int) error {
	seen := make([]bool, len(r.Calls))
	for _, i := range visited {
		seen[i] = true
	}
	index := make(map[string]int, len(r.Calls))
	for i := range r.Calls {
		index[r.Calls[i].ID] = i
	}
	i := slices.Index(seen, false)
	for !seen[i] { // go upwards until a call occurs twice: it is in the cycle
		seen[i] = true
		i = index[r.Calls[i].Parent]
	}
	return message.Errorf("%s is its own ancestor: the parents form a cycle, so no tree can be drawn; record it again", r.describe(i))
}

// describe names a call in a message.
func (r *Request) describe(i int) string {
	return fmt.Sprintf("call %q (%s)", r.Calls[i].ID, r.Calls[i].Function)
}
