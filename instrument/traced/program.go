// Package traced finds and builds the programs that apitrace traces. A [Program] is
// built for a release of Kubernetes, with or without spans. Its source can be read and
// edited.
//
// A package such as storage defines a Program and runs it. apiserver.Programs lists
// the programs.
package traced

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A Program is a program that apitrace traces.
type Program struct {
	// Name is the name of the program in traces, in the guide and in the cache.
	Name string
	// ForVersion returns the program for a release of Kubernetes, or for a checkout.
	// kubernetes returns the module of Kubernetes in that version. It may use the
	// network, so ForVersion calls it only if necessary.
	ForVersion func(k8s string, kubernetes func() (program.Upstream, error)) (program.Program, error)
	// GuideVersion returns the program's version in the guide. nil stands for the
	// version of Kubernetes.
	GuideVersion func(program.Program) (string, error)
	// Optional is set for a program that some servers do not need.
	Optional bool
	// Packages are parts of import paths that only this program has.
	Packages []string
	// Adapt returns the guide with an entry for the program. It is nil if the guide
	// has one.
	Adapt func(*instrument.Guide) *instrument.Guide
	// More are further packages to trace. The program must have them.
	More []instrument.Packages
	// Rewrite inserts the spans. nil stands for instrument.Rewrite for a release, and
	// for RewriteTolerantly for a checkout.
	Rewrite func(instrument.Options) (*instrument.Result, []message.Message, error)
	// Edits is the name of the folder of edits, if it differs from Name.
	Edits string
	// Explain adds advice for the user to an error of a Recipe. It may be nil.
	Explain func(r *Recipe, err error) error
}

// EditsName returns the name of the folder of edits.
func (p Program) EditsName() string { return cmp.Or(p.Edits, p.Name) }

// Options select the build of a program.
type Options struct {
	// Version is the version of Kubernetes, as apiserver.ParseVersion returns it.
	Version string
	// Kubernetes is the argument of Program.ForVersion.
	Kubernetes func() (program.Upstream, error)
	// Plain builds upstream's program without spans.
	Plain bool
	// Debuggable is program.Options.Debuggable.
	Debuggable bool
	// EditsDir is program.Edits.Dir. A build with spans includes the edits of the
	// version. "" means no edits.
	EditsDir string
	// Cache is the cache of the builds. Required.
	Cache *program.Cache
	// Progress receives the progress of the build; nil discards it.
	Progress program.Progress
}

// A Recipe describes how to build a program of a version.
type Recipe struct {
	Program program.Program
	// K8sVersion is the version of Kubernetes that the program belongs to.
	K8sVersion string
	// Cache is the cache that the program is built in.
	Cache *program.Cache
	// Edits are the edits in the build, from the folder EditsName. They are empty for
	// a plain build.
	Edits     []program.Edit
	EditsName string
	// More names further packages that are traced, in the form of ParsePackages.
	More []string

	explain func(*Recipe, error) error
	options program.Options
}

// Recipe returns the recipe for the program. It builds nothing.
func (p Program) Recipe(o Options) (*Recipe, error) {
	found, err := p.ForVersion(o.Version, o.Kubernetes)
	if err != nil {
		return nil, err
	}
	r := &Recipe{
		Program: found, K8sVersion: o.Version, Cache: o.Cache, EditsName: p.EditsName(), explain: p.Explain,
		options: program.Options{Cache: o.Cache, Debuggable: o.Debuggable, Progress: o.Progress},
	}
	if o.Plain {
		return r, nil
	}
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	if p.Adapt != nil {
		guide = p.Adapt(guide)
	}
	if r.Edits, err = (program.Edits{Dir: o.EditsDir, Version: o.Version}).Changed(r.EditsName); err != nil {
		return nil, err
	}
	version := o.Version
	if p.GuideVersion != nil {
		if version, err = p.GuideVersion(found); err != nil {
			return nil, err
		}
	}
	more := slices.DeleteFunc(slices.Clone(p.More), func(m instrument.Packages) bool { return alreadyTraced(guide.Programs[p.Name], version, m) })
	if len(more) > 0 {
		guide = withPackages(guide, p.Name, more)
	}
	for _, m := range more {
		r.More = append(r.More, m.Names().String())
	}
	r.options.Rewrite = p.rewrite(guide, found, version, r.Edits)
	r.options.Rewrite.More = r.More
	return r, nil
}

// WithProgress returns the recipe with another receiver of its progress.
func (r *Recipe) WithProgress(to program.Progress) *Recipe {
	reported := *r
	reported.options.Progress = to
	return &reported
}

// Build builds the program, or finds it in the cache.
func (r *Recipe) Build(ctx context.Context) (*program.Binary, error) {
	binary, err := program.Build(ctx, r.Program, r.options)
	return binary, explainCompile(r.explained(err), r.Edits)
}

func (r *Recipe) explained(err error) error {
	if err == nil || r.explain == nil {
		return err
	}
	return r.explain(r, err)
}

// Key returns the cache key of the binary. It builds nothing.
func (r *Recipe) Key(ctx context.Context) (string, error) {
	key, err := program.Key(ctx, r.Program, r.options)
	return key, r.explained(err)
}

// IsBuilt reports whether the binary is among the entries of the cache.
// It does not use the network.
func (r *Recipe) IsBuilt(ctx context.Context, entries []program.Entry) (bool, error) {
	of := func(e program.Entry) bool {
		return e.Kind == program.KindBuild && e.Program == r.Program.Name && e.Version == r.Program.Version
	}
	if !slices.ContainsFunc(entries, of) { // without an entry, finding the module may need the network
		return false, nil
	}
	key, err := r.Key(ctx)
	if errors.As(err, new(*program.NeedsGoError)) {
		return false, nil
	}
	return err == nil && slices.ContainsFunc(entries, func(e program.Entry) bool { return of(e) && e.Key == key }), err
}

// Plan returns the steps of Build. It does not use the network.
func (r *Recipe) Plan(ctx context.Context) (*program.Plan, error) {
	return program.MakePlan(ctx, r.Program, r.options)
}

// WritePlan prints the steps of Build. It does not use the network.
func (r *Recipe) WritePlan(ctx context.Context, w io.Writer, in message.Printer) error {
	plan, err := r.Plan(ctx)
	if err != nil {
		return err
	}
	return plan.Write(w, in)
}

// ForExport returns the program's part of an export. With rebuild, the export lets its
// importer build the program with edits.
func (r *Recipe) ForExport(rebuild bool) program.ExportedProgram {
	return program.ExportedProgram{Program: r.Program, Options: r.options, Rebuild: rebuild}
}

// Has reports whether a function belongs to a package that only this program has.
// function is the full name, or the end of it.
func (p Program) Has(function string) bool {
	return slices.ContainsFunc(p.Packages, func(part string) bool { return strings.Contains(function, part) })
}

// Find returns the program with this name.
func Find(programs []Program, name string) (Program, bool) {
	at := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	if at < 0 {
		return Program{}, false
	}
	return programs[at], true
}
