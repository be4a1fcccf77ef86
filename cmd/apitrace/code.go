package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// codeOptions say of which version a function is wanted, and which recordings tell of it.
type codeOptions struct {
	k8s      string
	traces   []string
	scenario string
}

func (o *codeOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&o.k8s, "k8s", "", "version of Kubernetes (default: that of --trace, else "+apiserver.DefaultVersion+")")
	flags.StringArrayVar(&o.traces, "trace", nil, "a saved recording to look into; may be repeated (default: the recordings that apitrace carries)")
	flags.StringVar(&o.scenario, "scenario", "", "look into the recording of this scenario alone")
	_ = command.RegisterFlagCompletionFunc("scenario", completeScenarioName)
}

func (o *codeOptions) validate() error {
	if _, err := apiserver.ParseVersion(o.k8s); err != nil {
		return &usageError{err: err}
	}
	if o.scenario != "" && len(o.traces) > 0 {
		return usageErrorf("--scenario names a recording that apitrace carries, --trace a file: choose one of them")
	}
	return nil
}

// detailed tells whether each request of the recordings is of interest: there are few.
func (o *codeOptions) detailed() bool { return o.scenario != "" || len(o.traces) > 0 }

// code is one version's source with the recordings that tell of it.
type code struct {
	std        *streams
	version    string
	guide      *instrument.Guide
	recordings []*trace.Recording
	// calls holds one call of every recorded function.
	calls map[string]located
	trees map[string]*source.Tree
}

// A located call knows the recording that it is from.
type located struct {
	*trace.Call
	rec *trace.Recording
}

func (o *codeOptions) open(std *streams) (*code, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	c := &code{std: std, guide: guide, calls: map[string]located{}, trees: map[string]*source.Tree{}}
	if err := c.load(o); err != nil {
		return nil, err
	}
	for _, rec := range c.recordings {
		for _, r := range rec.Requests {
			for i := range r.Calls {
				c.know(located{&r.Calls[i], rec})
			}
		}
	}
	return c, nil
}

// know adds a call to those of recorded functions. What the sample server shares with
// kube-apiserver is taken for the latter's.
func (c *code) know(call located) {
	known, ok := c.calls[call.Function]
	if !ok || known.Process == sampleserver.Name && call.Process != sampleserver.Name {
		c.calls[call.Function] = call
	}
}

// load reads the recordings that are named, or those of the wanted version that apitrace
// carries, and decides the version.
func (c *code) load(o *codeOptions) (err error) {
	if o.k8s != "" {
		if c.version, err = apiserver.ParseVersion(o.k8s); err != nil {
			return err
		}
	}
	for _, file := range o.traces {
		rec, err := c.std.load(file)
		if err != nil {
			return err
		}
		if c.version == "" {
			c.version = rec.K8sVersion
		}
		if rec.K8sVersion != c.version {
			return usageErrorf("%q was recorded on Kubernetes %s, not %s: lines of one version say nothing of another", file, rec.K8sVersion, c.version)
		}
		c.recordings = append(c.recordings, rec)
	}
	if c.version, err = apiserver.ParseVersion(c.version); err != nil || len(o.traces) > 0 {
		return err
	}
	if o.scenario != "" {
		rec, err := loadRecording(c.version, o.scenario)
		c.recordings = []*trace.Recording{rec}
		return err
	}
	c.recordings, err = recordings.All(c.version)
	if errors.As(err, new(*recordings.UnknownVersionError)) {
		return nil // the source alone tells of the function
	}
	return err
}

// resolve returns the full name of the function that the user means. What recordings
// and guide know comes first; the whole source is searched for anything else.
func (c *code) resolve(ctx context.Context, query string) (string, error) {
	var known []string
	for name := range c.calls {
		known = append(known, name)
	}
	of := c.recordings
	if len(of) == 0 {
		of = []*trace.Recording{{K8sVersion: c.version}}
	}
	for _, step := range guideOf(c.guide, of...).Steps {
		if step.Function.Exact() {
			known = append(known, string(step.Function))
		}
	}
	slices.Sort(known)
	found := trace.FindFunctions(query, known)
	for _, name := range programsWith(query) {
		if len(found) > 0 {
			break
		}
		tree, err := c.tree(ctx, name)
		if err != nil {
			return "", err
		}
		if found, err = tree.Search(query); err != nil {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", &trace.UnknownFunctionError{Query: query, Where: fmt.Sprintf("Kubernetes %s and its etcd", c.version), Near: trace.NearFunctions(query, known)}
	case 1:
		return found[0], nil
	}
	return "", &trace.AmbiguousFunctionError{Query: query, Candidates: found}
}

// tree returns the source of a program, which is fetched if it is not there.
func (c *code) tree(ctx context.Context, name string) (*source.Tree, error) {
	if tree := c.trees[name]; tree != nil {
		return tree, nil
	}
	display := program.NewDisplay(c.std.err, c.std.errTerminal)
	defer display.Close()
	src, err := apiserver.SourceOf(ctx, name, apiserver.BuildOptions{Version: c.version, Progress: display})
	if err != nil {
		return nil, err
	}
	c.trees[name] = &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir}
	return c.trees[name], nil
}

// function finds the source of a function, by its full name, and says whose it is.
func (c *code) function(ctx context.Context, name string) (*source.Function, *source.Tree, error) {
	programs := programsWith(name)
	if call, ok := c.calls[name]; ok {
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
		}
	}
	return nil, nil, first
}

// programsWith lists the programs that a function can be in, by what there is of its name.
func programsWith(name string) []string {
	switch {
	case strings.HasPrefix(name, "go.etcd.io/etcd/server/"):
		return []string{storage.Name}
	case strings.Contains(name, sampleserver.Name+"/"):
		return []string{sampleserver.Name}
	}
	return []string{apiserver.Name, storage.Name}
}

// programOf is the program that a recorded call ran in, with its version.
func programOf(call located) string {
	return strings.TrimSpace(call.Process + " " + call.rec.Version(call.Process))
}

// url is where upstream's source can be read.
func (c *code) url(f *source.Function, tree *source.Tree) string {
	rec := &trace.Recording{K8sVersion: c.version}
	if tree.Program == storage.Name {
		rec.EtcdVersion = tree.Version
	}
	return render.SourceURL(rec, &trace.Call{Process: tree.Program, File: f.File, Line: f.Line})
}

// completeFunction offers the names of key steps.
func completeFunction(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	guide, err := instrument.Load()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, step := range guide.Steps {
		short := funcname.Short(string(step.Function))
		if step.Function.Exact() && strings.HasPrefix(short, typed) && !slices.Contains(names, short) {
			names = append(names, short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
