package workshop

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// pause is the longest time without events that still counts as work: reading a trace
// creates no events.
const pause = 30 * time.Minute

// A Summary lists the exercises that a learner passed and tried, and for how long.
type Summary struct {
	course   *Course
	progress *Progress
	// spent has the time that the learner worked on each exercise. passed has the time
	// when the exercise was first passed. Both are by the exercise's name.
	spent  map[string]time.Duration
	passed map[string]time.Time
}

// Summarize sums up the events of a learner.
func Summarize(c *Course, events []Event) *Summary {
	events = c.Renamed(events)
	s := &Summary{course: c, progress: NewProgress(events), spent: map[string]time.Duration{}, passed: map[string]time.Time{}}
	current := ""
	for i, e := range events {
		if i > 0 {
			if gap := e.Time.Sub(events[i-1].Time); gap < pause {
				s.spent[current] += gap
			}
		}
		switch e.Did {
		case Started:
			current = e.Exercise
		case Passed:
			if s.passed[e.Exercise].IsZero() {
				s.passed[e.Exercise] = e.Time
			}
		case Reset:
			s.reset(e.Exercise)
		}
	}
	return s
}

func (s *Summary) reset(exercise string) {
	if exercise == "" {
		clear(s.spent)
		clear(s.passed)
	}
	delete(s.spent, exercise)
	delete(s.passed, exercise)
}

// Markdown returns the summary as a page to keep.
func (s *Summary) Markdown(lang string) string {
	p := message.For(lang)
	var page strings.Builder
	all, passed, tries, revealed, hints, spent := s.course.Exercises(), 0, 0, 0, 0, time.Duration(0)
	for _, e := range all {
		done := s.progress.Of(e)
		tries, hints, spent = tries+done.Tries, hints+done.Hints, spent+s.spent[e.Name]
		if done.Passed {
			passed++
		}
		if done.Passed && done.Revealed {
			revealed++
		}
	}
	page.WriteString(p.Sprintf("# What I learned about kube-apiserver\n\n"))
	facts := []string{p.Sprintf("%d of %d exercises passed", passed, len(all))}
	if revealed > 0 {
		facts = append(facts, p.Sprintf("%d of these after seeing the solution", revealed))
	}
	facts = append(facts, p.Plural(tries, "%d wrong answer", "%d wrong answers", tries))
	if hints > 0 {
		facts = append(facts, p.Plural(hints, "%d hint", "%d hints", hints))
	}
	page.WriteString(p.Sprintf("%s; %s at work.\n", p.Clauses(facts...), inMinutes(spent, p)))
	for i := range s.course.Chapters {
		s.chapter(&page, &s.course.Chapters[i], p)
	}
	s.open(&page, p)
	return page.String()
}

// open lists the exercises that were tried and not passed, each with its next step. If
// there are none, it writes nothing.
func (s *Summary) open(page *strings.Builder, p message.Printer) {
	begun := false
	for _, e := range s.course.Exercises() {
		done := s.progress.Of(e)
		if done.Passed || done.Tries == 0 && done.Hints == 0 && !done.Revealed {
			continue
		}
		if !begun {
			begun = true
			page.WriteString(p.Sprintf("\n## Tried, not passed yet\n\n"))
		}
		facts := []string{inMinutes(s.spent[e.Name], p)}
		if done.Tries > 0 {
			facts = append(facts, p.Sprintf("wrong answers: %d", done.Tries))
		}
		if done.Hints > 0 {
			facts = append(facts, p.Sprintf("hints: %d of %d", done.Hints, len(e.Hints)))
		}
		page.WriteString(p.Sprintf("- **%s %s** (%s): %s\n", s.course.Number(e), e.Title, p.Clauses(facts...), nextStep(e, done)))
	}
}

// nextStep says how to go on with a tried exercise.
func nextStep(e *Exercise, done Done) message.Message {
	switch {
	case done.Revealed:
		return message.Of("you have seen the solution; read the explanation (`apitrace workshop explain %s`), then answer: `apitrace workshop start %[1]s`", e.Name)
	case done.Hints < len(e.Hints):
		return message.Of("go on with `apitrace workshop start %s`; `apitrace workshop hint` shows the next hint", e.Name)
	default:
		return message.Of("all hints are shown; try once more (`apitrace workshop start %s`), or see the solution: `apitrace workshop solution %[1]s --anyway`", e.Name)
	}
}

// chapter writes a chapter's passed exercises, if any.
func (s *Summary) chapter(page *strings.Builder, c *Chapter, p message.Printer) {
	begun := false
	for _, e := range c.Exercises {
		done := s.progress.Of(e)
		if !done.Passed {
			continue
		}
		if !begun {
			begun = true
			fmt.Fprintf(page, "\n## %s %s\n\n%s\n\n", c.Number(), c.Title.In(p.Lang()), strings.TrimSpace(c.Teaches.In(p.Lang())))
		}
		facts := []string{s.passed[e.Name].Format(time.DateOnly), inMinutes(s.spent[e.Name], p)}
		if done.Tries > 0 {
			facts = append(facts, p.Sprintf("wrong answers: %d", done.Tries))
		}
		if done.Hints > 0 {
			facts = append(facts, p.Sprintf("hints: %d of %d", done.Hints, len(e.Hints)))
		}
		if done.Revealed {
			facts = append(facts, p.Sprintf("after seeing the solution"))
		}
		page.WriteString(p.Sprintf("- **%s** (%s): %s\n", e.Title, p.Clauses(facts...), strings.TrimSpace(e.Teaches.In(p.Lang()))))
	}
}

// inMinutes formats a duration in hours and minutes.
func inMinutes(d time.Duration, p message.Printer) string {
	minutes := int(d.Round(time.Minute).Minutes())
	if hours := minutes / 60; hours > 0 {
		return p.Sprintf("%d h %d min", hours, minutes%60)
	}
	return p.Sprintf("%d min", minutes)
}
