package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Sentence describes a call's effect on the request: who sends it, who allows
// it or who answers.
type Sentence struct {
	// Call is an index of the tree.
	Call int
	// Layer is the call's layer.
	Layer string
	// Kind is the kind of the sentence, such as "etcd". See rules.
	Kind string
	// Says is the sentence in every language, without a full stop. Text is
	// Says in the reader's language, escaped for a terminal.
	Says message.Message
	Text string
	// Servers are set in a sentence about delegation, in order. Each passes
	// requests that it does not serve on to the next.
	Servers []Server
}

// Sentences describes a request in at most most sentences, in the order of
// events. 0 means no limit. The least telling sentences are left out first.
//
// The sentences describe the decisions about the request, and how it failed.
// Most rules find calls by recorded values, so they need no list of functions.
// For the start or the end of a program, the sentences describe its phases.
func Sentences(tree *trace.Tree, classifier Classifier, errors *ErrorPath, lang string, most int) []Sentence {
	t := &sentenceFinder{tree: tree, classifier: classifier, lang: lang, end: map[string]int{}}
	if tree.Request.IsStart() {
		t.tellStart()
		return t.most(most)
	}
	if tree.Request.IsStop() {
		t.tellStop()
		return t.most(most)
	}
	if errors != nil {
		at := 0
		for n, step := range errors.Steps { // keep the order of the steps, even if their calls were made in another order
			end := tree.End(step.Call) - 1
			if n+1 < len(errors.Steps) && errors.Steps[n+1].Call > step.Call {
				end = min(end, errors.Steps[n+1].Call-1)
			}
			at = max(at, end)
			t.step(step, at)
		}
	}
	for i := range tree.Len() {
		for _, rule := range rules {
			if t.after(rule.kind, i) {
				if says, ok := rule.say(t, i, tree.Call(i)); ok {
					at := i
					if rule.ends {
						at = t.tree.End(i) - 1
					}
					t.add(rule.kind, rule.weight, i, at, says)
				}
			}
		}
	}
	return t.most(most)
}

// A sentenceFinder finds the sentences about one request.
type sentenceFinder struct {
	tree       *trace.Tree
	classifier Classifier
	lang       string
	found      []weighted
	// end maps a kind to Tree.End of its last call with a sentence.
	end map[string]int
}

// A weighted is a sentence with its importance and its place in the order of
// events.
type weighted struct {
	Sentence
	weight int
	// at is the call that gives the sentence its place in the order of events.
	at int
	// ns is the time of the event, like trace.Call.StartNs.
	ns int64
}

// after reports whether call i is outside of the last call with a sentence of
// this kind. Of nested calls, only the outermost gets a sentence.
func (t *sentenceFinder) after(kind string, i int) bool { return i >= t.end[kind] }

// add adds a sentence about call i, in the place of call at. It adds nothing
// if there is an equal sentence, or a sentence about call i with the same or a
// greater weight.
func (t *sentenceFinder) add(kind string, weight, i, at int, says message.Message) {
	t.end[kind] = t.tree.End(i)
	said := text.Escape(says.In(t.lang))
	if slices.ContainsFunc(t.found, func(s weighted) bool { return s.Text == said || s.Call == i && s.weight >= weight }) {
		return
	}
	t.found = append(t.found, weighted{Sentence{Call: i, Layer: t.classifier.Layer(t.tree.Call(i).Function), Kind: kind, Says: says, Text: said}, weight, at, t.tree.Call(at).StartNs})
}

// most keeps the sentences with the greatest weight and sorts them by the order
// of events.
func (t *sentenceFinder) most(most int) []Sentence {
	slices.SortStableFunc(t.found, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	if most > 0 && len(t.found) > most {
		t.found = t.found[:most]
	}
	slices.SortStableFunc(t.found, func(a, b weighted) int {
		// Goroutines run concurrently. So sentences are in the order of the events,
		// not in the order of entry.
		return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.at, b.at))
	})
	var all []Sentence
	for _, s := range t.found {
		all = append(all, s.Sentence)
	}
	return all
}

var (
	saysBorn    = message.Of("the error is born: %s")
	saysWrapped = message.Of("the error becomes: %s")
	saysDenied  = message.Of("the answer is no: %s")
	saysRefused = message.Of("admission plugin %s refuses")
	saysStatus  = message.Of("at the end, the error becomes a Status: %s")
	saysAnswers = message.Of("answers %s without an error")
	saysTimeout = message.Of("the time of the request is over: this filter answers %s in place of the handler")
	saysPanics  = message.Of("the panic begins: %s")
)

// step adds the sentence for a step of the error path, in the place of call at.
func (t *sentenceFinder) step(step ErrorStep, at int) {
	says, weight := saysWrapped, 67
	switch step.Kind {
	case ErrorBorn:
		says, weight = saysBorn, 100
	case ErrorDenied:
		says, weight = saysDenied, 100
	case ErrorRefused:
		says, weight = saysRefused, 100
	case ErrorStatus:
		says, weight = saysStatus, 100
	case ErrorAnswered:
		says, weight = saysAnswers, 100
	case ErrorTimedOut:
		says, weight = saysTimeout, 100
	case ErrorPanicked:
		says, weight = saysPanics, 100
	}
	t.add("error", weight, step.Call, at, says.With(step.Text))
}

// above reports whether a call above call i belongs to one of the layers.
func (t *sentenceFinder) above(i int, layers ...string) bool { return t.nearest(i, layers...) != "" }

// nearest returns the layer of the nearest call above call i that belongs to
// one of the layers, or "".
func (t *sentenceFinder) nearest(i int, layers ...string) string {
	for i = t.tree.Parent(i); i >= 0; i = t.tree.Parent(i) {
		if layer := t.classifier.Layer(t.tree.Call(i).Function); slices.Contains(layers, layer) {
			return layer
		}
	}
	return ""
}

// A rule finds the sentences of one kind.
type rule struct {
	kind   string
	weight int  // importance of the sentence, relative to the others
	ends   bool // whether the sentence is true only after the calls below have returned
	say    func(t *sentenceFinder, i int, call *trace.Call) (says message.Message, ok bool)
}

// with returns an attribute's value as a view shows it.
func with(call *trace.Call, attribute string) string {
	return Shorten(InWords(attribute, call.Attributes[attribute]))
}

// join joins the parts that are not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}
