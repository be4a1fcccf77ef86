package learner

import (
	"context"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Start starts the exercise with a name or number. "" is the current exercise, or the
// first one.
func (l *Learner) Start(ctx context.Context, name string) error {
	if name == "" && l.progress.Current == "" {
		return l.Next(ctx, false)
	}
	e, err := l.named(name)
	if err != nil {
		return err
	}
	return l.start(ctx, e)
}

// Next starts the next available exercise that is not passed, perhaps the current one.
// With skip, Next starts the current exercise only if there is no other.
func (l *Learner) Next(ctx context.Context, skip bool) error {
	if err := l.mustHaveExercises(); err != nil {
		return err
	}
	e, err := l.following(skip)
	if err != nil {
		return err
	}
	if e == nil {
		l.sayAllPassed()
		return nil
	}
	again := e.Name == l.progress.Current
	l.sayEnd()
	if err := l.start(ctx, e); err != nil {
		return err
	}
	if again && !e.Live() {
		l.sayf("  (not passed yet; to leave it for later: apitrace workshop next --skip)")
	}
	return nil
}

// sayAllPassed says that no exercise is left for the learner's version.
func (l *Learner) sayAllPassed() {
	if passed, all := l.passed(); passed < all {
		l.sayf("You have passed all exercises that can be done with Kubernetes %s, %d of %d: choose another release with --k8s to go on.", l.k8s, passed, all)
		return
	}
	l.sayf("Congratulations: you have passed all exercises of the course. A page with what you have learned, to keep: apitrace workshop summary")
	fmt.Fprintln(l.out)
	l.sayf("To go on without questions:\n  walk through any recording:    apitrace explore get-node\n  trace a request of your own:   apitrace request GET /api/v1/nodes\n  undo your edits of the server: apitrace edit --revert --all (apitrace edit --list shows them)")
}

// sayEnd tells a learner who has passed the last exercise of the course that earlier
// exercises are left.
func (l *Learner) sayEnd() {
	all := l.course.Exercises()
	if last := all[len(all)-1]; last.Name != l.progress.Current || !l.progress.Of(last).Passed {
		return
	}
	passed, of := l.passed()
	l.aside(l.p.Plural(of-passed, "That was the last exercise of the last chapter. You have passed %[2]d of %[3]d; %[1]d is left. A page with what you have learned: apitrace workshop summary", "That was the last exercise of the last chapter. You have passed %[2]d of %[3]d; %[1]d are left. A page with what you have learned: apitrace workshop summary", of-passed, passed, of))
	l.sayf("The next of them:")
	fmt.Fprintln(l.out)
}

// passed counts the passed exercises of the course, and all exercises.
func (l *Learner) passed() (passed, all int) {
	for _, e := range l.course.Exercises() {
		all++
		if l.progress.Of(e).Passed {
			passed++
		}
	}
	return passed, all
}

// following returns the next exercise that is available and not passed, or nil. With
// skip, it returns the current exercise only if there is no other.
func (l *Learner) following(skip bool) (*workshop.Exercise, error) {
	var first error
	e := l.progress.Next(l.course, func(e *workshop.Exercise) bool {
		available, err := e.Available(l.k8s)
		if first == nil {
			first = err
		}
		return available && !(skip && e.Name == l.progress.Current)
	})
	if e == nil && skip {
		return l.following(false)
	}
	return e, first
}

func (l *Learner) start(ctx context.Context, e *workshop.Exercise) error {
	if err := l.mustBeAvailable(e); err != nil {
		return err
	}
	if err := l.record(ctx, e, workshop.Started, ""); err != nil {
		return err
	}
	l.show(ctx, e)
	if l.progress.Of(e).Passed {
		l.sayf("  (passed already; to start again: apitrace workshop reset)")
	}
	return l.writeAnswerFile(e)
}

// mustHaveExercises returns an error if no exercise of the course can be done with the
// learner's version.
func (l *Learner) mustHaveExercises() error {
	if has, err := available(l.k8s, l.course.Exercises()); has || err != nil {
		return err
	}
	others, err := l.releasesWith(l.course.Exercises()...)
	if err != nil {
		return err
	}
	return message.UsageErrorf("the course has no exercises about Kubernetes %s: choose one of %s with --k8s", l.k8s, message.List(others))
}

// releasesWith lists the recorded releases for which at least one of the exercises is
// available, oldest first.
func (l *Learner) releasesWith(exercises ...*workshop.Exercise) ([]string, error) {
	recorded, err := recordings.Names()
	if err != nil {
		return nil, err
	}
	releases := []string{}
	for _, release := range recorded {
		has, err := available(release, exercises)
		if err != nil {
			return nil, err
		}
		if has {
			releases = append(releases, release)
		}
	}
	return releases, nil
}

// available reports whether one of the exercises can be done with a release.
func available(k8s string, exercises []*workshop.Exercise) (bool, error) {
	for _, e := range exercises {
		if has, err := e.Available(k8s); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// mustBeAvailable returns an error if the learner's version lacks an exercise.
func (l *Learner) mustBeAvailable(e *workshop.Exercise) error {
	if !e.Releases.Has(l.k8s) {
		return message.UsageErrorf("%s is about Kubernetes %s: choose one with --k8s", e.Name, e.Releases.Text().In(l.lang))
	}
	if available, err := e.Available(l.k8s); err != nil {
		return err
	} else if !available {
		return message.UsageErrorf("Kubernetes %s has no recordings of the scenarios of %s: choose another release with --k8s (\"apitrace versions\" lists them)", l.k8s, e.Name)
	}
	return nil
}

// show prints a question and how to answer it.
func (l *Learner) show(ctx context.Context, e *workshop.Exercise) {
	chapter := l.course.Chapter(e)
	fmt.Fprintf(l.out, "%s  %s\n", l.course.Number(e), e.Title.In(l.lang))
	l.sayf("%s · %s · %d min · Kubernetes %s", chapter.Title.In(l.lang), l.kindName(e.Kind()), e.Minutes, l.k8s)
	if e.Scenario != "" {
		l.sayf("scenario: %s", e.Scenario)
	}
	fmt.Fprintln(l.out)
	l.markdown(e.Question)
	for at, step := range e.Shown() {
		if at == 0 {
			fmt.Fprintln(l.out)
		}
		l.item(string(rune('A'+at)), e.Order[step].Text)
	}
	for i := range e.Choose {
		if i == 0 {
			fmt.Fprintln(l.out)
		}
		l.item(string(rune('A'+i)), e.Choose[i].Text)
	}
	fmt.Fprintln(l.out)
	how, remark, _ := strings.Cut(l.howToAnswer(e), beforeRemark)
	if remark != "" && lipgloss.Width(l.chosen.in(how)+beforeRemark+remark) > l.width()-2 {
		l.aside(how)
		l.aside(remark)
	} else {
		l.aside(l.howToAnswer(e))
	}
	l.sayf("  (for help: apitrace workshop hint)")
	if e.Live() {
		l.sayServer(ctx, e)
	}
}

// beforeRemark separates a command from a remark about it.
const beforeRemark = "    "

// aside prints lines below a question. It breaks long lines at their blanks.
func (l *Learner) aside(lines string) {
	for line := range strings.SplitSeq(l.chosen.in(lines), "\n") {
		broken := []string{line}
		if lipgloss.Width(line) > l.width()-2 {
			broken = text.Wrap(line, l.width()-2)
		}
		for _, part := range broken {
			fmt.Fprintf(l.out, "  %s\n", part)
		}
	}
}

// howToAnswer returns the command that answers a question. A remark about its arguments
// may follow, after beforeRemark. For a change of the server, an "apitrace edit" may
// precede it.
func (l *Learner) howToAnswer(e *workshop.Exercise) string {
	const check = "apitrace workshop check "
	switch e.Kind() {
	case workshop.KindFind:
		return check + l.p.Sprintf("'FUNCTION'")
	case workshop.KindOrder:
		var letters []string
		for i := range e.Order {
			letters = append(letters, string(rune('A'+i)))
		}
		return check + strings.Join(letters, " ") + l.p.Sprintf("    (in the right order)")
	case workshop.KindClaim:
		if e.Claim.Evidence != nil {
			return check + l.p.Sprintf("true|false 'FUNCTION'")
		}
		return check + "true|false"
	case workshop.KindChoose:
		return check + l.p.Sprintf("A ...    (all that are true)")
	case workshop.KindValue:
		return check + l.p.Sprintf("'VALUE'")
	case workshop.KindMake:
		return check + l.p.Sprintf("METHOD 'PATH' [--file BODY.yaml]    (or a file: a saved recording or a scenario)")
	}
	if edit := "apitrace edit " + e.Change.File; !strings.Contains(e.Question.In(l.lang), edit) {
		return edit + "\n" + strings.TrimSpace(check)
	}
	return strings.TrimSpace(check) // the question contains the edit command
}
