package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A plan holds the guide's entries for the functions of one program at one version.
type plan struct {
	opts   Options
	prog   *ProgramGuide
	steps  []compiledStep
	never  funcname.Matchers
	always funcname.Matchers

	roots  map[string]Root
	exits  map[string]Exit
	gives  map[string][]giveRule
	takes  map[string]takeRule
	stages map[string]numberedStage
	causes

	found sync.Map // names of functions that exist
}

type compiledStep struct {
	Step
	names funcname.Matcher
}

// A giveRule describes how a function hands work over: the function that takes the work,
// and the expression for the work's key.
type giveRule struct{ taker, key string }

// A takeRule describes how a function gets work: the name of the queue, and the
// expression for the work's key.
type takeRule struct{ queue, key string }

type numberedStage struct {
	Stage
	number int // from 1
}

func newPlan(opts Options, prog *ProgramGuide) *plan {
	p := &plan{
		opts: opts, prog: prog, never: funcname.Compile(prog.Never), always: funcname.Compile(prog.Always),
		roots: map[string]Root{}, exits: map[string]Exit{}, gives: map[string][]giveRule{}, takes: map[string]takeRule{}, stages: map[string]numberedStage{},
		causes: newCauses(opts.Version, prog),
	}
	for _, s := range opts.Guide.Steps {
		// A step without values or an override changes no code, but the program must
		// have its function; see requiredFunctions.
		if s.Has(opts.Version) && prog.covers(s.Function) {
			p.steps = append(p.steps, compiledStep{s, s.Function.Compile()})
		}
	}
	for _, r := range prog.Roots {
		if r.Has(opts.Version) {
			p.roots[r.Function] = r
		}
	}
	for _, e := range prog.Exits {
		if e.Has(opts.Version) {
			p.exits[e.Function] = e
		}
	}
	for _, h := range prog.Handoffs {
		if h.Has(opts.Version) {
			p.gives[h.Give.Function] = append(p.gives[h.Give.Function], giveRule{h.Take.Function, h.Give.Key})
			p.takes[h.Take.Function] = takeRule{h.Name, h.Take.Key}
		}
	}
	for _, s := range prog.Tail {
		if s.Has(opts.Version) {
			p.stages[s.Function] = numberedStage{s, len(p.stages) + 1}
		}
	}
	return p
}

// covers reports whether functions with the name or pattern may belong to this program.
func (g *ProgramGuide) covers(function funcname.Pattern) bool {
	path := funcname.Package(function.Compile().Start())
	return slices.ContainsFunc(g.Packages, func(p Packages) bool {
		return p.Covers(path) || strings.HasPrefix(p.Path, path)
	})
}

// requiredFunctions lists the functions that this program and version must have, because
// the guide names them.
func (p *plan) requiredFunctions() []string {
	var names []string
	for _, s := range p.steps {
		if s.names.Exact() && !p.mayLack(funcname.Package(string(s.Function))) {
			names = append(names, string(s.Function))
		}
	}
	names = append(names, p.links()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// mayLack reports whether the program lacks a package, and the guide allows it.
func (p *plan) mayLack(path string) bool {
	if !p.prog.Partial {
		return false
	}
	// The folder may be there only for a package below it.
	files, _ := os.ReadDir(filepath.Join(p.opts.Vendor, filepath.FromSlash(path)))
	return !slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), ".go") })
}

// links lists the functions where a trace changes processes or goroutines.
func (p *plan) links() []string {
	var names []string
	for name := range p.roots {
		names = append(names, name)
	}
	for name := range p.exits {
		names = append(names, name)
	}
	for name := range p.gives {
		names = append(names, name)
	}
	for name := range p.takes {
		names = append(names, name)
	}
	for name := range p.stages {
		names = append(names, name)
	}
	return append(names, p.functions()...)
}

// A spanKind says how much is recorded of a function.
type spanKind int

const (
	noSpan spanKind = iota
	// entrySpan records only the entry of a function that calls nothing: the caller, the
	// line of the call, and the time.
	entrySpan
	fullSpan
)

// spanOf returns the kind of span that a function gets.
func (p *plan) spanOf(f *function, names *packageNames) spanKind {
	switch {
	case f.skip || f.pool:
		return noSpan
	case p.entersTrace(f.name):
		return fullSpan
	}
	for _, s := range p.steps {
		if s.Span != "" && s.names.Match(f.name) {
			if s.Span == "always" {
				return fullSpan
			}
			return noSpan
		}
	}
	switch {
	case p.never.Match(f.name):
		return noSpan
	case p.always.Match(f.name) || !names.isLeaf(f) || f.mayWait():
		return fullSpan
	}
	if values, _ := p.values(f.name); len(values) > 0 {
		return fullSpan
	}
	return entrySpan
}

// entersTrace reports whether a trace begins in the function, or comes to it from another
// goroutine.
func (p *plan) entersTrace(name string) bool {
	_, root := p.roots[name]
	_, take := p.takes[name]
	_, stage := p.stages[name]
	return root || take || stage || p.takesWork(name)
}

// values lists the guide's values for a function. exactName reports whether the guide has
// the function's exact name. If so, a missing parameter is an error.
func (p *plan) values(name string) (values []Value, exactName bool) {
	seen := map[string]bool{}
	for _, s := range p.steps {
		if len(s.Values) == 0 || !s.names.Match(name) {
			continue
		}
		exactName = exactName || s.names.Exact()
		for _, v := range s.Values {
			if !seen[v.Name] {
				seen[v.Name] = true
				values = append(values, v)
			}
		}
	}
	return values, exactName
}
