package workshop

import (
	"strings"
	"testing"
	"time"
)

func TestSummary(t *testing.T) {
	find := func(name string) *Exercise {
		return &Exercise{Name: name, Chapter: "01-a", Title: Text{En: "Title of " + name}, Teaches: Text{En: "What " + name + " teaches.\n"}}
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

1 of 3 exercises passed, 2 wrong answers on the way, 7 min at work.

## 1 First

Things

- **Title of one** (2026-11-22, 6 min, wrong answers: 2): What one teaches.
`
	if got := Summarize(course, events).Markdown("en"); got != want {
		t.Errorf("the summary is\n%s\nexpected\n%s", got, want)
	}
	if got := Summarize(course, nil).Markdown("zh"); !strings.HasPrefix(got, "# 我学到的 kube-apiserver\n\n通过 0/3 个练习") {
		t.Errorf("of nothing, in Chinese: %s", got)
	}
}
