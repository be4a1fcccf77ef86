package workshop

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

func judgeLive(t *traces) (*Verdict, error) {
	holds, part, err := t.ask(t.exercise.expect())
	if err != nil {
		return nil, err
	}
	if holds {
		return rightVerdict("Right: the trace shows it."), nil
	}
	reply, err := t.reply(func(string) bool { return false }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	found, err := t.found(part)
	return wrongVerdict("Not yet. Expected of the trace: %s.%s", describe(part), found), err
}

// expect returns the test for the trace of a live exercise.
func (e *Exercise) expect() *Test {
	if e.Make != nil {
		return &e.Make.Expect
	}
	return &e.Change.Expect
}

// adds reports whether a change exercise's solution adds the function.
func (e *Exercise) adds(function string) bool {
	declared := regexp.MustCompile(`func (\([^)]*\) )?` + regexp.QuoteMeta(function[strings.LastIndexByte(function, '.')+1:]) + `\(`)
	return e.Change != nil && slices.ContainsFunc(e.Solution.Edits, func(r Replacement) bool { return declared.MatchString(r.New) })
}

// Edited applies edits, such as the solution's, to the text of a change exercise's
// file.
func (e *Exercise) Edited(text string, edits []Replacement) (string, error) {
	for i, edit := range edits {
		if n := strings.Count(text, edit.Old); n != 1 {
			return "", message.Errorf("%s: the old text of edit %d occurs %d times in %s: expected once", e.File, i+1, n, e.Change.File)
		}
		text = strings.Replace(text, edit.Old, edit.New, 1)
	}
	return text, nil
}
