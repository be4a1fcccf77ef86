package workshop

import (
	"fmt"
	"slices"
	"strings"
)

// A mistake is something that is wrong with an exercise, and where: field names and list
// indexes from the top of the file.
type mistake struct {
	at   []any
	text string
}

func mistakeAt(text string, at ...any) *mistake { return &mistake{at: at, text: text} }

// below puts where a mistake's owner is before where it is in its owner.
func (m *mistake) below(at ...any) *mistake {
	if m != nil {
		m.at = append(at, m.at...)
	}
	return m
}

// firstOf returns the first mistake there is.
func firstOf(all ...*mistake) *mistake {
	for _, m := range all {
		if m != nil {
			return m
		}
	}
	return nil
}

// validate returns the first mistake, nil if there is none.
func (e *Exercise) validate() *mistake {
	if kinds := e.kinds(); len(kinds) == 0 {
		return mistakeAt("what is asked for is missing: expected one of find, order, claim, choose, value, make and change")
	} else if len(kinds) > 1 {
		return mistakeAt(fmt.Sprintf("an exercise asks for one thing, this one for %d: %q", len(kinds), kinds), string(kinds[1]))
	}
	return firstOf(e.validateTexts(), e.validateSources(), e.validateKind(), e.validateWrong(), e.validateSolution())
}

func (e *Exercise) validateTexts() *mistake {
	for _, t := range []struct {
		field string
		text  Text
	}{{"title", e.Title}, {"teaches", e.Teaches}, {"question", e.Question}, {"debrief", e.Debrief}} {
		if bad := bothLanguages(t.text, t.field); bad != nil {
			return bad
		}
	}
	if e.Minutes < 1 || e.Minutes > 60 {
		return mistakeAt(fmt.Sprintf("minutes is %d, expected how long a person takes, 1 to 60", e.Minutes), "minutes")
	}
	if len(e.Hints) != 3 {
		return mistakeAt(fmt.Sprintf("there are %d hints, expected three: where to look, what to look for, and nearly the answer", len(e.Hints)), "hints")
	}
	for i, hint := range e.Hints {
		if bad := bothLanguages(hint, "hints", i); bad != nil {
			return bad
		}
	}
	return nil
}

func bothLanguages(t Text, at ...any) *mistake {
	switch {
	case strings.TrimSpace(t.En) == "":
		return mistakeAt(fmt.Sprintf("%v has no English text (en)", at[0]), at...)
	case strings.TrimSpace(t.Zh) == "":
		return mistakeAt(fmt.Sprintf("%v has no Chinese text (zh)", at[0]), at...)
	}
	return nil
}

func (e *Exercise) validateSources() *mistake {
	if e.Scenario == "" && e.Make == nil {
		return mistakeAt("scenario is missing: the name of the scenario whose recording is asked", "scenario")
	}
	for name, source := range e.Also {
		if source.Scenario == "" {
			return mistakeAt("a recording needs the name of its scenario", "also", name)
		}
	}
	return nil
}

func (e *Exercise) validateKind() *mistake {
	switch e.Kind() {
	case KindFind:
		return e.validateSelection(e.Find).below("find")
	case KindOrder:
		return e.validateOrder().below("order")
	case KindClaim:
		bad := e.validateTest(&e.Claim.Holds).below("holds")
		if bad == nil && e.Claim.Evidence != nil {
			bad = e.validateSelection(e.Claim.Evidence).below("evidence")
		}
		return bad.below("claim")
	case KindChoose:
		return e.validateChoices().below("choose")
	case KindValue:
		return e.validateSelection(&e.Value.Of).below("value", "of")
	case KindMake:
		return e.validateTest(&e.Make.Expect).below("make", "expect")
	default:
		if !strings.HasSuffix(e.Change.File, ".go") || !strings.Contains(e.Change.File, "/") {
			return mistakeAt(fmt.Sprintf("file is %q, expected the import path of a package, a slash and a file", e.Change.File), "change", "file")
		}
		return e.validateTest(&e.Change.Expect).below("change", "expect")
	}
}

func (e *Exercise) validateOrder() *mistake {
	if len(e.Order) < 3 {
		return mistakeAt("there is not much to put in order: expected three steps or more")
	}
	seen := map[string]bool{}
	for i := range e.Order {
		s := &e.Order[i]
		if len(s.ID) < 2 || seen[s.ID] || strings.ContainsAny(s.ID, " ,") {
			return mistakeAt(fmt.Sprintf("id is %q, expected a short word, longer than a letter, that no other step has", s.ID), i, "id")
		}
		seen[s.ID] = true
		if bad := firstOf(bothLanguages(s.Text, "text").below(i), e.validateSelection(&s.Call).below(i, "call")); bad != nil {
			return bad
		}
	}
	return nil
}

