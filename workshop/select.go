package workshop

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// A choice is a set of calls of a tree: chosen[i] is set if call i is in it.
type choice struct {
	tree   *trace.Tree
	chosen []bool
}

// indices lists the chosen calls in order of entry.
func (c *choice) indices() []int {
	var all []int
	for i, chosen := range c.chosen {
		if chosen {
			all = append(all, i)
		}
	}
	return all
}

// first returns the first chosen call, or -1.
func (c *choice) first() int {
	for i, chosen := range c.chosen {
		if chosen {
			return i
		}
	}
	return -1
}

// last returns the last chosen call, or -1.
func (c *choice) last() int {
	all := c.indices()
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1]
}

// around reports whether a call that others chooses is below a call that c chooses.
func (c *choice) around(others *choice) bool {
	inside := below(c)
	return slices.ContainsFunc(others.indices(), inside)
}

// functions lists the chosen calls' functions, each once, in order of entry.
func (c *choice) functions() []string {
	var names []string
	seen := map[string]bool{}
	for _, i := range c.indices() {
		if f := c.tree.Call(i).Function; !seen[f] {
			seen[f] = true
			names = append(names, f)
		}
	}
	return names
}

func (t *traces) choose(s *Selection) (*choice, error) {
	tree, err := t.treeOf(s)
	if err != nil {
		return nil, err
	}
	return t.chooseOf(tree, s)
}

func (t *traces) chooseOf(tree *trace.Tree, s *Selection) (*choice, error) {
	c := &choice{tree: tree, chosen: make([]bool, tree.Len())}
	matches := t.callMatcher(s)
	t.eachNamed(tree, s.Function, func(i int) { c.chosen[i] = matches(tree.Call(i)) })
	for _, p := range s.parts() {
		if p.of == nil {
			continue
		}
		other, err := t.chooseOf(tree, p.of)
		if err != nil {
			return nil, err
		}
		c.keep(relations[p.field](other))
	}
	for _, other := range []struct {
		name string
		has  bool
	}{{s.AlsoIn, true}, {s.NotIn, false}} {
		if other.name == "" {
			continue
		}
		a, err := t.recording(other.name)
		if err != nil {
			return nil, err
		}
		called := t.called(a)
		c.keep(func(i int) bool { return called[tree.Call(i).Function] == other.has })
	}
	c.take(s.Take)
	return c, nil
}

// keep removes unwanted calls from the choice.
func (c *choice) keep(wanted func(i int) bool) {
	for i, chosen := range c.chosen {
		c.chosen[i] = chosen && wanted(i)
	}
}

func (c *choice) take(which string) {
	all := c.indices()
	if len(all) == 0 {
		return
	}
	switch which {
	case "first":
		c.keep(func(i int) bool { return i == all[0] })
	case "last":
		c.keep(func(i int) bool { return i == all[len(all)-1] })
	case "outermost":
		end := 0
		for _, i := range all {
			if i < end {
				c.chosen[i] = false
			} else {
				end = c.tree.End(i)
			}
		}
	}
}

// relations has a function for each field of Selection that relates calls to others. The
// function returns a matcher of the related calls.
var relations = map[string]func(others *choice) func(i int) bool{
	"of":       func(o *choice) func(int) bool { return func(i int) bool { return o.chosen[i] } },
	"not":      func(o *choice) func(int) bool { return func(i int) bool { return !o.chosen[i] } },
	"above":    above,
	"below":    below,
	"calls":    calls,
	"calledBy": calledBy,
	"before": func(o *choice) func(int) bool {
		first := o.first()
		return func(i int) bool { return i < first }
	},
	"after": func(o *choice) func(int) bool {
		first := o.first()
		return func(i int) bool { return first >= 0 && i > first }
	},
}

func above(others *choice) func(i int) bool {
	is := make([]bool, len(others.chosen))
	for _, other := range others.indices() {
		for i := others.tree.Parent(other); i >= 0 && !is[i]; i = others.tree.Parent(i) {
			is[i] = true
		}
	}
	return func(i int) bool { return is[i] }
}

func below(others *choice) func(i int) bool {
	is := make([]bool, len(others.chosen))
	for i := range is {
		parent := others.tree.Parent(i)
		is[i] = parent >= 0 && (is[parent] || others.chosen[parent])
	}
	return func(i int) bool { return is[i] }
}

func calls(others *choice) func(i int) bool {
	is := make([]bool, len(others.chosen))
	for _, other := range others.indices() {
		if parent := others.tree.Parent(other); parent >= 0 {
			is[parent] = true
		}
	}
	return func(i int) bool { return is[i] }
}

func calledBy(others *choice) func(i int) bool {
	return func(i int) bool {
		parent := others.tree.Parent(i)
		return parent >= 0 && others.chosen[parent]
	}
}

// callMatcher returns a matcher for the conditions of a selection on the call itself,
// except its name.
func (t *traces) callMatcher(s *Selection) func(*trace.Call) bool {
	return func(c *trace.Call) bool {
		return (s.Process == "" || c.Process == s.Process) &&
			(len(s.Layer) == 0 || t.inLayer(c.Function, s.Layer)) &&
			(s.Error == nil || funcname.MatchText(*s.Error, c.Error) && (*s.Error == "") == (c.Error == "")) &&
			hasValues(c, s.Values)
	}
}

func (t *traces) inLayer(function string, layers Names) bool {
	layer := t.layer(function)
	for _, l := range layers {
		if l == layer {
			return true
		}
	}
	return false
}

func hasValues(c *trace.Call, values map[string]string) bool {
	for name, pattern := range values {
		if value, ok := c.Attributes[name]; !ok || !funcname.MatchText(pattern, value) {
			return false
		}
	}
	return true
}

// eachNamed visits the calls of functions that match a name, or all calls without
// names. It matches each function once: functions are few, calls many.
func (t *traces) eachNamed(tree *trace.Tree, names Names, visit func(i int)) {
	if len(names) == 0 {
		for i := range tree.Len() {
			visit(i)
		}
		return
	}
	for function, calls := range t.callsOf(tree) {
		if t.matchesAny(function, names) {
			for _, i := range *calls {
				visit(i)
			}
		}
	}
}

// callsOf returns the calls of each function.
func (t *traces) callsOf(tree *trace.Tree) map[string]*[]int {
	if calls := t.calls[tree]; calls != nil {
		return calls
	}
	calls := map[string]*[]int{}
	for i := range tree.Len() {
		f := tree.Call(i).Function
		of := calls[f]
		if of == nil {
			of = new([]int)
			calls[f] = of
		}
		*of = append(*of, i)
	}
	if t.calls == nil {
		t.calls = map[*trace.Tree]map[string]*[]int{}
	}
	t.calls[tree] = calls
	return calls
}

// matchesAny reports whether a full name matches one of an exercise's names.
func (t *traces) matchesAny(function string, names Names) bool {
	for _, name := range names {
		switch {
		case name == answer:
			for _, f := range t.answer {
				if f == function {
					return true
				}
			}
		case namedBy(function, name):
			return true
		}
	}
	return false
}

// namedBy reports whether a full name matches an exercise's name: the full name, its end,
// or a pattern (see funcname.Pattern) of either.
func namedBy(function, name string) bool {
	if funcname.HasEnd(function, name) {
		return true
	}
	p := funcname.Pattern(name)
	return !p.Exact() && (p.Match(function) || ("...." + p).Match(function) || (".../" + p).Match(function))
}
