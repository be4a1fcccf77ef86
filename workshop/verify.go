package workshop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Verifier proves exercises for each version of Kubernetes. It proves that a listed
// solution passes, that answers without thought do not pass, and that each listed wrong
// answer gets its reply.
type Verifier struct {
	// Judge judges the answers. Verify uses it with each version. VerifyBalance uses the
	// version in Judge.K8s.
	Judge Judge
	// Versions are the recorded versions of Kubernetes, oldest first.
	Versions []string
	// Exists reports whether a version's source has a function with this short or full
	// name. It is called for functions in no recording of the exercise: claims may be
	// about functions that do not run. If Exists is nil, such functions are not checked.
	Exists func(k8s, function string) (bool, error)
}

// A Proof is the result of verifying an exercise for a version.
type Proof struct {
	Exercise *Exercise
	K8s      string
	// Solution are the right answers.
	Solution []string
	// Checks counts the tried answers: solutions, wrong and empty ones.
	Checks int
}

var errHoldsForNone = message.NewError("the exercise is available for none of the versions")

// Verify proves an exercise for all versions that it is available for. The error lists
// all mistakes.
func (v *Verifier) Verify(e *Exercise) ([]Proof, error) {
	var proofs []Proof
	var wrong []error
	if err := checkReplies(e); err != nil {
		wrong = append(wrong, err)
	}
	for _, k8s := range v.Versions {
		if available, err := e.Available(k8s); err != nil {
			return nil, message.Errorf("%s: %w", e.File, err)
		} else if !available {
			continue
		}
		p := &proof{Proof: Proof{Exercise: e, K8s: k8s}, judge: v.Judge, exists: v.Exists}
		p.judge.K8s, p.judge.kept = k8s, map[Source]*cachedRecording{}
		if err := p.run(); err != nil {
			wrong = append(wrong, message.Errorf("%s, Kubernetes %s: %w", e.File, k8s, err))
		}
		proofs = append(proofs, p.Proof)
	}
	if len(proofs) == 0 {
		wrong = append(wrong, message.Errorf("%s: %w %s, or they have no recordings of its scenarios%s", e.File, errHoldsForNone, message.List(v.Versions), v.missing(e)))
	}
	return proofs, errors.Join(wrong...)
}

// missing lists the recordings that the exercise needs and the learner's version lacks,
// each on its own line.
func (v *Verifier) missing(e *Exercise) string {
	text := ""
	for _, s := range e.sources() {
		if _, err := v.Judge.load(s); err != nil {
			text += "\n  " + err.Error()
		}
	}
	return text
}

type proof struct {
	Proof
	judge  Judge
	exists func(k8s, function string) (bool, error)
}

func (p *proof) run() error {
	if err := p.functionsExist(); err != nil {
		return err
	}
	if p.Exercise.Live() {
		return errors.Join(p.recordings(p.Exercise.Solution.Passes, true), p.recordings(p.Exercise.Solution.Fails, false), p.wrongAnswers())
	}
	if err := p.unsolved(); err != nil {
		return err
	}
	return errors.Join(p.solved(), p.wrongAnswers())
}

func (p *proof) try(text string) (*Verdict, error) {
	p.Checks++
	return p.judge.Judge(p.Exercise, Try{Text: text})
}

// unsolved returns an error if an answer without thought passes, such as an empty one.
func (p *proof) unsolved() error {
	answers := []string{""}
	switch e := p.Exercise; e.Kind() {
	case KindOrder:
		answers = append(answers, strings.Join(e.letters(e.Shown()), " "))
	case KindFind:
		answers = append(answers, "no.such.Function")
	case KindValue:
		answers = append(answers, "no such value")
	case KindChoose:
		answers = append(answers, strings.Join(allLetters(e), " "))
	}
	for _, answer := range answers {
		verdict, err := p.try(answer)
		if bad := new(AnswerError); err != nil && !errors.As(err, &bad) {
			return err
		}
		if err == nil && verdict.Passed {
			return message.Errorf("the answer %q passes", answer)
		}
	}
	return nil
}

func allLetters(e *Exercise) []string {
	var letters []string
	for i := range e.Choose {
		letters = append(letters, choiceLetter(i))
	}
	return letters
}

