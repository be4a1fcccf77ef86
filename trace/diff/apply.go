package diff

import (
	"fmt"
	"maps"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// apply executes a script on the calls of a and returns the resulting calls. The
// script must be made for a. A script has no ids and times, so apply assigns new
// ids, and StartNs counts the calls.
func apply(a *trace.Tree, script []Edit) ([]trace.Call, error) {
	t := newLinked(a)
	for n, edit := range script {
		if err := t.apply(edit); err != nil {
			return nil, message.Errorf("edit %d, %s %s: %w", n, edit.Op, edit.Call, err)
		}
	}
	return t.calls(), nil
}

// linked is a tree that can be changed.
type linked struct {
	top   *linkedCall
	known map[Ref]*linkedCall
}

type linkedCall struct {
	call                      *trace.Call
	parent, first, next, back *linkedCall
}

func newLinked(tree *trace.Tree) *linked {
	t := &linked{top: &linkedCall{}}
	t.known = map[Ref]*linkedCall{"": t.top}
	last := map[*linkedCall]*linkedCall{}
	for i := range tree.Len() {
		c := &linkedCall{call: content(tree.Call(i))}
		t.known[refA(i)] = c
		parent := t.known[refA(tree.Parent(i))]
		c.insert(parent, last[parent])
		last[parent] = c
	}
	return t
}

// insert puts c below parent, behind the sibling after. If after is nil, c comes first.
func (c *linkedCall) insert(parent, after *linkedCall) {
	c.parent, c.back = parent, after
	if after != nil {
		c.next, after.next = after.next, c
	} else {
		c.next, parent.first = parent.first, c
	}
	if c.next != nil {
		c.next.back = c
	}
}

// remove takes c out together with its descendants.
func (c *linkedCall) remove() {
	if c.back != nil {
		c.back.next = c.next
	} else {
		c.parent.first = c.next
	}
	if c.next != nil {
		c.next.back = c.back
	}
	c.parent, c.next, c.back = nil, nil, nil
}

func (t *linked) apply(e Edit) error {
	if e.Op == OpAdd {
		t.known[e.Call] = &linkedCall{call: e.New}
	}
	c := t.known[e.Call]
	parent, after := t.known[e.Parent], t.known[e.After]
	if c == nil || parent == nil || after == nil {
		return message.Errorf("there is no such call: the script was made for another trace")
	}
	if e.After == "" {
		after = nil
	}
	switch e.Op {
	case OpChange:
		c.call = e.New
	case OpRemove:
		t.dissolve(c)
	case OpMove:
		c.remove()
		c.insert(parent, after)
	case OpAdd:
		c.insert(parent, after)
		return c.adopt(e.Adopts)
	}
	return nil
}

// dissolve replaces c by its children.
func (t *linked) dissolve(c *linkedCall) {
	parent, after := c.parent, c.back
	for below := c.first; below != nil; {
		next := below.next
		below.remove()
		below.insert(parent, after)
		after, below = below, next
	}
	c.remove()
}

// adopt makes the next n siblings of c its children.
func (c *linkedCall) adopt(n int) error {
	var last *linkedCall
	for range n {
		below := c.next
		if below == nil {
			return message.Errorf("there are fewer than %d calls after it", n)
		}
		below.remove()
		below.insert(c, last)
		last = below
	}
	return nil
}

// calls lists the tree's calls in order.
func (t *linked) calls() []trace.Call {
	var all []trace.Call
	parents := []string{""}
	for c := t.top.first; c != nil; {
		call := *c.call
		call.ID, call.StartNs = fmt.Sprintf("%016x", len(all)+1), int64(len(all))
		call.Parent = parents[len(parents)-1]
		all = append(all, call)
		if c.first != nil {
			parents = append(parents, call.ID)
			c = c.first
			continue
		}
		for c != nil && c.next == nil {
			c = c.parent
			if parents = parents[:len(parents)-1]; c == t.top {
				return all
			}
		}
		c = c.next
	}
	return all
}

// sameContents reports whether all fields of two calls are equal. Its arguments are
// results of content.
func sameContents(x, y *trace.Call) bool {
	p, q := *x, *y
	p.Attributes, q.Attributes = nil, nil
	return fmt.Sprint(p) == fmt.Sprint(q) && maps.Equal(x.Attributes, y.Attributes)
}
