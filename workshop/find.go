package workshop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// judgeFind compares the function in the answer with the right ones in the recording.
func judgeFind(t *traces, text string) (*Verdict, error) {
	right, err := t.choose(t.exercise.Find)
	if err != nil {
		return nil, err
	}
	names := right.functions()
	if len(names) == 0 {
		return nil, message.Errorf("%s: nothing in the recording answers the question: \"apitrace workshop verify\" says more", t.exercise.File)
	}
	unknown, err := t.name(text, names)
	if err != nil {
		return nil, err
	}
	if isOneOf(t.answer, names) {
		return rightVerdict("Right: %s", t.where(right)), nil
	}
	reply, err := t.reply(func(string) bool { return false }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	if unknown != nil {
		return unknown, nil
	}
	return t.relativePosition(t.exercise.Find, right)
}

// name finds the functions that the typed text stands for, and keeps them for $answer.
// If no recorded function has the name, the verdict is a wrong answer. If only some of
// several are right, the error asks for a longer name. A text that cannot be an answer,
// such as a type's name or a place in a file, is an error too. If both results are nil,
// the text stands for recorded functions.
func (t *traces) name(text string, right []string) (*Verdict, error) {
	known, err := t.functions()
	if err != nil {
		return nil, err
	}
	text = cleanName(text)
	t.typed, t.answer = text, functionsCalled(text, known)
	if len(t.answer) == 0 {
		if place.MatchString(text) {
			return nil, badAnswer("%q is a place in a file: name the function that the tree shows before it", text)
		}
		if isType(text, known) {
			return nil, badAnswer("%q is a type: name one of its methods, as the tree shows it", text)
		}
		if literals := shorten(literalsIn(text, known)); len(literals) > 0 {
			list := strings.Join(literals, "\n  ")
			return nil, badAnswer("%q itself is not called in this recording, but a function literal in it is. Name the literal:\n  %s", text, list)
		}
		return notOnPath(text, known, right), nil
	}
	if len(t.answer) > 1 && slices.ContainsFunc(t.answer, func(f string) bool { return slices.Contains(right, f) }) && !isOneOf(t.answer, right) {
		list := strings.Join(shorten(t.answer), "\n  ")
		return nil, badAnswer("%q matches %d functions; name one of them:\n  %s", text, len(t.answer), list)
	}
	return nil, nil
}

// isOneOf reports whether all functions that an answer stands for are right.
func isOneOf(answer, right []string) bool {
	for _, f := range answer {
		if !slices.Contains(right, f) {
			return false
		}
	}
	return len(answer) > 0
}

func notOnPath(text string, known, right []string) *Verdict {
	v := wrongVerdict("%q is not on this path at all. Write the name as the tree shows it, such as \"runtime.(*Scheme).New\".", text)
	if near := nearest(text, known, right); len(near) > 0 {
		list := "- `" + strings.Join(near, "`\n- `") + "`"
		v = wrongVerdict("%q is not on this path at all. The most similar names on this path:\n\n%s", text, list)
	}
	v.unknown = true
	return v
}

// relativePosition says where the named function is relative to the right one, without
// naming the right one. right has the calls that s chooses.
func (t *traces) relativePosition(s *Selection, right *choice) (*Verdict, error) {
	named, err := t.chooseOf(right.tree, &Selection{Function: Names{answer}})
	if err != nil {
		return nil, err
	}
	name := shorten(t.answer[:1])[0]
	if named.first() < 0 {
		return wrongVerdict("%s runs, but not in the request that the question is about.", name), nil
	}
	if s.Process != "" && right.tree.Call(named.first()).Process != s.Process {
		return wrongVerdict("%s runs in %s, but the question is about another program.", name, right.tree.Call(named.first()).Process), nil
	}
	switch {
	case named.around(right):
		return wrongVerdict("%s runs, but the call to find is below it: go further down.", name), nil
	case right.around(named):
		return wrongVerdict("%s runs, but only below the call to find: go further up.", name), nil
	case named.last() < right.first():
		return wrongVerdict("%s runs, but it returns before the call to find begins: look further on.", name), nil
	case named.first() > right.first():
		return wrongVerdict("%s runs, but only after the call to find: look further back.", name), nil
	}
	return wrongVerdict("%s runs, but the call to find is neither above it nor below it.", name), nil
}

// where returns the first chosen call's name and place.
func (t *traces) where(c *choice) string {
	call := c.tree.Call(c.first())
	return fmt.Sprintf("%s (%s:%d)", call.ShortName(), call.File, call.Line)
}

// shortNames lists a selection's functions by the short names that trees show.
func (t *traces) shortNames(s *Selection) ([]string, error) {
	c, err := t.choose(s)
	if err != nil {
		return nil, err
	}
	return shorten(c.functions()), nil
}

func shorten(names []string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = funcname.Short(name)
	}
	return short
}
