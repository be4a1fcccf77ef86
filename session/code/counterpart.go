package code

import (
	"context"
	"errors"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Texts returns a function's text in two releases. query is its name in either, as
// for ResolveAny.
func Texts(ctx context.Context, a, b *Base, query string) (textA, textB source.Version, err error) {
	nameA, nameB, err := a.counterparts(ctx, b, query)
	if err != nil {
		return textA, textB, err
	}
	textA, errA := a.text(ctx, nameA)
	textB, errB := b.text(ctx, nameB)
	switch unknown := new(trace.UnknownFunctionError); {
	case errA == nil && errors.As(errB, &unknown):
		return textA, textB, onlyIn(nameA, a, b)
	case errors.As(errA, &unknown) && errB == nil:
		return textA, textB, onlyIn(nameB, b, a)
	case errA != nil:
		return textA, textB, errA
	case errB != nil:
		return textA, textB, message.Errorf("%s of %s: %w", nameA, textA.Of, errB)
	}
	return textA, textB, nil
}

// onlyIn returns the error for a function that only one of two releases has.
func onlyIn(name string, has, lacks *Base) error {
	short := funcname.Short(name)
	return message.Errorf("Kubernetes %s has %s, and %s does not: there is no text to compare with\n\"apitrace source %s --k8s %[1]s\" shows the text, and \"apitrace history %[4]s\" lists the releases", has.Version, short, lacks.Version, text.ShellWord(short))
}

// text returns the text of a function.
func (c *Base) text(ctx context.Context, name string) (source.Version, error) {
	f, tree, err := c.function(ctx, name)
	if unknown := new(trace.UnknownFunctionError); errors.As(err, &unknown) {
		return source.Version{}, err
	}
	if err != nil {
		return source.Version{}, message.Errorf("%w\nthe source of Kubernetes %s is needed: with a network, \"apitrace build --k8s %s\" fetches it", err, c.Version, c.Version)
	}
	return source.Version{Function: f, Of: tree.String()}, nil
}

// counterparts returns a function's full names in c's release and in other's. The other
// name is from a comparison of recordings. Without one, the names are assumed to be equal.
func (c *Base) counterparts(ctx context.Context, other *Base, query string) (name, otherName string, err error) {
	if name, err = c.resolve(ctx, query); err == nil {
		return name, c.counterpart(other, name), nil
	}
	if unknown := new(trace.UnknownFunctionError); !errors.As(err, &unknown) {
		return "", "", err
	}
	if otherName, err = other.resolve(ctx, query); err != nil {
		return "", "", err
	}
	return other.counterpart(c, otherName), otherName, nil
}

// counterpart returns the name that a function of c's release has in other's release.
func (c *Base) counterpart(other *Base, name string) string {
	if _, recorded := c.calls[name]; !recorded {
		return name
	}
	for _, rec := range c.Recordings {
		if !makes(rec, name) {
			continue
		}
		there, err := recordings.Load(other.Version, rec.Scenario)
		if err != nil {
			continue // other's release has no recording of the scenario
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
