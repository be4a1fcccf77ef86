package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Hit is a text of recordings that contains the searched text.
type Hit struct {
	Kind Kind
	// Text is a function's full name, "name=value", or an error; see longest.
	Text string
	// Places are the recordings that have it, older releases first.
	Places []Place
}

// Text finds the functions, values and errors that contain a text, in any case, and the functions that
// trace.MatchFunctions finds. Texts that most recordings have come last.
func Text(query string) ([]Hit, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range x.entries {
		if e.kind == Function {
			names = append(names, e.text)
		}
	}
	functions := trace.MatchFunctions(query, names)
	lower := strings.ToLower(query)
	return x.hits(func(e *entry) bool {
		if e.kind == Function {
			_, found := slices.BinarySearch(functions, e.text)
			return found
		}
		return strings.Contains(strings.ToLower(e.text), lower)
	}), nil
}

// Of lists all texts of one recording, functions first, with the place that it is given.
func Of(rec *trace.Recording, place Place) []Hit {
	var all []Hit
	eachText(rec, func(kind Kind, text string) {
		all = append(all, Hit{Kind: kind, Text: text[:min(len(text), longest)], Places: []Place{place}})
	})
	order := func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text)) }
	slices.SortFunc(all, order)
	return slices.CompactFunc(all, func(a, b Hit) bool { return order(a, b) == 0 })
}

// values finds the values of a name: the full name of an attribute or the end of it, as the tree
// shows it ("flow_schema"), with a value that holds a text, in any case. An empty text finds all.
func values(name, text string) ([]Hit, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	name, text = strings.ToLower(name), strings.ToLower(text)
	return x.hits(func(e *entry) bool {
		if e.kind != Value {
			return false
		}
		attribute, value, _ := strings.Cut(strings.ToLower(e.text), "=")
		named := attribute == name || strings.HasSuffix(attribute, "."+name) || strings.HasSuffix(attribute, "."+name+".name") || strings.HasSuffix(attribute, "."+name+".type")
		return named && strings.Contains(value, text)
	}), nil
}

// valueNames lists the names of all values that are recorded.
func valueNames() ([]string, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range x.entries {
		if name, _, _ := strings.Cut(e.text, "="); e.kind == Value {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Functions lists the full names of all functions that any recording calls.
func Functions() ([]string, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range x.entries {
		if e.kind == Function {
			names = append(names, e.text)
		}
	}
	return names, nil
}

func (x *index) hits(is func(*entry) bool) []Hit {
	var all []Hit
	for i := range x.entries {
		e := &x.entries[i]
		if !is(e) {
			continue
		}
		h := Hit{Kind: e.kind, Text: e.text}
		for _, place := range e.in {
			h.Places = append(h.Places, x.places[place])
		}
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return int(a.Kind) - int(b.Kind) })
	return all
}
