package view

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// A step is the set of candidates with the same function, or group, below the
// same step. A view shows all calls of a step or none, so that equal nodes
// stay equal.
type step struct {
	calls     []int
	process   string
	function  string
	layer     string
	group     bool
	crosses   bool // whether it is in another process than the step above
	callsBack bool // whether a step right below it is in another process that a step above is in
	starts    bool // whether it begins on another goroutine than the step above
	parent    int  // the step above, -1 for the first
	inLayer   int  // number of consecutive steps above it in its layer
	below     int  // number of different steps right below it, except minor ones
	// newNames counts attributes that no earlier call had. newValues counts new
	// pairs of an attribute and a value.
	newNames, newValues int
	decides             bool // whether an attribute with a new value is decisive
	score               int
}

// way identifies a step.
type way struct {
	parent   int    // the step above, -1 for the first
	function string // or the group
}

// chosen lists the layers of code that the user chose: the user's own API
// server, and packages that --trace named.
var chosen = []string{trace.LayerOwn, trace.LayerMore}

// specific reports whether code of a layer runs only in some requests: code of
// a single resource, and chosen code. Other layers are common to all requests.
func specific(layer string) bool {
	return layer == trace.LayerResource || slices.Contains(chosen, layer)
}

// A value is an attribute with its value.
type value struct{ name, value string }

// rankSteps returns the steps of the candidates, the most telling first. It
// looks at functions and values, never at durations.
func rankSteps(c *chooser) []step {
	r := ranking{chooser: c, index: map[way]int{}, known: map[value]bool{}, stepOf: make([]int, c.tree.Len())}
	for i, candidate := range c.candidates {
		if candidate && !c.apart(i) {
			r.add(i)
		} else {
			r.stepOf[i] = r.stepOf[c.tree.Parent(i)]
		}
	}
	r.score()
	slices.SortStableFunc(r.steps, func(a, b step) int { return cmp.Compare(b.score, a.score) })
	return r.steps
}

type ranking struct {
	*chooser
	steps  []step
	index  map[way]int
	known  map[value]bool
	stepOf []int // by call: its step, or the step of the nearest candidate above
}

// add puts candidate i into its step.
func (r *ranking) add(i int) {
	call, parent := r.tree.Call(i), -1
	if i > 0 {
		parent = r.stepOf[r.tree.Parent(i)]
	}
	w := way{parent, call.Function}
	group := r.classifier.Group(call.Function)
	if group != "" {
		w.function = group
	}
	s, ok := r.index[w]
	if !ok {
		s = len(r.steps)
		r.index[w] = s
		r.steps = append(r.steps, r.newStep(w, call))
		r.steps[s].group = group != ""
	}
	r.stepOf[i] = s
	step := &r.steps[s]
	step.starts = step.starts || r.changesGoroutine(i)
	step.calls = append(step.calls, i)
	for name, v := range call.Attributes {
		if v == "" || v == "true" || v == "false" {
			continue // says too little to count
		}
		if pair := (value{name, v}); !r.known[pair] {
			r.known[pair] = true
			step.newValues++
			step.decides = step.decides || Decides(name)
		}
		if anyValue := (value{name, ""}); !r.known[anyValue] {
			r.known[anyValue] = true
			step.newNames++
		}
	}
}

// changesGoroutine reports whether candidate i runs on another goroutine than
// the candidate above it.
func (r *ranking) changesGoroutine(i int) bool {
	for ; i > 0; i = r.tree.Parent(i) {
		if r.tree.Call(i).NewGoroutine {
			return true
		}
		if r.candidates[r.tree.Parent(i)] {
			break
		}
	}
	return false
}

// newStep returns the step for its first call, and updates the step above.
func (r *ranking) newStep(w way, call *trace.Call) step {
	s := step{process: call.Process, function: call.Function, layer: r.classifier.Layer(call.Function), parent: w.parent}
	if w.parent >= 0 {
		above := &r.steps[w.parent]
		if !r.classifier.Minor(call.Function) {
			above.below++
		}
		s.crosses = above.process != s.process
		above.callsBack = above.callsBack || s.crosses && r.entered(s.process, w.parent)
		if above.layer == s.layer && !s.crosses {
			s.inLayer = above.inLayer + 1
		}
	}
	return s
}