// solved returns an error unless a solution passes and the query has only the listed
// answers.
func (p *proof) solved() error {
	right, err := p.judge.Right(p.Exercise)
	if err != nil {
		return err
	}
	p.Solution = right
	var tried, passed []string
	for _, answer := range p.Exercise.solutions() {
		verdict, err := p.try(answer)
		if err != nil {
			return message.Errorf("the solution %q: %w", answer, err)
		}
		if verdict.Passed {
			passed = append(passed, answer)
		}
		tried = append(tried, fmt.Sprintf("%q (%s)", answer, verdict.Reply.String()))
	}
	if len(passed) == 0 {
		return message.Errorf("no solution passes: tried %s; the recording says %q", message.List(tried), right)
	}
	if p.Exercise.Find != nil && len(right) > len(passed) {
		return message.Errorf("the recording has %d right answers, %q, and the solution names %d of them", len(right), right, len(passed))
	}
	for _, answer := range p.Exercise.opposites(passed) {
		if verdict, err := p.try(answer); err == nil && verdict.Passed {
			return message.Errorf("the answer %q passes as well", answer)
		}
	}
	return nil
}

// solutions lists the exercise's right answers. One must pass.
func (e *Exercise) solutions() []string {
	if len(e.Solution.Answer) > 0 || e.Order == nil {
		return e.Solution.Answer
	}
	var ids []string // listed in the right order
	for _, s := range e.Order {
		ids = append(ids, s.ID)
	}
	return []string{strings.Join(ids, " ")}
}

// opposites lists the opposites of right answers to a claim.
func (e *Exercise) opposites(right []string) []string {
	if e.Claim == nil {
		return nil
	}
	var answers []string
	for _, answer := range right {
		word, rest, _ := strings.Cut(answer, " ")
		opposite := map[string]string{"true": "false", "false": "true"}[word]
		answers = append(answers, strings.TrimSpace(opposite+" "+rest))
	}
	return answers
}

// wrongAnswers returns an error unless each listed wrong answer fails and gets its own
// reply. Some answers of a reply may be functions that only other versions have.
func (p *proof) wrongAnswers() error {
	var bad []error
	for i, w := range p.Exercise.Wrong {
		if !w.Releases.Has(p.K8s) {
			continue
		}
		// A Wrong without Try has Edits. Package learner proves it on a server.
		replied := len(w.Try) == 0
		for _, answer := range w.Try {
			verdict, err := p.tryWrong(answer)
			switch {
			case missing(err):
				replied = true // This version could not run the scenario; other versions prove the reply.
			case err != nil:
				bad = append(bad, message.Errorf("wrong %d, %q: %w", i+1, answer, err))
			case verdict.Passed && slices.Contains(p.Exercise.Solution.Answer, answer): // right in this version, wrong in others
			case verdict.Passed:
				bad = append(bad, message.Errorf("wrong %d, %q: it passes", i+1, answer))
			case verdict.wrong == i:
				replied = true
			case !verdict.unknown:
				bad = append(bad, message.Errorf("wrong %d, %q: it gets another reply: %s", i+1, answer, verdict.Reply.String()))
			}
		}
		if !replied && len(bad) == 0 {
			bad = append(bad, message.Errorf("wrong %d: this version has none of the functions %q", i+1, w.Try))
		}
	}
	return errors.Join(bad...)
}

// missing reports whether only other versions have a recording of the scenario. If no
// version has one, missing returns false, because that is a mistake.
func missing(err error) bool {
	var unknown *recordings.UnknownScenarioError
	return errors.As(err, &unknown) && len(unknown.RecordedBy) > 0
}

func (p *proof) tryWrong(answer string) (*Verdict, error) {
	if p.Exercise.Live() {
		return p.tryRecording(answer)
	}
	return p.try(answer)
}

func (p *proof) tryRecording(scenario string) (*Verdict, error) {
	p.Checks++
	rec, err := p.judge.Recordings(p.K8s, scenario)
	if err != nil {
		return nil, err
	}
	return p.judge.Judge(p.Exercise, Try{Recording: rec})
}

// recordings returns an error unless the recordings of all scenarios pass, or all fail if
// pass is false. It skips scenarios that only other versions have recorded.
func (p *proof) recordings(names []string, pass bool) error {
	for _, name := range names {
		verdict, err := p.tryRecording(name)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if verdict.Passed != pass {
			return message.Errorf("the recording of %s: passed is %v, expected %v (%s)", name, verdict.Passed, pass, verdict.Reply.String())
		}
	}
	return nil
}

// functionsExist returns an error unless each function in the queries exists.
func (p *proof) functionsExist() error {
	t := p.judge.traces(p.Exercise)
	var known []string
	if p.Exercise.Scenario != "" {
		var err error
		if known, err = t.functions(); err != nil {
			return err
		}
	}
	for _, name := range p.Exercise.functions() {
		if slices.ContainsFunc(known, func(f string) bool { return namedBy(f, name) }) {
			continue
		}
		if p.exists == nil || !funcname.Pattern(name).Exact() || p.Exercise.adds(name) {
			continue
		}
		if exists, err := p.exists(p.K8s, name); err != nil {
			return err
		} else if !exists {
			return message.Errorf("this release has no function %q: if another release has it, list both names", name)
		}
	}
	return nil
}
