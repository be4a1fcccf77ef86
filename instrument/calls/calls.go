// Package calls reads a program's type-checked source. It finds the functions of the
// traced packages, which of them have a span, why the others have none, and the calls in
// each function's text. The result is the index that recordings include.
//
// The package runs no program and reads no recordings.
package calls

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Read reads a program's source. The guide says which packages are traced.
func Read(guide *instrument.Guide, tree *source.Tree) (_ *recordings.Program, err error) {
	prog := guide.Programs[tree.Program]
	if prog == nil {
		return nil, fmt.Errorf("reading the calls of %s: the guide has no such program", tree)
	}
	r := &reader{guide: guide, tree: tree, loader: newLoader(tree.Dir), spans: map[string]bool{}, files: map[string]map[int][]string{}}
	if err := r.name(prog); err != nil {
		return nil, fmt.Errorf("reading the calls of %s: %w", tree, err)
	}
	for _, path := range r.loader.traced() {
		pkg, err := r.loader.load(path, tree.Dir)
		if err != nil {
			return nil, fmt.Errorf("reading the calls of %s: %w", tree, err)
		}
		r.readPackage(pkg)
	}
	gates, err := r.gates()
	if err != nil {
		return nil, fmt.Errorf("reading the calls of %s: %w", tree, err)
	}
	slices.SortFunc(r.functions, func(a, b recordings.Source) int { return cmp.Compare(a.Name, b.Name) })
	return &recordings.Program{Functions: r.functions, Gates: gates}, nil
}

// A reader reads one program.
type reader struct {
	guide  *instrument.Guide
	tree   *source.Tree
	loader *loader
	// spans has the functions with a span.
	spans map[string]bool
	// files has the names of functions by file, as in instrument.Function, and line.
	files     map[string]map[int][]string
	functions []recordings.Source
}

// name gets the names of functions in traced packages from the rewriter. It calls
// the rewriter twice: for the functions with a span, and for all functions.
func (r *reader) name(prog *instrument.ProgramGuide) error {
	spanned, err := r.rewrite(r.guide)
	if err != nil {
		return err
	}
	for _, f := range spanned {
		r.spans[f.Name] = true
	}
	everything := &instrument.Guide{Programs: map[string]*instrument.ProgramGuide{r.tree.Program: {
		Packages: prog.Packages, Partial: prog.Partial, Always: []funcname.Pattern{"..."},
	}}}
	all, err := r.rewrite(everything)
	if err != nil {
		return err
	}
	for _, f := range all {
		r.loader.bodies[filepath.ToSlash(filepath.Dir(f.File))] = true
		if r.files[f.File] == nil {
			r.files[f.File] = map[int][]string{}
		}
		r.files[f.File][f.Line] = append(r.files[f.File][f.Line], f.Name)
	}
	for _, lines := range r.files {
		for _, names := range lines {
			slices.SortFunc(names, source.InSourceOrder)
		}
	}
	return nil
}

// rewrite lists the functions that get a span with this guide.
func (r *reader) rewrite(guide *instrument.Guide) (_ []instrument.Function, err error) {
	out, err := os.MkdirTemp("", "apitrace-calls-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(out)) }()
	// The rewriter makes a folder beside the vendor folder. It gets a link to the vendor
	// folder, so that the new folder is not in the tree.
	vendor := filepath.Join(out, "vendor")
	if err := os.Symlink(r.tree.Dir, vendor); err != nil {
		return nil, err
	}
	result, err := instrument.Rewrite(instrument.Options{Guide: guide, Program: r.tree.Program, Version: r.release(), Vendor: vendor, Out: out})
	if err != nil {
		return nil, err
	}
	return result.Functions, nil
}
