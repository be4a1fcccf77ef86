package workshop

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
)

// validate returns the first mistake, or nil.
func (e *Exercise) validate() *strictyaml.Mistake {
	if kinds := e.kinds(); len(kinds) == 0 {
		return strictyaml.MistakeAt(message.Of("the question is missing: expected one of find, order, claim, choose, value, make and change"))
	} else if len(kinds) > 1 {
		return strictyaml.MistakeAt(message.Of("expected one question, found %d: %q", len(kinds), kinds), string(kinds[1]))
	}
	return strictyaml.First(e.validateTexts(), e.validateSources(), e.validateKind(), e.validateWrong(), e.validateSolution())
}

func (e *Exercise) validateTexts() *strictyaml.Mistake {
	for _, t := range []struct {
		field string
		text  Text
	}{{"title", e.Title}, {"teaches", e.Teaches}, {"question", e.Question}, {"debrief", e.Debrief}} {
		if bad := bothLanguages(t.text, t.field); bad != nil {
			return bad
		}
	}
	if e.Minutes < 1 || e.Minutes > 60 {
		return strictyaml.MistakeAt(message.Of("minutes is %d, expected the time that a person needs, 1 to 60", e.Minutes), "minutes")
	}
	if len(e.Hints) != 3 {
		return strictyaml.MistakeAt(message.Of("there are %d hints, expected three: where to look, what to look for, and nearly the answer", len(e.Hints)), "hints")
	}
	for i, hint := range e.Hints {
		if bad := bothLanguages(hint, "hints", i); bad != nil {
			return bad
		}
	}
	return nil
}

func bothLanguages(t Text, at ...any) *strictyaml.Mistake {
	switch {
	case strings.TrimSpace(t.En) == "":
		return strictyaml.MistakeAt(message.Of("%v has no English text (en)", at[0]), at...)
	case strings.TrimSpace(t.Zh) == "":
		return strictyaml.MistakeAt(message.Of("%v has no Chinese text (zh)", at[0]), at...)
	}
	return nil
}

func (e *Exercise) validateSources() *strictyaml.Mistake {
	if e.Scenario == "" && e.Make == nil {
		return strictyaml.MistakeAt(message.Of("scenario is missing: expected the name of the scenario whose recording the exercise asks about"), "scenario")
	}
	for name, source := range e.Also {
		if source.Scenario == "" {
			return strictyaml.MistakeAt(message.Of("a recording needs the name of its scenario"), "also", name)
		}
	}
	return nil
}

func (e *Exercise) validateKind() *strictyaml.Mistake {
	switch e.Kind() {
	case KindFind:
		return e.validateSelection(e.Find).Below("find")
	case KindOrder:
		return e.validateOrder().Below("order")
	case KindClaim:
		bad := e.validateTest(&e.Claim.Holds).Below("holds")
		if bad == nil && e.Claim.Evidence != nil {
			bad = e.validateSelection(e.Claim.Evidence).Below("evidence")
		}
		return bad.Below("claim")
	case KindChoose:
		return e.validateChoices().Below("choose")
	case KindValue:
		return e.validateSelection(&e.Value.Of).Below("value", "of")
	case KindMake:
		return e.validateTest(&e.Make.Expect).Below("make", "expect")
	default:
		if !strings.HasSuffix(e.Change.File, ".go") || !strings.Contains(e.Change.File, "/") {
			return strictyaml.MistakeAt(message.Of("file is %q, expected the import path of a package, a slash and a file", e.Change.File), "change", "file")
		}
		return e.validateTest(&e.Change.Expect).Below("change", "expect")
	}
}

func (e *Exercise) validateOrder() *strictyaml.Mistake {
	if len(e.Order) < 3 {
		return strictyaml.MistakeAt(message.Of("there are too few steps to put in order: expected three or more"))
	}
	seen := map[string]bool{}
	for i := range e.Order {
		s := &e.Order[i]
		if len(s.ID) < 2 || seen[s.ID] || strings.ContainsAny(s.ID, " ,") {
			return strictyaml.MistakeAt(message.Of("id is %q, expected a short word, longer than a letter, that no other step has", s.ID), i, "id")
		}
		seen[s.ID] = true
		if bad := strictyaml.First(bothLanguages(s.Text, "text").Below(i), e.validateSelection(&s.Call).Below(i, "call")); bad != nil {
			return bad
		}
	}
	return nil
}

func (e *Exercise) validateChoices() *strictyaml.Mistake {
	if len(e.Choose) < 2 {
		return strictyaml.MistakeAt(message.Of("there is nothing to choose: expected two statements or more"))
	}
	for i := range e.Choose {
		c := &e.Choose[i]
		if bad := strictyaml.First(bothLanguages(c.Text, "text"), bothLanguages(c.Reply, "reply"), e.validateTest(&c.Holds).Below("holds")); bad != nil {
			return bad.Below(i)
		}
	}
	return nil
}

