package workshop

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var (
	yes = []string{"true", "t", "yes", "y", "对", "是", "真", "正确"}
	no  = []string{"false", "f", "no", "n", "错", "否", "假", "错误", "不对", "不是", "不正确"}
)

// Truth reads the word for true or false in an answer, in either language. ok is false
// for other words.
func Truth(word string) (holds, ok bool) {
	word = strings.ToLower(word)
	holds = slices.Contains(yes, word)
	return holds, holds || slices.Contains(no, word)
}

// judgeClaim compares the answer with the traces: does the claim hold, and does the
// named function show it?
func judgeClaim(t *traces, text string) (*Verdict, error) {
	claim := t.exercise.Claim
	word, evidence := text, ""
	if i := strings.IndexFunc(text, isBetween); i >= 0 {
		word, evidence = text[:i], strings.TrimLeftFunc(text[i:], isBetween)
	}
	said, ok := Truth(word)
	if !ok {
		return nil, badAnswer("expected true or false, found %q", strings.Fields(text)[0])
	}
	evidence = strings.TrimSpace(evidence)
	if claim.Evidence != nil && evidence == "" {
		return nil, badAnswer("also name a function that shows it: %s 'FUNCTION'", word)
	}
	var right *choice
	var unknown *Verdict
	if evidence != "" && claim.Evidence != nil {
		var err error
		if right, err = t.choose(claim.Evidence); err != nil {
			return nil, err
		}
		if unknown, err = t.name(evidence, right.functions()); err != nil {
			return nil, err
		}
	}
	holds, _, err := t.ask(&claim.Holds)
	if err != nil {
		return nil, err
	}
	if holds == said && (right == nil || isOneOf(t.answer, right.functions())) {
		if holds {
			return rightVerdict("Right: the claim is true."), nil
		}
		return rightVerdict("Right: the claim is false."), nil
	}
	reply, err := t.reply(func(says string) bool { return says == strconv.FormatBool(said) }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	if unknown != nil {
		return unknown, nil
	}
	if holds != said {
		return wrongVerdict("The trace says otherwise."), nil
	}
	beside, err := t.relativePosition(claim.Evidence, right)
	if err != nil {
		return nil, err
	}
	if holds {
		return wrongVerdict("The claim is true, but that function does not show it. %s", beside.Reply), nil
	}
	return wrongVerdict("The claim is false, but that function does not show it. %s", beside.Reply), nil
}

// isBetween reports whether r separates words of an answer.
func isBetween(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",.;:>，。；：、→", r)
}

// rightClaim returns the right answers to a claim.
func (t *traces) rightClaim() ([]string, error) {
	holds, _, err := t.ask(&t.exercise.Claim.Holds)
	if err != nil {
		return nil, err
	}
	answer := strconv.FormatBool(holds)
	if t.exercise.Claim.Evidence == nil {
		return []string{answer}, nil
	}
	names, err := t.shortNames(t.exercise.Claim.Evidence)
	for i := range names {
		names[i] = answer + " " + names[i]
	}
	return names, err
}
