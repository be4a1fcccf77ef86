package traced

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// A guideFitter makes a guide fit changed source. It removes and reports the entries
// for functions or packages that the source lacks.
type guideFitter struct {
	options instrument.Options
	prog    *instrument.ProgramGuide
	// found has the functions of the packages read so far, by import path.
	found   map[string]map[string]bool
	missing []message.Message
}

// fitGuide returns the guide without the entries that a program's source lacks. It
// also returns a message for each removed entry.
func fitGuide(options instrument.Options) (*instrument.Guide, []message.Message) {
	prog := *options.Guide.Programs[options.Program]
	t := &guideFitter{options: options, prog: &prog, found: map[string]map[string]bool{}}
	guide := *options.Guide
	guide.Programs = map[string]*instrument.ProgramGuide{options.Program: &prog}
	guide.Steps = slices.Clone(guide.Steps)
	prog.Packages = slices.DeleteFunc(slices.Clone(prog.Packages), t.lacksPackage)
	prog.Roots = slices.DeleteFunc(slices.Clone(prog.Roots), func(r instrument.Root) bool {
		return r.Has(t.options.Version) && t.lacks(r.Function, func(g *instrument.ProgramGuide) { g.Roots = []instrument.Root{r} })
	})
	prog.Exits = slices.DeleteFunc(slices.Clone(prog.Exits), func(e instrument.Exit) bool {
		return e.Has(t.options.Version) && t.lacks(e.Function, func(g *instrument.ProgramGuide) { g.Exits = []instrument.Exit{e} })
	})
	prog.Handoffs = slices.DeleteFunc(slices.Clone(prog.Handoffs), func(h instrument.Handoff) bool {
		with := func(g *instrument.ProgramGuide) { g.Handoffs = []instrument.Handoff{h} }
		return h.Has(t.options.Version) && (t.lacks(h.Give.Function, with) || t.lacks(h.Take.Function, with))
	})
	prog.Tail = slices.DeleteFunc(slices.Clone(prog.Tail), func(s instrument.Stage) bool {
		return s.Has(t.options.Version) && t.lacks(s.Function, func(g *instrument.ProgramGuide) { g.Tail = []instrument.Stage{s} })
	})
	guide.Steps = slices.DeleteFunc(guide.Steps, t.lacksStep)
	t.dropValues(guide.Steps)
	return &guide, t.missing
}

func (t *guideFitter) reportMissing(format string, args ...any) {
	t.missing = append(t.missing, message.Of(format, args...))
}

func (t *guideFitter) lacksPackage(p instrument.Packages) bool {
	if !p.Has(t.options.Version) {
		return false
	}
	has := hasPackage(t.options.Vendor, p)
	if !has {
		t.reportMissing("the checkout has no package %q, which the guide names: it is not traced", p.Path)
	}
	return !has
}

// lacks reports whether the source lacks the function of an entry, or a parameter that
// the entry needs. with adds the entry to a guide. The entry is a root, an exit, a
// handoff or a stage.
func (t *guideFitter) lacks(function string, with func(*instrument.ProgramGuide)) bool {
	if !t.has(function) {
		t.reportMissing("the checkout has no function %q, which the guide names: traces lack what it connects", function)
		return true
	}
	only := instrument.ProgramGuide{}
	with(&only)
	if err := t.tryRewrite(&only, nil); err != nil && !strings.Contains(err.Error(), "has no function") {
		t.reportMissing("the checkout has changed function %q: %v; traces lack what it connects", function, err)
		return true
	}
	return false
}

func (t *guideFitter) lacksStep(s instrument.Step) bool {
	name := string(s.Function)
	if !s.Has(t.options.Version) || !s.Function.Exact() || !t.covers(name) || t.has(name) {
		return false
	}
	if t.prog.Partial {
		if _, err := os.Stat(filepath.Join(t.options.Vendor, filepath.FromSlash(funcname.Package(name)))); err != nil {
			return false
		}
	}
	t.reportMissing("the checkout has no function %q, which the guide names", name)
	return true
}

// dropValues removes the values that the source's functions do not have.
func (t *guideFitter) dropValues(steps []instrument.Step) {
	of := map[string][]instrument.Step{}
	for _, s := range steps {
		if name := string(s.Function); len(s.Values) > 0 && s.Function.Exact() && s.Has(t.options.Version) && t.covers(name) && t.has(name) {
			pkg := funcname.Package(name)
			of[pkg] = append(of[pkg], s)
		}
	}
	for pkg, inPackage := range of {
		if t.tryRewrite(&instrument.ProgramGuide{Packages: []instrument.Packages{{Path: pkg}}}, inPackage) == nil {
			continue
		}
		for i := range steps {
			s := &steps[i]
			if funcname.Package(string(s.Function)) != pkg || !s.Has(t.options.Version) {
				continue
			}
			s.Values = slices.DeleteFunc(slices.Clone(s.Values), func(v instrument.Value) bool {
				alone := *s
				alone.Values = []instrument.Value{v}
				err := t.tryRewrite(&instrument.ProgramGuide{Packages: []instrument.Packages{{Path: pkg}}}, []instrument.Step{alone})
				if err != nil {
					t.reportMissing("the checkout has changed function %q: %v; the value is not noted", s.Function, err)
				}
				return err != nil
			})
		}
	}
}

// tryRewrite returns the error of rewriting a program with only these entries.
func (t *guideFitter) tryRewrite(prog *instrument.ProgramGuide, steps []instrument.Step) error {
	out, err := os.MkdirTemp(t.options.Out, "try")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	o := t.options
	prog.Failures = t.prog.Failures
	o.Out, o.Guide = out, &instrument.Guide{Steps: steps, Programs: map[string]*instrument.ProgramGuide{o.Program: prog}}
	_, err = instrument.Rewrite(o)
	return err
}

// has reports whether the source has a function.
func (t *guideFitter) has(function string) bool {
	pkg := funcname.Package(function)
	names, ok := t.found[pkg]
	if !ok {
		names = map[string]bool{}
		functions, err := instrument.FunctionsIn(t.options.Vendor, pkg)
		for _, f := range functions {
			names[f.Name] = true
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			names = map[string]bool{function: true} // the rewriter reports the error
		}
		t.found[pkg] = names
	}
	return names[function]
}

// covers reports whether the guide traces a function's package in this program.
func (t *guideFitter) covers(function string) bool {
	pkg := funcname.Package(function)
	return slices.ContainsFunc(t.options.Guide.Programs[t.options.Program].Packages, func(p instrument.Packages) bool {
		return p.Covers(pkg)
	})
}

// RewriteTolerantly is instrument.Rewrite for source that may differ from the guide's
// releases. It returns a message for each entry of the guide that it left out.
func RewriteTolerantly(o instrument.Options) (*instrument.Result, []message.Message, error) {
	result, err := instrument.Rewrite(o)
	if err == nil {
		return result, nil, nil
	}
	guide, missing := fitGuide(o)
	if len(missing) == 0 {
		return nil, nil, err
	}
	o.Guide = guide
	result, err = instrument.Rewrite(o)
	if err != nil {
		return nil, nil, message.Errorf("rewriting without the functions that the checkout lacks: %w", err)
	}
	return result, missing, nil
}