func (e *Exercise) validateWrong() *strictyaml.Mistake {
	for i := range e.Wrong {
		w := &e.Wrong[i]
		bad := bothLanguages(w.Reply, "reply")
		if bad == nil && len(w.Try) == 0 && (e.Change == nil || len(w.Edits) == 0) {
			bad = strictyaml.MistakeAt(message.Of("try is missing: expected an answer that gets this reply, to prove the reply"), "try")
		}
		if bad == nil && w.When != nil {
			bad = e.validateTest(w.When).Below("when")
		}
		for _, id := range w.Puts {
			if bad == nil && !slices.ContainsFunc(e.Order, func(s Step) bool { return s.ID == id }) {
				bad = strictyaml.MistakeAt(message.Of("there is no step %q", id), "puts")
			}
		}
		if bad != nil {
			return bad.Below("wrong", i)
		}
	}
	return nil
}

func (e *Exercise) validateSolution() *strictyaml.Mistake {
	s := &e.Solution
	switch {
	case e.Make != nil && s.Request == nil:
		return strictyaml.MistakeAt(message.Of("solution has no request: expected the request that passes"), "solution")
	case e.Change != nil && len(s.Edits) == 0:
		return strictyaml.MistakeAt(message.Of("solution has no edits: expected the old text and the new text of each"), "solution")
	case e.Live() && len(s.Fails) == 0:
		return strictyaml.MistakeAt(message.Of("solution has no fails: expected the name of a scenario whose recording does not pass"), "solution")
	case !e.Live() && e.Order == nil && len(s.Answer) == 0:
		return strictyaml.MistakeAt(message.Of("solution has no answer: expected the answers that pass"), "solution")
	}
	return nil
}

// takes are the values of Selection.Take.
var takes = []string{"", "first", "last", "outermost"}

func (e *Exercise) validateSelection(s *Selection) *strictyaml.Mistake {
	for _, name := range []string{s.In, s.AlsoIn, s.NotIn} {
		if _, ok := e.Also[name]; name != "" && !ok {
			return strictyaml.MistakeAt(message.Of("there is no recording %q: list it under also", name))
		}
	}
	if !slices.Contains(takes, s.Take) {
		return strictyaml.MistakeAt(message.Of("take is %q, expected first, last or outermost", s.Take), "take")
	}
	if s.Request != 0 && s.Event != "" {
		return strictyaml.MistakeAt(message.Of("request and event are both set: expected the number of a request, or the path of an event"), "event")
	}
	for _, p := range s.parts() {
		if p.of == nil {
			continue
		}
		if p.of.In != "" || p.of.Request != 0 || p.of.Event != "" {
			return strictyaml.MistakeAt(message.Of("%s selects calls of the same request: in, request and event are allowed only in the outermost selection", p.field), p.field)
		}
		if bad := e.validateSelection(p.of); bad != nil {
			return bad.Below(p.field)
		}
	}
	return nil
}

func (e *Exercise) validateTest(t *Test) *strictyaml.Mistake {
	if len(t.All)+len(t.Any)+len(t.InOrder) == 0 && t.Not == nil && t.Some == nil && t.None == nil && t.Count == nil && t.Request == nil {
		return strictyaml.MistakeAt(message.Of("the test is empty: expected some, none, count, inOrder, request, all, any or not"))
	}
	for _, list := range []struct {
		field string
		tests []Test
	}{{"all", t.All}, {"any", t.Any}} {
		for i := range list.tests {
			if bad := e.validateTest(&list.tests[i]); bad != nil {
				return bad.Below(list.field, i)
			}
		}
	}
	if t.Not != nil {
		if bad := e.validateTest(t.Not); bad != nil {
			return bad.Below("not")
		}
	}
	for i := range t.InOrder {
		if bad := e.validateSelection(&t.InOrder[i]); bad != nil {
			return bad.Below("inOrder", i)
		}
	}
	return e.validateCounts(t)
}

func (e *Exercise) validateCounts(t *Test) *strictyaml.Mistake {
	if t.Count != nil {
		if t.Count.Is == nil && t.Count.AtLeast == nil && t.Count.AtMost == nil {
			return strictyaml.MistakeAt(message.Of("count has no number: expected is, atLeast or atMost"), "count")
		}
		if bad := e.validateSelection(&t.Count.Of); bad != nil {
			return bad.Below("count", "of")
		}
	}
	if t.Some != nil {
		if bad := e.validateSelection(t.Some); bad != nil {
			return bad.Below("some")
		}
	}
	if t.None != nil {
		if bad := e.validateSelection(t.None); bad != nil {
			return bad.Below("none")
		}
	}
	if t.Request != nil {
		if _, ok := e.Also[t.Request.In]; t.Request.In != "" && !ok {
			return strictyaml.MistakeAt(message.Of("there is no recording %q: list it under also", t.Request.In), "request", "in")
		}
	}
	return nil
}
