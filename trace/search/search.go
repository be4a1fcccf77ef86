package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// A Hit is a text in recordings that matches a search.
type Hit struct {
	Kind Kind
	// Text is a function's full name, "name=value", or an error; see longest.
	Text string
	// Places are the recordings with the text, older releases first.
	Places []Place
	// Rank is 0 for the best matches. It is greater for a function that
	// trace.RankFunctions ranks lower.
	Rank int
}

// In reports whether a call has the text of a hit.
func (h *Hit) In(call *trace.Call) bool {
	switch h.Kind {
	case Function:
		return call.Function == h.Text
	case Error:
		return cut(call.Error) == h.Text
	}
	for name, value := range call.Attributes {
		if cut(name+"="+value) == h.Text {
			return true
		}
	}
	return false
}

// Text finds values and errors that contain a text, ignoring case, and the
// functions that trace.RankFunctions finds. It searches the texts of the embedded
// recordings, and more, the texts of other recordings (see Of). The hits are in the
// order of Sort. If an error is a hit, Text leaves out the value with the same text
// in the same recordings. If Text finds nothing for a call such as
// "server.Run(stopCh)", it searches for the function. If nothing has a text of several words,
// it finds what has each of them; see trace.HasEachWord.
func Text(query string, more ...Hit) ([]Hit, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	hits := x.search(query, more)
	if function := lineage.WithoutArguments(query); len(hits) == 0 && function != query {
		hits = x.search(function, more)
	}
	return hits, nil
}

func (x *index) search(query string, more []Hit) []Hit {
	names := x.functions()
	for _, h := range more {
		if h.Kind == Function {
			names = append(names, h.Text)
		}
	}
	ranks := trace.RankFunctions(query, names)
	lower := strings.ToLower(query)
	has := func(kind Kind, text string) bool {
		if kind == Function {
			_, found := ranks[text]
			return found
		}
		return strings.Contains(strings.ToLower(text), lower)
	}
	find := func() []Hit {
		return Merge(x.hits(func(e *entry) bool { return has(e.kind, e.text) }), slices.DeleteFunc(slices.Clone(more), func(h Hit) bool { return !has(h.Kind, h.Text) }))
	}
	hits := find()
	if len(hits) == 0 {
		has = func(_ Kind, text string) bool { return trace.HasEachWord(text, query) }
		hits = find()
	}
	hits = withoutTwins(hits)
	for i := range hits {
		if hits[i].Kind == Function {
			hits[i].Rank = ranks[hits[i].Text]
		}
	}
	Sort(hits)
	return hits
}

// withoutTwins leaves out values with the text of an error in hits, if both are in
// the same recordings. Such a value is an error that was passed to a function. The
// hit of the error shows the same text and the same recordings.
func withoutTwins(hits []Hit) []Hit {
	places := map[string][]Place{}
	for _, h := range hits {
		if h.Kind == Error {
			places[h.Text] = h.Places
		}
	}
	return slices.DeleteFunc(hits, func(h Hit) bool {
		_, value, _ := strings.Cut(h.Text, "=")
		return h.Kind == Value && value != "" && slices.Equal(places[value], h.Places)
	})
}

// All returns all texts of the recordings.
func All() ([]Hit, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	return x.hits(func(*entry) bool { return true }), nil
}

// Merge merges two lists. Each text occurs once, with the places of both, functions
// before values before errors.
func Merge(a, b []Hit) []Hit {
	if len(b) == 0 {
		return a
	}
	type name struct {
		kind Kind
		text string
	}
	at := map[name]int{}
	for i, h := range a {
		at[name{h.Kind, h.Text}] = i
	}
	for _, h := range b {
		if i, known := at[name{h.Kind, h.Text}]; known {
			a[i].Places = append(slices.Clone(a[i].Places), h.Places...)
		} else {
			at[name{h.Kind, h.Text}] = len(a)
			a = append(a, h)
		}
	}
	slices.SortStableFunc(a, func(x, y Hit) int { return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Text, y.Text)) })
	return a
}

// Sort sorts hits: the best matches first, then hits in recordings of requests
// before hits in recordings of a start, then hits in the newest release. Functions
// come before values before errors. Values and errors of more releases come first,
// because texts of few releases are mostly random names and revisions. Hits of
// fewer scenarios come first, because they say more. Last, hits in more recordings
// come first.
func Sort(hits []Hit) {
	newest := ""
	if x, err := library(); err == nil { // else there are no hits
		newest = x.places[len(x.places)-1].Release
	}
	type ordered struct {
		Hit
		key [7]int
	}
	all := make([]ordered, len(hits))
	for i, h := range hits {
		all[i] = ordered{h, h.key(newest)}
	}
	slices.SortStableFunc(all, func(a, b ordered) int { return slices.Compare(a.key[:], b.key[:]) })
	for i := range all {
		hits[i] = all[i].Hit
	}
}

// key returns the numbers that Sort compares, one after the other.
func (h *Hit) key(newest string) [7]int {
	onlyStart, old := 1, 1
	scenarios, releases := map[string]bool{}, map[string]bool{}
	for _, p := range h.Places {
		scenarios[p.Scenario], releases[p.Release] = true, true
		if !isStart(p.Scenario) {
			onlyStart = 0
		}
		if p.Release == newest {
			old = 0
		}
	}
	inReleases := 0
	if h.Kind != Function {
		inReleases = len(releases)
	}
	return [7]int{h.Rank, onlyStart, old, int(h.Kind), -inReleases, len(scenarios), -len(h.Places)}
}

// isStart reports whether a scenario is the start of a program. A start has a
// hundred times the texts of a request.
func isStart(scenario string) bool { return scenario == "boot" || strings.HasPrefix(scenario, "boot-") }

// Of lists all texts of one recording, functions first, with the given place.
func Of(rec *trace.Recording, place Place) []Hit {
	var all []Hit
	eachText(rec, func(kind Kind, text string) {
		all = append(all, Hit{Kind: kind, Text: cut(text), Places: []Place{place}})
	})
	order := func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text)) }
	slices.SortFunc(all, order)
	return slices.CompactFunc(all, func(a, b Hit) bool { return order(a, b) == 0 })
}

// values finds the values that have a name and contain a text, ignoring case. The
// name is an attribute's full name or its end, as in the tree ("flow_schema"). A
// final ".name" or ".type" may be left out. If text is empty, it finds all values
// with the name.
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

// valueNames lists the names of all recorded values.
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

// Functions lists all functions that any recording calls, by full name.
func Functions() ([]string, error) {
	x, err := library()
	if err != nil {
		return nil, err
	}
	return x.functions(), nil
}

func (x *index) functions() []string {
	var names []string
	for _, e := range x.entries {
		if e.kind == Function {
			names = append(names, e.text)
		}
	}
	return names
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
