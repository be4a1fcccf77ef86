package lineage

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// Resolve returns a release's full names for a query, sorted. The query may
// match names of any release. If the release has some of these, Resolve
// returns only them. Otherwise it follows renames. If it finds nothing, gone
// has the matched names of other releases.
func (l *Library) Resolve(kind Kind, query, release string) (names, gone []string) {
	declared, literal := funcname.SplitLiteral(WithoutArguments(query))
	found := l.Find(kind, declared)
	for _, full := range found {
		if l.Has(kind, full, release) {
			names = append(names, full+literal)
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	for _, full := range found {
		if is := l.Current(kind, full, release); is != "" {
			names = append(names, is+literal)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		return slices.Compact(names), nil
	}
	return nil, found
}

// A GoneError reports that a release lacks a name of other releases.
type GoneError struct {
	Query, Release string
	// Name is the full name in Last, the last known release with the name.
	Name, Last string
	// Stages are the stages of the name; see Library.Follow.
	Stages []Stage
	// Change is the name's end, or nil if the name came after Release.
	Change *Change
	// At is the release of Change.
	At      string
	library *Library
}

// Gone returns the error for a name that a release lacks.
func (l *Library) Gone(kind Kind, query, full, release string) *GoneError {
	stages := l.Follow(kind, full)
	first, last := stages[0], stages[len(stages)-1]
	e := &GoneError{Query: query, Release: release, Name: last.Name, Last: l.Releases[last.Last], Stages: stages, library: l}
	if l.release(release) >= first.First && last.Change != nil {
		e.Change, e.At = last.Change, l.Releases[last.Change.At]
	}
	return e
}

func (e *GoneError) Error() string { return e.message().String() }

// Unwrap returns a *trace.UnknownFunctionError, for callers that only need to
// know whether the function exists.
func (e *GoneError) Unwrap() error { return &trace.UnknownFunctionError{Query: e.Query} }

// Localize returns the error in the printer's language.
func (e *GoneError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *GoneError) message() message.Message {
	said := message.Of("no function or type %q in Kubernetes %s: %s", e.Query, e.Release, e.library.Span(e.Stages, func(name string) string { return name }))
	if e.Change != nil {
		said = message.Of("%s\n%s: %s", said, e.At, e.library.End(e.Change))
	}
	return message.Of("%s\n\"apitrace history %s\" has more; \"apitrace source %[2]s --k8s %[3]s\" shows it", said, Quoted(funcname.Short(e.Name)), e.Last)
}

// Span returns a sentence that says which releases have a function or type,
// and under which name. written returns a name as the sentence shows it. Two
// names count as one if written returns the same text for both.
func (l *Library) Span(stages []Stage, written func(name string) string) message.Message {
	var parts []message.Message
	for i := 0; i < len(stages); {
		name, next := written(stages[i].Name), i+1
		for next < len(stages) && written(stages[next].Name) == name {
			next++
		}
		first, last := l.Releases[stages[i].First], l.Releases[stages[next-1].Last]
		switch {
		case i == 0 && first == last:
			parts = append(parts, message.Of("%s is in the sources of %s", name, first))
		case i == 0:
			parts = append(parts, message.Of("%s is in the sources from %s to %s", name, first, last))
		case first == last:
			parts = append(parts, message.Of("%s only in %s", name, first))
		default:
			parts = append(parts, message.Of("%s from %s to %s", name, first, last))
		}
		i = next
	}
	return message.Join("%s, then %s", parts...)
}

// Quoted returns a name as a shell argument.
func Quoted(name string) string { return "'" + name + "'" }
