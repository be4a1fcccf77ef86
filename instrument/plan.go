package instrument

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A plan is the guide's word on each function of one program at one version.
type plan struct {
	opts   Options
	prog   *ProgramGuide
	steps  []compiledStep
	never  [][]string
	always [][]string

	roots map[string]Root
	exits map[string]Exit
	gives map[string]keyed
	takes map[string]keyed
	tail  map[string]stage

	found sync.Map // names of functions that exist
}

type compiledStep struct {
	Step
	parts []string
}

type keyed struct{ link, key string }

type stage struct {
	Stage
	number int // from 1
}

func newPlan(opts Options, prog *ProgramGuide) *plan {
	p := &plan{
		opts: opts, prog: prog, never: compile(prog.Never), always: compile(prog.Always),
		roots: map[string]Root{}, exits: map[string]Exit{}, gives: map[string]keyed{}, takes: map[string]keyed{}, tail: map[string]stage{},
	}
	for _, s := range opts.Guide.Steps {
		// Without values or an override a step says nothing about code.
		if s.Holds(opts.Version) && prog.covers(s.Function) {
			p.steps = append(p.steps, compiledStep{s, s.Function.parts()})
		}
	}
	for _, r := range prog.Roots {
		if r.Holds(opts.Version) {
			p.roots[r.Function] = r
		}
	}
	for _, e := range prog.Exits {
		if e.Holds(opts.Version) {
			p.exits[e.Function] = e
		}
	}
	for _, h := range prog.Handoffs {
		if h.Holds(opts.Version) {
			p.gives[h.Give.Function] = keyed{h.Name, h.Give.Key}
			p.takes[h.Take.Function] = keyed{h.Name, h.Take.Key}
		}
	}
	for _, s := range prog.Tail {
		if s.Holds(opts.Version) {
			p.tail[s.Function] = stage{s, len(p.tail) + 1}
		}
	}
	return p
}

func compile(patterns []Pattern) [][]string {
	var all [][]string
	for _, p := range patterns {
		all = append(all, p.parts())
	}
	return all
}

// covers tells whether functions with the name, or the pattern, belong to this
// program rather than to another one of the guide.
func (g *ProgramGuide) covers(function Pattern) bool {
	path := importPath(function.parts()[0])
	return slices.ContainsFunc(g.Packages, func(p Packages) bool {
		return path == p.Path || p.Recursive && strings.HasPrefix(path, p.Path+"/") || strings.HasPrefix(p.Path, path)
	})
}

// importPath is the import path in a function's full name, or as much of it as the
// beginning of a name holds.
func importPath(name string) string {
	slash := strings.LastIndexByte(name, '/')
	if dot := strings.IndexByte(name[slash+1:], '.'); dot >= 0 {
		return name[:slash+1+dot]
	}
	return strings.TrimSuffix(name, "/")
}

// wanted lists the functions that the guide names for this program and version.
func (p *plan) wanted() []string {
	var names []string
	for _, s := range p.steps {
		if len(s.parts) == 1 && !p.lacks(importPath(s.parts[0])) {
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
		if s.Span != "" && matchParts(s.parts, f.name) {
			return s.Span == "always"
		}
	}
	matches := func(parts []string) bool { return matchParts(parts, f.name) }
	switch {
	case slices.ContainsFunc(p.never, matches):
		return false
	case slices.ContainsFunc(p.always, matches):
		return true
	}
	return !names.isLeaf(f)
}

// values lists what the guide wants noted on a function. sure tells whether the guide names
// the function itself, so that a parameter which is not there is a mistake.
func (p *plan) values(name string) (values []Value, sure bool) {
	seen := map[string]bool{}
	for _, s := range p.steps {
		if len(s.Values) == 0 || !matchParts(s.parts, name) {
			continue
		}
		sure = sure || len(s.parts) == 1
		for _, v := range s.Values {
			if !seen[v.Name] {
				seen[v.Name] = true
				values = append(values, v)
			}
		}
	}
	return values, sure
}
