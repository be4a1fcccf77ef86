// Package code combines one release's source with its recordings. It finds the
// function that a name means, its place, and its name in another release.
package code

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/renames"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// A Base is the source of a Kubernetes release, with its sample server, its
// etcd, and recordings.
type Base struct {
	// Version is the release.
	Version    string
	Guide      *instrument.Guide
	Recordings []*trace.Recording
	// Own is the API server behind the aggregator with this source, if not zero.
	Own serverconfig.Own
	to  session.Reporter
	// recorded has the recordings with a server behind the aggregator, by the name of
	// the server's program.
	recorded map[string]*trace.Recording
	// calls holds one call of every recorded function.
	calls map[string]located
	trees map[string]*source.Tree
}

// A located is a call with its recording.
type located struct {
	*trace.Call
	rec *trace.Recording
}

// open returns the source of a release with recordings of the release. It does not
// fetch the source.
func open(version string, own serverconfig.Own, of []*trace.Recording, to session.Reporter) (*Base, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	c := &Base{Version: version, Guide: guide, Recordings: of, Own: own, to: to, recorded: map[string]*trace.Recording{}, calls: map[string]located{}, trees: map[string]*source.Tree{}}
	for _, rec := range of {
		for _, server := range rec.OwnServers() {
			c.recorded[server.Name] = rec
		}
		for _, r := range rec.Requests {
			for i := range r.Calls {
				c.know(located{&r.Calls[i], rec})
			}
		}
	}
	return c, nil
}

// know adds a call of a recorded function. If kube-apiserver and a server behind
// the aggregator share a function, know keeps the call of Own, or of
// kube-apiserver without Own.
func (c *Base) know(call located) {
	known, ok := c.calls[call.Function]
	if !ok || call.behind() != known.behind() && call.behind() != c.Own.IsZero() {
		c.calls[call.Function] = call
	}
}

// behind reports whether the call ran behind the aggregator.
func (call located) behind() bool {
	return call.rec.Behind(call.Process)
}

// Indexed reports whether the release's index has the programs of this source.
func (c *Base) Indexed() bool {
	return c.Own.IsZero() || apiserver.IsSampleServer(c.Own, c.Version)
}

// resolve returns the full name of the function that a query means. It looks in the
// recordings and the guide first, then in the whole source.
func (c *Base) resolve(ctx context.Context, query string) (string, error) {
	var known []string
	for name := range c.calls {
		known = append(known, name)
	}
	of := c.Recordings
	if len(of) == 0 {
		of = []*trace.Recording{{K8sVersion: c.Version}}
	}
	for _, step := range c.Guide.ForRecordings(of...).Steps {
		if step.Function.Exact() && c.Own.IsZero() { // the server Own may lack the function
			known = append(known, string(step.Function))
		}
	}
	slices.Sort(known)
	query = lineage.WithoutArguments(query)
	found := trace.FindFunctions(query, known)
	names, err := lineage.Load()
	if err != nil {
		return "", err
	}
	var gone []string
	if len(found) == 0 && c.Own.IsZero() {
		if found, gone = names.Resolve(lineage.Function, query, c.Version); len(found) == 1 {
			c.noticeRename(names, lineage.Function, query, found[0])
		}
	}
	if len(gone) > 0 {
		// The recordings may show a rename that the sources do not show.
		is, err := history.NameIn(gone[len(gone)-1], c.Version)
		if err != nil {
			return "", err
		}
		if is != "" {
			c.noticeRename(names, lineage.Function, query, is)
			return is, nil
		}
	}
	for _, name := range c.programsWith(query) {
		if len(found) > 0 {
			break
		}
		tree, err := c.tree(ctx, name)
		if err != nil {
			if len(gone) > 0 {
				break
			}
			return "", err
		}
		if found, err = tree.Search(query); err != nil {
			return "", err
		}
		if name != apiserver.Name && len(found) > 0 && len(gone) > 0 {
			// A user who asks about kube-apiserver's function must not get a function
			// of another program.
			c.to.Notice("%s has a function of this name, too: \"apitrace explain %s\"", name, lineage.Quoted(funcname.Short(found[0])))
			found = nil
		}
	}
	if len(found) > 0 && len(gone) > 0 {
		c.to.Notice("other releases have another %s: \"apitrace history %s\" says what became of it", funcname.Short(gone[0]), lineage.Quoted(funcname.Short(gone[0])))
	}
	switch len(found) {
	case 0:
		if len(gone) > 0 {
			return "", names.Gone(lineage.Function, query, gone[len(gone)-1], c.Version)
		}
		where := message.Of("Kubernetes %s and its etcd", c.Version)
		if tree := c.trees[ownTree]; tree != nil {
			where = message.Of("%s", tree)
		}
		return "", &trace.UnknownFunctionError{Query: query, Where: where, Near: lineage.Near(query, known)}
	case 1:
		return found[0], nil
	}
	return "", &trace.AmbiguousFunctionError{Query: query, Candidates: found}
}

// noticeRename notifies the user if the release has the query's function or type only
// under a new name.
func (c *Base) noticeRename(names *lineage.Library, kind lineage.Kind, query, is string) {
	asked, _ := funcname.SplitLiteral(query)
	declared, _ := funcname.SplitLiteral(is)
	if !slices.Contains(names.Find(kind, asked), declared) {
		c.to.Notice("%s is %s in Kubernetes %s; \"apitrace history %s\" says since when", query, funcname.Short(is), c.Version, lineage.Quoted(query))
	}
}