func (e *Exercise) validateChoices() *mistake {
	if len(e.Choose) < 2 {
		return mistakeAt("there is nothing to choose: expected two statements or more")
	}
	for i := range e.Choose {
		c := &e.Choose[i]
		if bad := firstOf(bothLanguages(c.Text, "text"), bothLanguages(c.Reply, "reply"), e.validateTest(&c.Holds).below("holds")); bad != nil {
			return bad.below(i)
		}
	}
	return nil
}

func (e *Exercise) validateWrong() *mistake {
	for i := range e.Wrong {
		w := &e.Wrong[i]
		bad := bothLanguages(w.Reply, "reply")
		if bad == nil && len(w.Try) == 0 {
			bad = mistakeAt("try is missing: an answer that gets this reply, to prove that it does", "try")
		}
		if bad == nil && w.When != nil {
			bad = e.validateTest(w.When).below("when")
		}
		for _, id := range w.Puts {
			if bad == nil && !slices.ContainsFunc(e.Order, func(s Step) bool { return s.ID == id }) {
				bad = mistakeAt(fmt.Sprintf("there is no step %q", id), "puts")
			}
		}
		if bad != nil {
			return bad.below("wrong", i)
		}
	}
	return nil
}

func (e *Exercise) validateSolution() *mistake {
	s := &e.Solution
	switch {
	case e.Make != nil && s.Request == nil:
		return mistakeAt("solution has no request: the one that passes", "solution")
	case e.Change != nil && len(s.Edits) == 0:
		return mistakeAt("solution has no edits: old text and new", "solution")
	case e.Live() && len(s.Fails) == 0:
		return mistakeAt("solution has no fails: the name of a scenario whose recording does not pass", "solution")
	case !e.Live() && e.Order == nil && len(s.Answer) == 0:
		return mistakeAt("solution has no answer", "solution")
	}
	return nil
}

// takes are the values of Selection.Take.
var takes = []string{"", "first", "last", "outermost"}

func (e *Exercise) validateSelection(s *Selection) *mistake {
	for _, name := range []string{s.In, s.AlsoIn, s.NotIn} {
		if _, ok := e.Also[name]; name != "" && !ok {
			return mistakeAt(fmt.Sprintf("there is no recording %q: list it under also", name))
		}
	}
	if !slices.Contains(takes, s.Take) {
		return mistakeAt(fmt.Sprintf("take is %q, expected first, last or outermost", s.Take), "take")
	}
	for _, p := range s.parts() {
		if p.of == nil {
			continue
		}
		if p.of.In != "" || p.of.Request != 0 {
			return mistakeAt(fmt.Sprintf("%s is about calls of the same request: in and request stand at the outermost selection alone", p.field), p.field)
		}
		if bad := e.validateSelection(p.of); bad != nil {
			return bad.below(p.field)
		}
	}
	return nil
}

func (e *Exercise) validateTest(t *Test) *mistake {
	if len(t.All)+len(t.Any)+len(t.InOrder) == 0 && t.Not == nil && t.Some == nil && t.None == nil && t.Count == nil && t.Request == nil {
		return mistakeAt("the test is empty: expected some, none, count, inOrder, request, all, any or not")
	}
	for _, list := range []struct {
		field string
		tests []Test
	}{{"all", t.All}, {"any", t.Any}} {
		for i := range list.tests {
			if bad := e.validateTest(&list.tests[i]); bad != nil {
				return bad.below(list.field, i)
			}
		}
	}
	if t.Not != nil {
		if bad := e.validateTest(t.Not); bad != nil {
			return bad.below("not")
		}
	}
	for i := range t.InOrder {
		if bad := e.validateSelection(&t.InOrder[i]); bad != nil {
			return bad.below("inOrder", i)
		}
	}
	return e.validateCounts(t)
}

func (e *Exercise) validateCounts(t *Test) *mistake {
	if t.Count != nil {
		if t.Count.Is == nil && t.Count.AtLeast == nil && t.Count.AtMost == nil {
			return mistakeAt("count says of what, but not how many: expected is, atLeast or atMost", "count")
		}
		if bad := e.validateSelection(&t.Count.Of); bad != nil {
			return bad.below("count", "of")
		}
	}
	if t.Some != nil {
		if bad := e.validateSelection(t.Some); bad != nil {
			return bad.below("some")
		}
	}
	if t.None != nil {
		if bad := e.validateSelection(t.None); bad != nil {
			return bad.below("none")
		}
	}
	if t.Request != nil {
		if _, ok := e.Also[t.Request.In]; t.Request.In != "" && !ok {
			return mistakeAt(fmt.Sprintf("there is no recording %q: list it under also", t.Request.In), "request", "in")
		}
	}
	return nil
}
