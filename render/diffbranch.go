package render

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// branchOf says in which branch of the caller's text the call stands that ran on one side alone.
func (s *summary) branchOf(o *only) string {
	b := o.why.Branch
	if s.words.scenarios {
		return ""
	}
	w := &s.words
	_, lacks := s.names(o.kind)
	text := ""
	if b.Kind != recordings.NoBranch {
		text = s.branchText(b.Branch, fmt.Sprintf(" (%s:%d)", shortFile(b.File), b.At)) + s.thresholdText(b.Threshold)
	}
	if b.Differs {
		if other := s.branchText(b.Other, ""); other != "" {
			text += w.Sprintf("; in %s%s", lacks, other)
		} else {
			text += w.Sprintf("; in %s in no branch", lacks)
		}
	}
	if b.Asked {
		text += w.Sprintf("; not asked in %s", lacks)
	}
	return text
}

// branchText says under which condition of the source a branch is reached, and place is where it begins.
func (s *summary) branchText(b recordings.Branch, place string) string {
	w := &s.words
	condition, isIf := strings.CutPrefix(b.Text, "if ")
	left, isAnd := strings.CutSuffix(b.Text, " &&")
	right, isOr := strings.CutSuffix(b.Text, " ||")
	asserted := assertion.FindStringSubmatch(condition)
	isType := asserted != nil && asserted[1] == asserted[4]
	switch {
	case b.Kind == recordings.BranchPast:
		return w.Sprintf(", where `%s` does not hold%s, else it leaves before", condition, place)
	case b.Kind == recordings.BranchLoop:
		return w.Sprintf(", in the loop over `%s`%s", strings.TrimPrefix(b.Text, "range "), place)
	case b.Kind == recordings.BranchElse && isType:
		return w.Sprintf(", where `%s` is not of type `%s`%s", asserted[2], asserted[3], place)
	case b.Kind == recordings.BranchElse:
		return w.Sprintf(", where `%s` does not hold%s", condition, place)
	case b.Kind != recordings.BranchIn:
		return ""
	case isIf && isType:
		return w.Sprintf(", where `%s` is of type `%s`%s", asserted[2], asserted[3], place)
	case isIf:
		return w.Sprintf(", where `%s` holds%s", condition, place)
	case isAnd:
		return w.Sprintf(", where `%s` holds%s", left, place)
	case isOr:
		return w.Sprintf(", where `%s` does not hold%s", right, place)
	}
	return w.Sprintf(", in the branch `%s`%s", b.Text, place) // a case, or a loop with a condition
}

// assertion matches the condition that a value has a type: v, ok := x.(T); ok.
var assertion = regexp.MustCompile(`^\w+, (\w+) := (.+)\.\(([^()]+)\); (\w+)$`)

func (s *summary) thresholdText(t recordings.Threshold) string {
	switch w := &s.words; t {
	case recordings.ThresholdTime:
		return w.Sprintf(", a limit of time")
	case recordings.ThresholdSize:
		return w.Sprintf(", a limit of size")
	case recordings.ThresholdVerbosity:
		return w.Sprintf(", by the verbosity of the log")
	}
	return ""
}

// shortFile is a file with the last element of its package's path.
func shortFile(file string) string {
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}

// apart returns two names as short as they can be without being the same: with as many elements of their packages' paths as that takes.
func apart(a, b string) (string, string) {
	return lengthen(a, b, funcname.Short(a), funcname.Short(b))
}

// filesApart returns two files as short as they can be without being the same.
func filesApart(a, b string) (string, string) {
	return lengthen(a, b, path.Base(a), path.Base(b))
}

// inWordsApart returns the two values of a change in words, shortened by valuesApart.
func inWordsApart(v diff.ValueChange) (string, string) {
	return valuesApart(view.InWords(v.Name, v.A), view.InWords(v.Name, v.B))
}

// valuesApart shortens two values as far as they stay different: types of two packages may have the same short name.
func valuesApart(a, b string) (string, string) {
	shortA, shortB := shorten(a), shorten(b)
	if shortA != shortB || a == b {
		return shortA, shortB
	}
	if !strings.HasSuffix(a, strings.TrimPrefix(shortA, "*")) { // more than a path was left out
		return a, b
	}
	short, isPointer := strings.CutPrefix(shortA, "*")
	if !isPointer {
		return lengthen(a, b, shortA, shortB)
	}
	was, is := lengthen(strings.TrimPrefix(a, "*"), strings.TrimPrefix(b, "*"), short, short)
	return "*" + was, "*" + is
}

// lengthen adds elements of the paths of two names to their short forms until these differ.
func lengthen(a, b, shortA, shortB string) (string, string) {
	for shortA == shortB && a != b {
		shortA, shortB = longer(a, shortA), longer(b, shortB)
	}
	return shortA, shortB
}

// longer adds an element of the path to the end of a name.
func longer(full, end string) string {
	before := strings.TrimSuffix(strings.TrimSuffix(full, end), "/")
	return full[strings.LastIndexByte(before, '/')+1:]
}
