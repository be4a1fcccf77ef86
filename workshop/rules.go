package workshop

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// nearMisses is how many wrong answers of an exercise must have replies.
const nearMisses = 3

// checkReplies returns an error unless the exercise has replies to nearly right answers.
// A claim must also have evidence.
func checkReplies(e *Exercise) error {
	tried := len(e.Choose) // each statement has a reply of its own
	for _, w := range e.Wrong {
		tried += len(w.Try)
	}
	// Wrong changes of a server need not be listed.
	if e.Change == nil && tried < nearMisses {
		return message.Errorf("%s: %d wrong answers have replies: expected %d or more, listed under try of wrong", e.File, tried, nearMisses)
	}
	if e.Claim == nil {
		return nil
	}
	if e.Claim.Evidence == nil {
		return message.Errorf("%s: the claim has no evidence: expected the calls that show whether it is true, so that nobody passes by a guess", e.File)
	}
	right := map[string]bool{}
	for _, answer := range e.Solution.Answer {
		word, _, _ := strings.Cut(answer, " ")
		right[word] = true
	}
	for _, w := range e.Wrong {
		if slices.ContainsFunc(w.Try, func(answer string) bool { word, _, _ := strings.Cut(answer, " "); return right[word] }) {
			return nil
		}
	}
	return message.Errorf("%s: no reply covers the right word with wrong evidence: expected a try under wrong that begins with the first word of %q", e.File, e.Solution.Answer[0])
}

// fewestClaims is the minimum number of claims to judge. Fewer claims are always balanced.
const fewestClaims = 6

// longestRun is the maximum number of equal claims in a row.
const longestRun = 3

// VerifyBalance returns an error unless about half of a course's claims are true for
// the judge's version of Kubernetes, and true and false claims follow no pattern.
// Learners could guess from a pattern.
func (v *Verifier) VerifyBalance(c *Course) error {
	var claims []bool
	for _, e := range c.Exercises() {
		if e.Claim == nil {
			continue
		}
		if available, err := e.Available(v.Judge.K8s); err != nil || !available {
			if err != nil {
				return err
			}
			continue
		}
		holds, _, err := v.Judge.traces(e).ask(&e.Claim.Holds)
		if err != nil {
			return err
		}
		claims = append(claims, holds)
	}
	return balanced(claims)
}

func balanced(claims []bool) error {
	if len(claims) < fewestClaims {
		return nil
	}
	yes, run, alternating := 0, 0, true
	var bad []error
	for i, holds := range claims {
		if holds {
			yes++
		}
		if i == 0 || holds != claims[i-1] {
			run = 0
		} else {
			alternating = false
		}
		if run++; run == longestRun+1 {
			bad = append(bad, message.Errorf("more than %d claims in a row are %s: expected true and false ones mixed", longestRun, strconv.FormatBool(holds)))
		}
	}
	if yes*5 < len(claims)*2 || yes*5 > len(claims)*3 {
		bad = append(bad, message.Errorf("%d of %d claims are true: expected about half, between 40 and 60 percent", yes, len(claims)))
	}
	if alternating {
		bad = append(bad, message.NewError("true and false claims alternate: expected no pattern"))
	}
	return errors.Join(bad...)
}
