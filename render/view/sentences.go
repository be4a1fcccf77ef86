package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Sentence says what a call did to the request: who asks, who allows it, what answers.
type Sentence struct {
	// Call is an index of the tree.
	Call int
	// Layer is the call's layer.
	Layer string
	// Text is the sentence, in the reader's language, without a full stop.
	Text string
	// Servers are those that the sentence is about, if it says how they follow one another: each
	// hands on to the next one what it does not serve itself.
	Servers []Server
}

// Sentences tells the story of a request in sentences, in order of entry: what its
// values say was decided, and how it failed. It takes the values from the guide, so it needs no list of
// functions. There are at most so many sentences; those that tell least go first.
func Sentences(tree *trace.Tree, classifier Classifier, errors *ErrorPath, lang string, most int) []Sentence {
	t := &taleTeller{tree: tree, classifier: classifier, lang: lang, end: map[string]int{}}
	if tree.Request.IsStart() {
		t.tellStart()
		return t.most(most)
	}
	if errors != nil {
		at := 0
		for n, step := range errors.Steps { // which come after one another, whoever called whom
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
				if said, ok := rule.say(t, i, tree.Call(i)); ok {
					at := i
					if rule.ends {
						at = t.tree.End(i) - 1
					}
					t.add(rule.kind, rule.weight, i, at, said)
				}
			}
		}
	}
	return t.most(most)
}

type taleTeller struct {
	tree       *trace.Tree
	classifier Classifier
	lang       string
	told       []weighted
	// end is, by kind, where the last call ends of which a sentence of that kind was told.
	end map[string]int
}

type weighted struct {
	Sentence
	weight int
	// at is the place in the story: the number of the call by which it had happened.
	at int
}

// after reports whether call i is none that a call made about which a sentence of the
// kind was told: the outermost call has the last word.
func (t *taleTeller) after(kind string, i int) bool { return i >= t.end[kind] }

func (t *taleTeller) add(kind string, weight, i, at int, said string) {
	t.end[kind] = t.tree.End(i)
	said = text.Escape(said)
	if slices.ContainsFunc(t.told, func(s weighted) bool { return s.Text == said || s.Call == i && s.weight >= weight }) {
		return
	}
	t.told = append(t.told, weighted{Sentence{Call: i, Layer: t.classifier.Layer(t.tree.Call(i).Function), Text: said}, weight, at})
}

// most keeps the sentences of most weight and puts them into the order in which things happened.
func (t *taleTeller) most(most int) []Sentence {
	slices.SortStableFunc(t.told, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	if most > 0 && len(t.told) > most {
		t.told = t.told[:most]
	}
	slices.SortStableFunc(t.told, func(a, b weighted) int {
		// Goroutines run side by side: what happened earlier comes first, whichever was started first.
		return cmp.Or(cmp.Compare(t.tree.Call(a.at).StartNs, t.tree.Call(b.at).StartNs), cmp.Compare(a.at, b.at))
	})
	var all []Sentence
	for _, s := range t.told {
		all = append(all, s.Sentence)
	}
	return all
}

var (
	saysBorn    = message.Of("the error is born: %s")
	saysWrapped = message.Of("the error becomes: %s")
	saysDenied  = message.Of("the answer is no: %s")
	saysRefused = message.Of("admission plugin %s refuses")
	saysStatus  = message.Of("the error becomes a Status: %s")
	saysAnswers = message.Of("answers %s without an error")
)

// step tells what a call did to the error with which the request failed.
func (t *taleTeller) step(step ErrorStep, at int) {
	says, weight := saysWrapped, 60
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
	}
	t.add("error", weight, step.Call, at, says.Format(t.lang, step.Text))
}

// above reports whether a call above call i belongs to one of the layers.
func (t *taleTeller) above(i int, layers ...string) bool {
	for i = t.tree.Parent(i); i >= 0; i = t.tree.Parent(i) {
		if slices.Contains(layers, t.classifier.Layer(t.tree.Call(i).Function)) {
			return true
		}
	}
	return false
}

// A rule makes a sentence of a call's values.
type rule struct {
	kind   string
	weight int  // how much the sentence tells, compared with the others
	ends   bool // whether it holds once the call has returned
	say    func(t *taleTeller, i int, call *trace.Call) (said string, ok bool)
}

// with returns the value of an attribute in the words of a view.
func with(call *trace.Call, attribute string) string {
	return Shorten(InWords(attribute, call.Attributes[attribute]))
}

// join puts parts that are not empty together.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}
