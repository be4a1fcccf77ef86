package instrument

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// A plan is the guide's word on each function of one program at one version.
type plan struct {
	opts   Options
	prog   *ProgramGuide
	steps  []compiledStep
	never  funcname.Matchers
	always funcname.Matchers

	roots map[string]Root
	exits map[string]Exit
	gives map[string]keyed
	takes map[string]keyed
	tail  map[string]stage

	found sync.Map // names of functions that exist
}

type compiledStep struct {
	Step
	names funcname.Matcher
}

type keyed struct{ link, key string }

type stage struct {
	Stage
	number int // from 1
}

func newPlan(opts Options, prog *ProgramGuide) *plan {
	p := &plan{
		opts: opts, prog: prog, never: funcname.Compile(prog.Never), always: funcname.Compile(prog.Always),
		roots: map[string]Root{}, exits: map[string]Exit{}, gives: map[string]keyed{}, takes: map[string]keyed{}, tail: map[string]stage{},
	}
	for _, s := range opts.Guide.Steps {
		// Without values or an override a step says nothing about code.
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
			p.gives[h.Give.Function] = keyed{h.Name, h.Give.Key}
			p.takes[h.Take.Function] = keyed{h.Name, h.Take.Key}
		}
	}
	for _, s := range prog.Tail {
		if s.Has(opts.Version) {
			p.tail[s.Function] = stage{s, len(p.tail) + 1}
		}
	}
	return p
}

// covers tells whether functions with the name, or the pattern, belong to this
// program rather than to another one of the guide.
func (g *ProgramGuide) covers(function funcname.Pattern) bool {
	path := funcname.Package(function.Compile().Start())
	return slices.ContainsFunc(g.Packages, func(p Packages) bool {
		return path == p.Path || p.Recursive && strings.HasPrefix(path, p.Path+"/") || strings.HasPrefix(p.Path, path)
	})
}

// wanted lists the functions that the guide names for this program and version.
func (p *plan) wanted() []string {
	var names []string
	for _, s := range p.steps {
		if s.names.Exact() && !p.lacks(funcname.Package(string(s.Function))) {
			names = append(names, string(s.Function))
		}
	}
	names = append(names, p.links()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// lacks tells whether a package is one of those that the program need not have, and has not.
func (p *plan) lacks(path string) bool {
	if !p.prog.Partial {
		return false
	}
	_, err := os.Stat(filepath.Join(p.opts.Vendor, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// links lists the functions in which a trace changes processes or goroutines.
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
	for name := range p.tail {
		names = append(names, name)
	}
	return names
}

// spanned tells whether a function gets a span.
func (p *plan) spanned(f *function, names *packageNames) bool {
	if f.skip {
		return false
	}
	if _, ok := p.roots[f.name]; ok {
		return true
	}
	if _, ok := p.takes[f.name]; ok {
		return true
	}
	if _, ok := p.tail[f.name]; ok {
		return true
	}
	for _, s := range p.steps {
		if s.Span != "" && s.names.Match(f.name) {
			return s.Span == "always"
		}
	}
	switch {
	case p.never.Match(f.name):
		return false
	case p.always.Match(f.name):
		return true
	}
	return !names.isLeaf(f)
}

// values lists what the guide wants noted on a function. sure tells whether the guide names
// the function itself, so that a parameter which is not there is a mistake.
func (p *plan) values(name string) (values []Value, sure bool) {
	seen := map[string]bool{}
	for _, s := range p.steps {
		if len(s.Values) == 0 || !s.names.Match(name) {
			continue
		}
		sure = sure || s.names.Exact()
		for _, v := range s.Values {
			if !seen[v.Name] {
				seen[v.Name] = true
				values = append(values, v)
			}
		}
	}
	return values, sure
}
