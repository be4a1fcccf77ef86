package learner

import (
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/workshop"
)

// List prints the chapters, their exercises, and the learner's progress.
func (l *Learner) List(details bool) error {
	if err := l.mustHaveExercises(); err != nil {
		return err
	}
	var passed, minutes int
	all := l.course.Exercises()
	for i, chapter := range l.course.Chapters {
		if i > 0 {
			fmt.Fprintln(l.out)
		}
		done, left := l.listChapter(&chapter, details)
		passed, minutes = passed+done, minutes+left
	}
	fmt.Fprintln(l.out)
	l.sayf("%d of %d passed, about %d minutes to go. ✓ passed, * solution seen, → current exercise.", passed, len(all), minutes)
	if passed < len(all) {
		l.sayf("Go on with \"apitrace workshop next\".")
	}
	return nil
}

// listChapter prints a chapter. It returns how many of its exercises are passed, and
// the minutes that the others take.
func (l *Learner) listChapter(chapter *workshop.Chapter, details bool) (passed, minutes int) {
	for _, e := range chapter.Exercises {
		if l.progress.Of(e).Passed {
			passed++
		} else {
			minutes += e.Minutes
		}
	}
	facts := fmt.Sprintf("%d/%d", passed, len(chapter.Exercises))
	if minutes > 0 {
		facts = l.p.Clauses(facts, l.minutes(minutes))
	}
	fmt.Fprintf(l.out, "%s  %s\n", chapter.Number(), l.p.Sprintf("%s (%s)", chapter.Title, facts))
	if details {
		l.detail(chapter.Teaches.In(l.lang))
	}
	widest := 0
	for _, e := range chapter.Exercises {
		widest = max(widest, len(l.course.Number(e)))
	}
	for _, e := range chapter.Exercises {
		l.listOne(e, max(widest, len("1.10")), details)
	}
	return passed, minutes
}

func (l *Learner) minutes(n int) string { return l.p.Sprintf("%d min", n) }

func (l *Learner) listOne(e *workshop.Exercise, number int, details bool) {
	done := l.progress.Of(e)
	mark := "  "
	switch {
	case done.Passed && done.Revealed:
		mark = "✓*"
	case done.Passed:
		mark = "✓ "
	case done.Revealed && e.Name == l.progress.Current:
		mark = "→*"
	case done.Revealed:
		mark = " *"
	case e.Name == l.progress.Current:
		mark = "→ "
	}
	facts := l.p.Clauses(l.kindName(e.Kind()), l.minutes(e.Minutes))
	if e.Live() {
		facts += l.p.Sprintf(", live")
	}
	before := fmt.Sprintf("  %s %-*s ", mark, number, l.course.Number(e))
	indent := text.Columns(before)
	title := text.Wrap(l.p.Sprintf("%s (%s)", e.Title, facts), l.width()-indent)
	fmt.Fprintln(l.out, before+title[0])
	for _, more := range title[1:] {
		fmt.Fprintln(l.out, strings.Repeat(" ", indent)+more)
	}
	fmt.Fprintf(l.out, "        %s\n", e.Name)
	if details {
		l.detail(e.Teaches.In(l.lang))
		if names := e.Scenarios(); len(names) > 0 {
			l.detail(l.p.Sprintf("scenarios: %s", message.List(names)))
		}
	}
}

func (l *Learner) kindName(k workshop.Kind) string {
	names := map[workshop.Kind]message.Message{
		workshop.KindFind:   message.Of("find"),
		workshop.KindOrder:  message.Of("predict"),
		workshop.KindClaim:  message.Of("true or false"),
		workshop.KindChoose: message.Of("choose"),
		workshop.KindValue:  message.Of("read the trace"),
		workshop.KindMake:   message.Of("make it happen"),
		workshop.KindChange: message.Of("change the server"),
	}
	return names[k].In(l.lang)
}