// entered reports whether step i or a step above it is in the process.
func (r *ranking) entered(process string, i int) bool {
	for ; i >= 0; i = r.steps[i].parent {
		if r.steps[i].process == process {
			return true
		}
	}
	return false
}

// isHook reports whether the step is one of at least three steps below a step
// of the same layer, and calls no other steps. Hooks of a strategy are an
// example.
func (r *ranking) isHook(s *step) bool {
	return s.inLayer > 0 && s.below == 0 && r.steps[s.parent].below > 2
}

// score gives each step points for how much it tells a reader. A step gets
// points if the request enters a process or a layer with it, and more for the
// first time. It also gets points for a new value, and if it is a leaf or a
// fork of the tree. Repetitions get few points.
func (r *ranking) score() {
	if r.tree.Request.IsStart() {
		r.scoreStart()
		return
	}
	type seen struct{ process, what string }
	layers, functions := map[seen]bool{}, map[seen]bool{}
	for i := range r.steps {
		s := &r.steps[i]
		points := func(when bool, n int) {
			if when {
				s.score += 100 * n
			}
		}
		points(i == 0, 1000)
		points(slices.ContainsFunc(s.calls, func(call int) bool {
			return r.errors.At(call) != nil || r.origin[call] && Fatal(r.tree, r.errors, call)
		}), 100)
		layer, function := seen{s.process, s.layer}, seen{s.process, s.function}
		points(!layers[layer], 6)
		points(s.crosses, 6)
		points(s.callsBack, 6)
		points(s.inLayer == 0, 3)
		points(s.newNames > 0, 2)
		points(s.newValues > 0, 1)
		points(s.decides, 5)
		points(s.below != 1, 2)
		points(s.group && len(s.calls) > 1, 12) // each plugin with its verdict
		points(r.isHook(s), 3)
		points(s.starts, 2)
		points(slices.ContainsFunc(s.calls, func(call int) bool { return accepting(r.tree, call) == call }), 12)
		points(slices.ContainsFunc(s.calls, func(call int) bool { return callsHook(r.tree.Call(call)) }), 12)
		points(!functions[function] && slices.ContainsFunc(s.calls, func(call int) bool { return durable(r.classifier, r.tree.Call(call)) }), 12)
		points(specific(s.layer), 4)
		points(functions[function] && s.newValues == 0, -4)
		points(r.classifier.Minor(s.function), -8)
		s.score -= s.inLayer // with equal scores, steps near the entrance of the layer come first
		// A write enters the layer of etcd's consensus through a minor step.
		// The step that the minor step calls then counts as the first of the
		// layer.
		layers[layer] = layers[layer] || s.layer != trace.LayerEtcdApply || !r.classifier.Minor(s.function)
		functions[function] = true
	}
	for i := range r.steps { // show the first step of an admission phase, which begins a section, if its plugins are shown
		s := &r.steps[i]
		if !s.group || len(s.calls) < 2 {
			continue
		}
		first := i
		for above := s.parent; above >= 0 && r.steps[above].layer == s.layer; above = r.steps[above].parent {
			first = above
		}
		r.steps[first].score = max(r.steps[first].score, s.score)
	}
}

// scoreStart replaces score for a program's start, which repeats the same work
// for each server, group and resource. New functions and steps near the top get
// points.
func (r *ranking) scoreStart() {
	functions := map[string]bool{}
	depth := make([]int, len(r.steps))
	for i := range r.steps {
		s := &r.steps[i]
		if s.parent >= 0 {
			depth[i] = depth[s.parent] + 1
		}
		s.score = 2000 - 100*depth[i]
		if functions[s.function] {
			s.score -= 1000
		}
		if r.classifier.Minor(s.function) {
			s.score -= 400
		}
		functions[s.function] = true
	}
}
