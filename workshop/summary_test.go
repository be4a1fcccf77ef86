package workshop

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSummary(t *testing.T) {
	find := func(name string) *Exercise {
		return &Exercise{Name: name, Chapter: "01-a", Title: Text{En: "Title of " + name}, Teaches: Text{En: "What " + name + " teaches.\n"}, Hints: make([]Text, 3)}
	}
	course := &Course{Chapters: []Chapter{
		{Name: "01-a", Title: Text{En: "First"}, Teaches: Text{En: "Things"}, Exercises: []*Exercise{find("one"), find("two")}},
		{Name: "02-b", Title: Text{En: "Second"}, Exercises: []*Exercise{find("three")}},
	}}
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 8, minute, 0, 0, time.UTC) }
	events := []Event{
		{Time: at(0), Did: Started, Exercise: "three"},
		{Time: at(5), Did: Passed, Exercise: "three"},
		{Time: at(6), Did: Reset, Exercise: "three"},
		{Time: at(7), Did: Started, Exercise: "one"},
		{Time: at(10), Did: Tried, Exercise: "one"},
		{Time: at(59), Did: Tried, Exercise: "one"}, // after a meal
		{Time: at(62), Did: Passed, Exercise: "one"},
	}
	want := `# What I learned about kube-apiserver

1 of 3 exercises passed, 2 wrong answers; 7 min at work.

## 1 First

Things

- **Title of one** (2026-11-22, 6 min, wrong answers: 2): What one teaches.
`
	if got := Summarize(course, events).Markdown("en"); got != want {
		t.Errorf("the summary is\n%s\nexpected\n%s", got, want)
	}
	// Exercises that were tried and not passed are listed with the next step. It depends
	// on whether hints are left, and on whether the solution was shown.
	events = append(events,
		Event{Time: at(63), Did: Started, Exercise: "two"},
		Event{Time: at(65), Did: Tried, Exercise: "two"},
		Event{Time: at(66), Did: Hinted, Exercise: "two"},
		Event{Time: at(67), Did: Started, Exercise: "three"}, // only looked at
	)
	const open = "\n## Tried, not passed yet\n\n- **1.2 Title of two** (4 min, wrong answers: 1, hints: 1 of 3): go on with `apitrace workshop start two`; `apitrace workshop hint` shows the next hint\n"
	if got := Summarize(course, events).Markdown("en"); !strings.HasSuffix(got, "What one teaches.\n"+open) {
		t.Errorf("the summary is\n%s\nexpected it to end with\n%s", got, open)
	}
	for step, did := range map[string][]Action{
		"`apitrace workshop solution two --anyway`\n": {Hinted, Hinted},
		"(`apitrace workshop explain two`)":           {Revealed},
	} {
		more := slices.Clone(events)
		for _, d := range did {
			more = append(more, Event{Time: at(68), Did: d, Exercise: "two"})
		}
		if got := Summarize(course, more).Markdown("en"); !strings.Contains(got, step) {
			t.Errorf("after %q: expected %q in\n%s", did, step, got)
		}
	}
	if got := Summarize(course, nil).Markdown("zh"); !strings.HasPrefix(got, "# 我学到的 kube-apiserver\n\n通过 0/3 个练习") {
		t.Errorf("without events, the summary in Chinese is %s, expected no passed exercise of 3", got)
	}
}
