package workshop

import (
	"cmp"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Judge decides whether answers are right.
type Judge struct {
	// Recordings returns a scenario's recording from a version of Kubernetes.
	Recordings func(k8s, scenario string) (*trace.Recording, error)
	// Layer returns a function's layer in the guide, or "".
	Layer func(function string) string
	// K8s is the learner's version of Kubernetes: "v1.37.1".
	K8s string
	// kept caches recordings between several answers to one exercise, if not nil.
	kept map[Source]*cachedRecording
}

// A Try is a learner's answer.
type Try struct {
	// Text is the answer as typed. In a live exercise, only Recording counts.
	Text string
	// Recording is judged in a live exercise: the trace of the learner's request, or of a
	// scenario on the server that the learner changed.
	Recording *trace.Recording
}

// A Verdict is the judgement of an answer.
type Verdict struct {
	Passed bool
	// Reply says why the answer is wrong, or what was found.
	Reply message.Message
	// wrong is the reply's index in Exercise.Wrong, or -1 for a reply of the judge's own.
	wrong int
	// unknown is set if no recording has the function in the answer.
	unknown bool
}

// An AnswerError reports that a text cannot be an answer, not even a wrong one.
type AnswerError struct{ Reason message.Message }

func (e *AnswerError) Error() string { return e.Reason.String() }

func badAnswer(format string, args ...any) error {
	return &AnswerError{message.Of(format, args...)}
}

// errNeedsServer reports that an exercise is live, so the embedded recordings cannot judge it.
var errNeedsServer = message.NewError("this exercise is judged by the behaviour of a server, but no server is available")

// Judge judges an answer.
func (j *Judge) Judge(e *Exercise, try Try) (*Verdict, error) {
	t := j.traces(e)
	if e.Live() {
		if try.Recording == nil {
			return nil, errNeedsServer
		}
		t.main = try.Recording
		return judgeLive(t)
	}
	text := strings.TrimSpace(try.Text)
	if text == "" {
		return nil, badAnswer("there is no answer yet")
	}
	switch e.Kind() {
	case KindFind:
		return judgeFind(t, text)
	case KindOrder:
		return judgeOrder(t, text)
	case KindClaim:
		return judgeClaim(t, text)
	case KindChoose:
		return judgeChoice(t, text)
	default:
		return judgeValue(t, text)
	}
}

func (j *Judge) traces(e *Exercise) *traces {
	return &traces{
		exercise: e, k8s: j.K8s, layer: j.Layer, known: map[string]*cachedRecording{}, load: j.load,
	}
}

// load reads a recording, or returns it from j.kept.
func (j *Judge) load(s Source) (*cachedRecording, error) {
	s.K8s = cmp.Or(s.K8s, j.K8s)
	if a := j.kept[s]; a != nil {
		return a, nil
	}
	rec, err := j.Recordings(s.K8s, s.Scenario)
	if err != nil {
		return nil, err
	}
	a := newCachedRecording(rec)
	if j.kept != nil {
		j.kept[s] = a
	}
	return a, nil
}

// Right returns the right answers as a learner would type them, with the shortest
// sufficient names.
func (j *Judge) Right(e *Exercise) ([]string, error) {
	t := j.traces(e)
	switch e.Kind() {
	case KindFind:
		return t.shortNames(e.Find)
	case KindOrder:
		right, err := t.rightOrder()
		if err != nil {
			return nil, err
		}
		return []string{strings.Join(e.letters(right), " ")}, nil
	case KindClaim:
		return t.rightClaim()
	case KindChoose:
		right, _, err := t.rightChoices()
		return []string{strings.Join(right, " ")}, err
	case KindValue:
		value, err := t.value()
		return []string{value}, err
	}
	return nil, errNeedsServer
}

// reply returns the first reply of Exercise.Wrong that fits the answer, or nil. said reports
// whether the answer has a text (Wrong.Says). puts reports whether the answer has steps in
// an order (Wrong.Puts). If the recordings lack the function in the answer, only a reply
// that names the function fits.
func (t *traces) reply(said func(string) bool, puts func(ids []string) bool) (*Verdict, error) {
	for i := range t.exercise.Wrong {
		w := &t.exercise.Wrong[i]
		if !w.Releases.Has(t.k8s) || w.Says != "" && !said(w.Says) || len(w.Puts) > 0 && !puts(w.Puts) {
			continue
		}
		if len(w.Names) > 0 && !isNamed(t.typed, w.Names) || len(w.Names) == 0 && t.typed != "" && len(t.answer) == 0 {
			continue
		}
		if w.When != nil {
			holds, _, err := t.ask(w.When)
			if err != nil {
				return nil, err
			}
			if !holds {
				continue
			}
		}
		return &Verdict{Reply: message.Of("%s", w.Reply), wrong: i}, nil
	}
	return nil, nil
}

func wrongVerdict(format string, args ...any) *Verdict {
	return &Verdict{wrong: -1, Reply: message.Of(format, args...)}
}

func rightVerdict(format string, args ...any) *Verdict {
	v := wrongVerdict(format, args...)
	v.Passed = true
	return v
}
