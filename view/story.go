package view

import (
	"math"
	"regexp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Story is a view divided into sections. Steps are nested below their callers
// only within a section. So a request with dozens of nested calls needs about
// maxLevel levels of indentation. Every front end of apitrace shows the same
// sections with the same numbers.
type Story struct {
	*View
	// Sections are in order of entry. Sections that handle the event of a write
	// (Node.Afterwards of Root) come last.
	// Sections[0] begins with the view's root.
	Sections []*Section
	// Names has the names of the calls in the story.
	Names *Names

	sections map[int]*Section // by the index of each shown call
}

// A Section is a part of a request's path, mostly in one layer.
type Section struct {
	// Number counts from 1, in order of entry.
	Number int
	// Layer is the first step's layer, or "".
	Layer string
	// Root is the first step, with which the request enters the layer.
	Root *Node
	// Caller is the step above Root, in the section From. It called Root,
	// unless Root.Afterwards is set. Both are nil for the first section.
	Caller *Node
	From   *Section
	// GoesOn is set if the section continues From's layer. It is a section of
	// its own only because it is nested too deeply to be drawn in From.
	GoesOn bool
	// Inner is set if the section begins a request inside the request: an API server
	// handles a request of another server.
	Inner bool
}

// maxLevel is the deepest level of indentation in a section. A function that
// calls nothing may be one level deeper, because its own section would have
// only that line.
const maxLevel = 6

// Tell divides a view into sections.
func Tell(v *View) *Story {
	s := &storyteller{story: &Story{View: v, Names: newNames(v), sections: map[int]*Section{}}}
	s.section(&Section{Root: v.Root, Layer: v.Root.Layer})
	for len(s.later) > 0 {
		next := s.later[0]
		s.later = s.later[1:]
		s.section(next)
	}
	return s.story
}

type storyteller struct {
	story *Story
	// later has the sections that a write caused. They are not numbered yet.
	later []*Section
}

// section numbers a section, and then the sections that begin below it.
func (t *storyteller) section(s *Section) {
	t.story.Sections = append(t.story.Sections, s)
	s.Number = len(t.story.Sections)
	s.Root.Opens = s
	t.holds(s, s.Root)
	var begun []*Section
	t.walk(s, s.Root, 0, &begun)
	for _, next := range begun {
		t.section(next)
	}
}

// holds notes that the section s has the calls of n.
func (t *storyteller) holds(s *Section, n *Node) {
	for _, i := range n.Calls {
		t.story.sections[i] = s
	}
}

// walk finds the steps below n that begin further sections.
func (t *storyteller) walk(s *Section, n *Node, level int, begun *[]*Section) {
	for _, child := range n.Children {
		next := &Section{Layer: child.Layer, Root: child, Caller: n, From: s}
		switch {
		case t.leaves(s, child, len(n.Children) == 1):
		case level+1 > maxLevel && !t.story.First(child).Leaf:
			next.GoesOn = child.Layer == s.Layer
		default:
			t.holds(s, child)
			t.walk(s, child, level+1, begun)
			continue
		}
		next.Inner = child.Crossing && child.Layer == trace.LayerFilters
		child.Opens = next
		if child.Afterwards {
			t.later = append(t.later, next)
			continue
		}
		*begun = append(*begun, next)
	}
}

// leaves reports whether child begins a new section. Its parent is in s. alone
// is set if the parent has no other child. A section begins
//
//   - in another process
//   - where the event of the request's own write is handled
//   - where etcd applies a request or writes its log
//   - at the authorization filter after impersonation
//   - in another layer than s, if child begins two connected steps of this
//     layer, or four of any layer
//
// In the last case, a step that calls the layer of s again stays in s
// (returnsTo), and so does a step that only leads to one other layer (passes).
//
// Comparisons and views of some layers leave out many steps. So they also begin
// a section at a step of another layer below folded calls. In a view of some
// layers, this step must be alone or have steps below.
func (t *storyteller) leaves(s *Section, child *Node, alone bool) bool {
	const together, below = 2, 4 // steps
	switch {
	case child.Crossing, child.Afterwards:
		return true
	case child.Layer == trace.LayerEtcdApply && child.Layer != s.Layer && len(child.Children) > 0: // for reads and writes
		return true
	case child.Layer == trace.LayerEtcdDisk && child.Layer != s.Layer && child.Handoff != "": // the log, which makes a write durable
		return true
	case t.endsImpersonation(s.Root, child):
		return true
	case child.Layer == "" || child.Layer == s.Layer || returnsTo(child, s.Layer) || t.passes(child):
		return false
	}
	if child.Through > 0 && (t.story.marked || t.story.byLayer && (alone || len(child.Children) > 0)) { // such views leave out many steps in between
		return true
	}
	return count(child, together, func(n *Node) bool { return n.Layer == child.Layer }) >= together ||
		count(child, below, func(*Node) bool { return true }) >= below
}

// endsImpersonation reports whether above is the impersonation filter and child
// is the authorization filter. Both filters are in one layer. Up to v1.19, no
// step of another layer is between them.
func (t *storyteller) endsImpersonation(above, child *Node) bool {
	return Impersonation(above.Layer, t.story.First(above).Function) && authorizes.MatchString(t.story.First(child).Function)
}

// authorizes matches the function of the authorization filter.
var authorizes = regexp.MustCompile(`/filters\.[wW]ithAuthorization\.func\d+$`)

// passes reports whether a step only leads to one other layer. A section for
// such a step would tell nothing. The watch cache and the store behind it are
// exceptions, so that the reader sees which of them was called.
func (t *storyteller) passes(n *Node) bool {
	if n.Layer == trace.LayerCacher || n.Layer == trace.LayerEtcd3 || len(n.Children) != 1 || n.Fatal {
		return false
	}
	next := n.Children[0]
	if t.endsImpersonation(n, next) {
		return true
	}
	return next.Layer != n.Layer && next.Layer != "" && !returnsTo(next, n.Layer)
}

// returnsTo reports whether a step calls layer, which called the step. It
// returns false for layers of chosen code: other layers call hooks in such
// code, which is not a return.
func returnsTo(n *Node, layer string) bool {
	return !slices.Contains(chosen, layer) && slices.ContainsFunc(n.Children, func(child *Node) bool { return child.Layer == layer && !child.Crossing && !child.Afterwards })
}

// count counts the connected steps from n downwards for which wanted returns
// true, up to most.
func count(n *Node, most int, wanted func(*Node) bool) int {
	if !wanted(n) {
		return 0
	}
	sum := 1
	for _, child := range n.Children {
		if sum >= most {
			break
		}
		sum += count(child, most-sum, wanted)
	}
	return sum
}

// Folded counts the hidden calls below n, without the calls below its children.
func (n *Node) Folded() int {
	sum := n.Below
	for _, child := range n.Children {
		sum += child.Above
	}
	return sum
}

// DurationNs returns the running time of a node's calls in nanoseconds. Time
// with several running calls counts once. unfinished is set if the first call
// had not returned.
func (s *Story) DurationNs(n *Node) (sum int64, unfinished bool) {
	end := int64(math.MinInt64)
	for _, i := range n.Calls { // in order of entry
		call := s.Tree.Call(i)
		from, to := max(call.StartNs, end), call.StartNs+call.DurationNs
		sum += max(0, to-from)
		end = max(end, to)
	}
	return sum, s.First(n).Unfinished
}

// Timed reports whether any of a node's calls has a recorded duration. For a
// function that calls nothing, only the entry was recorded.
func (s *Story) Timed(n *Node) bool {
	return slices.ContainsFunc(n.Calls, func(i int) bool { return !s.Tree.Call(i).Leaf })
}

// Time writes how long a node's calls took, with ">" before the time of a call that had
// not returned. It returns "" if only their entry was recorded.
func (s *Story) Time(n *Node, signs Signs) string {
	if !s.Timed(n) {
		return ""
	}
	sum, unfinished := s.DurationNs(n)
	if unfinished {
		return ">" + signs.Duration(sum)
	}
	return signs.Duration(sum)
}

// SectionOf returns the section of call i or, if it is folded, of the nearest
// shown call above.
func (s *Story) SectionOf(i int) *Section {
	for ; i > 0 && s.sections[i] == nil; i = s.Tree.Parent(i) {
	}
	return s.sections[i]
}

// First returns the first call of a node.
func (s *Story) First(n *Node) *trace.Call { return s.Tree.Call(n.Calls[0]) }