// CallersInSource returns the callers of a function in the release's source, by full
// name, sorted. It does not check types. known is false for a method if too many types of
// the release have a method of this name.
func (c *Base) CallersInSource(ctx context.Context, name string) (callers []string, known bool, err error) {
	tree, err := c.tree(ctx, apiserver.Name)
	if err != nil {
		return nil, false, err
	}
	read, err := renames.Read(c.Version, tree.Dir)
	if err != nil {
		return nil, false, err
	}
	callers, known = read.Callers(name)
	return callers, known, nil
}

// ownTree is the key in trees for Own's source.
const ownTree = ""

// tree returns a program's source, and fetches it if necessary.
func (c *Base) tree(ctx context.Context, name string) (*source.Tree, error) {
	if tree := c.trees[name]; tree != nil {
		return tree, nil
	}
	progress := c.to.Building()
	defer progress.Close()
	if rec := c.recorded[name]; rec != nil || name == ownTree {
		o := apiserver.BuildOptions{Version: c.Version, Progress: progress}
		var src *traced.Source
		var err error
		if name == ownTree {
			src, err = apiserver.OwnSource(ctx, c.Own, o)
		} else {
			src, err = session.SourceOf(ctx, rec, name, o)
		}
		if err != nil {
			return nil, err
		}
		c.trees[name] = &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir}
		return c.trees[name], nil
	}
	if apiserver.ReadOnly(c.Version) {
		dir, err := apiserver.ReleasedSource(ctx, apiserver.BuildOptions{Version: c.Version, Progress: progress})
		if err != nil {
			return nil, err
		}
		c.trees[name] = &source.Tree{Program: name, Version: c.Version, Dir: dir}
		return c.trees[name], nil
	}
	src, err := controlplane.SourceOf(ctx, name, apiserver.BuildOptions{Version: c.Version, Progress: progress})
	if err != nil {
		return nil, err
	}
	c.trees[name] = &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir}
	return c.trees[name], nil
}

// function finds the source of a function by its full name, and the tree of the
// function's program.
func (c *Base) function(ctx context.Context, name string) (*source.Function, *source.Tree, error) {
	programs := c.programsWith(name)
	if call, ok := c.calls[name]; ok && c.Own.IsZero() {
		programs = []string{call.Process}
	}
	var first error
	for _, p := range programs {
		tree, err := c.tree(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		f, err := tree.Function(name)
		var unknown *trace.UnknownFunctionError
		if err == nil || !errors.As(err, &unknown) {
			return f, tree, err
		}
		if first == nil {
			first = err
			if unknown.Elsewhere, err = c.inReleaseOnly(tree, name); err != nil {
				return nil, nil, err
			}
		}
	}
	return nil, nil, first
}

// inReleaseOnly returns a message if the release has the function, but in a package
// that the program does not import, and else the zero Message.
func (c *Base) inReleaseOnly(tree *source.Tree, name string) (message.Message, error) {
	names, err := lineage.Load()
	if err != nil {
		return message.Message{}, err
	}
	declared, _ := funcname.SplitLiteral(name)
	_, err = tree.Package(funcname.Package(name))
	if !errors.As(err, new(*trace.UnknownFunctionError)) || !c.Own.IsZero() || !names.Has(lineage.Function, declared, c.Version) {
		return message.Message{}, nil
	}
	return message.Of("the source of Kubernetes %s has it, in a package that %s does not import; \"apitrace history %s\" says which releases have it", c.Version, tree.Program, lineage.Quoted(funcname.Short(declared))), nil
}

// programsWith lists the programs that may have a function with this name.
func (c *Base) programsWith(name string) []string {
	switch {
	case !c.Own.IsZero():
		return []string{ownTree}
	case apiserver.ReadOnly(c.Version):
		return []string{apiserver.Name} // its tree includes the sample server, but no etcd
	}
	var usual []string
	for _, p := range apiserver.Programs() {
		if p.Has(name) {
			return []string{p.Name}
		}
		if !p.Optional {
			usual = append(usual, p.Name)
		}
	}
	return usual
}

// A Place is a function's place in the source.
type Place struct {
	File string
	Line int
	// Program is the program with the function, and its version.
	Program string
	// Recording and Call have the place as in a trace, for a link to upstream's
	// source.
	Recording *trace.Recording
	Call      *trace.Call
}

// PlaceOf returns the place of a function by its full name. For a function in no
// recording, it reads the source, and fetches it if necessary.
func (c *Base) PlaceOf(ctx context.Context, name string) (Place, error) {
	if call, ok := c.calls[name]; ok {
		from := strings.TrimSpace(call.Process + " " + call.rec.Version(call.Process))
		return Place{File: call.File, Line: call.Line, Program: from, Recording: call.rec, Call: call.Call}, nil
	}
	f, tree, err := c.function(ctx, name)
	if err != nil {
		return Place{}, err
	}
	return c.placeOf(f, tree), nil
}

// SourceOf returns a function's source and place by its full name.
func (c *Base) SourceOf(ctx context.Context, name string) (*source.Function, Place, error) {
	f, tree, err := c.function(ctx, name)
	if err != nil {
		return nil, Place{}, err
	}
	return f, c.placeOf(f, tree), nil
}

func (c *Base) placeOf(f *source.Function, tree *source.Tree) Place {
	rec := trace.Versions(c.Version, tree.Program, tree.Version)
	return Place{File: f.File, Line: f.Line, Program: tree.String(), Recording: rec, Call: &trace.Call{Process: tree.Program, File: f.File, Line: f.Line}}
}
