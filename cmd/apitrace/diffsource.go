package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// diffSource compares the text of a function in two releases.
func (o *diffOptions) diffSource(ctx context.Context, std *streams, args []string) error {
	if len(args) != 2 {
		return usageErrorf("--source compares a function of two versions: expected \"apitrace diff --source %s VERSION VERSION\"", o.source)
	}
	if o.output.format != "tree" || o.live != "" {
		return usageErrorf("--source compares the text of a function: leave -o and --live out")
	}
	a, err := openSource(std, args[0])
	if err != nil {
		return err
	}
	b, err := openSource(std, args[1])
	if err != nil {
		return err
	}
	nameA, nameB, err := a.counterparts(ctx, b, o.source)
	if err != nil {
		return err
	}
	versionA, err := a.versionOf(ctx, nameA)
	if err != nil {
		return err
	}
	versionB, err := b.versionOf(ctx, nameB)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", nameA, versionA.Of, err)
	}
	colour, err := render.UseColour(o.output.view.colour, std.width > 0, os.Getenv)
	if err != nil {
		return err
	}
	options := source.DiffOptions{}
	if colour {
		palette := render.Colours()
		options = source.DiffOptions{Added: palette.Added, Removed: palette.Removed, Heading: palette.Place}
	}
	same, err := source.WriteDiff(std.out, versionA, versionB, options)
	if err == nil && !same {
		err = errDifferent
	}
	return err
}

// openSource opens one release's source with its recordings.
func openSource(std *streams, version string) (*code, error) {
	options := codeOptions{k8s: version}
	if err := options.validate(); err != nil {
		return nil, err
	}
	return options.open(std)
}

// versionOf finds the text of a function.
func (c *code) versionOf(ctx context.Context, name string) (source.Version, error) {
	f, tree, err := c.function(ctx, name)
	if unknown := new(trace.UnknownFunctionError); errors.As(err, &unknown) {
		return source.Version{}, functionError(err)
	}
	if err != nil {
		return source.Version{}, fmt.Errorf("%w\nthe source of Kubernetes %s is needed: with a network, \"apitrace build --k8s %s\" fetches it", err, c.version, c.version)
	}
	return source.Version{Function: f, Of: tree.String()}, nil
}

// counterparts returns the full names of a function in c's release and in that of other. The
// recordings tell what it is called there; where none has it, its name is taken to be the same.
func (c *code) counterparts(ctx context.Context, other *code, query string) (name, otherName string, err error) {
	if name, err = c.resolve(ctx, query); err == nil {
		return name, c.counterpart(other, name), nil
	}
	if unknown := new(trace.UnknownFunctionError); !errors.As(err, &unknown) {
		return "", "", functionError(err)
	}
	if otherName, err = other.resolve(ctx, query); err != nil {
		return "", "", functionError(err)
	}
	return other.counterpart(c, otherName), otherName, nil
}

// counterpart returns what a function of c's release is called in that of other.
func (c *code) counterpart(other *code, name string) string {
	if _, recorded := c.calls[name]; !recorded {
		return name
	}
	for _, rec := range c.recordings {
		if !makes(rec, name) {
			continue
		}
		there, err := recordings.Load(other.version, rec.Scenario)
		if err != nil {
			continue // that release has not recorded it
		}
		if is := diff.CompareRecordings(rec, there, diff.Options{}).NameInB(name); is != "" {
			return is
		}
	}
	return name
}

// makes reports whether a recording has a call of a function.
func makes(rec *trace.Recording, function string) bool {
	for _, r := range rec.Requests {
		for i := range r.Calls {
			if r.Calls[i].Function == function {
				return true
			}
		}
	}
	return false
}
