package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/render"
)

// filterOptions say which calls a tree is about. All commands that draw one have them.
type filterOptions struct {
	layers       []string
	functions    []string
	notFunctions []string
	minDuration  time.Duration
	errors       bool
	etcd         bool
	grep         string
}

func (o *filterOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringSliceVar(&o.layers, "layer", nil, "show only these layers of the server, such as authorization,etcd3")
	flags.StringArrayVar(&o.functions, "function", nil, `show only functions of this name, short or full, "..." standing for any text: "etcd3.(*store).Get", "k8s.io/apiserver/pkg/admission..." (repeat for more)`)
	flags.StringArrayVar(&o.notFunctions, "not-function", nil, "do not show functions of this name (repeat for more)")
	flags.DurationVar(&o.minDuration, "min-duration", 0, "show only calls that took at least this long, such as 500us")
	flags.BoolVar(&o.errors, "errors", false, "show only calls that failed; of a request that failed, those that had a part in it")
	flags.BoolVar(&o.etcd, "etcd", false, "show only what runs in etcd and what leads there")
	flags.StringVar(&o.grep, "grep", "", "show only calls whose name, file:line, values or error match this regular expression")
	_ = command.RegisterFlagCompletionFunc("layer", completeLayer)
}

func completeLayer(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return layerNames(guide), cobra.ShellCompDirectiveNoFileComp
}

// layerNames lists the guide's layers, each once.
func layerNames(guide *instrument.Guide) []string {
	var names []string
	for _, layer := range guide.Layers {
		if !slices.Contains(names, layer.Name) {
			names = append(names, layer.Name)
		}
	}
	return names
}

// filter returns what the flags ask for.
func (o *filterOptions) filter(guide *instrument.Guide) (render.Filter, error) {
	f := render.Filter{Layers: o.layers, MinDuration: o.minDuration, Errors: o.errors, Etcd: o.etcd}
	known := layerNames(guide)
	for _, layer := range o.layers {
		if !slices.Contains(known, layer) {
			return f, usageErrorf("unknown layer %q: expected some of %s", layer, strings.Join(known, ", "))
		}
	}
	if o.minDuration < 0 {
		return f, usageErrorf("--min-duration cannot be negative")
	}
	for _, p := range o.functions {
		f.Functions = append(f.Functions, functionPattern(p))
	}
	for _, p := range o.notFunctions {
		f.NotFunctions = append(f.NotFunctions, functionPattern(p))
	}
	if o.grep != "" {
		grep, err := regexp.Compile(o.grep)
		if err != nil {
			return f, &usageError{err: fmt.Errorf("--grep: %w", err)}
		}
		f.Grep = grep
	}
	return f, nil
}

// functionPattern takes a name as the tree prints it, without most of its import path, for
// any function whose full name ends so.
func functionPattern(p string) funcname.Pattern {
	first, _, slash := strings.Cut(p, "/")
	if full := slash && strings.Contains(first, "."); full || strings.HasPrefix(p, "...") {
		return funcname.Pattern(p)
	}
	return funcname.Pattern("..." + p)
}

// set tells whether any filter is asked for.
func (o *filterOptions) set() bool {
	return len(o.layers)+len(o.functions)+len(o.notFunctions) > 0 || o.minDuration > 0 || o.errors || o.etcd || o.grep != ""
}
