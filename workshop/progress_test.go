package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRenamedExercise checks that events with an earlier name of an exercise count in the
// progress and in the summary, and that a reset with the present name deletes them.
func TestRenamedExercise(t *testing.T) {
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	const before, now = "first-to-be-evicted", "a-pod-without-a-class"
	e, err := course.Find(before)
	if err != nil || e.Name != now || course.Named(before) != e || course.Named(now) != e {
		t.Fatalf("%s is %+v with the error %v, expected the exercise %s", before, e, err, now)
	}
	events := []Event{{Did: Started, Exercise: before}, {Did: Tried, Exercise: before, Answer: "x"}, {Did: Passed, Exercise: before, Answer: "y"}}
	p := NewProgress(course.Renamed(events))
	if done := p.Of(e); !done.Passed || done.Tries != 1 || p.Current != now {
		t.Errorf("the progress is %+v and the current exercise %q, expected one try, passed, and the present name", done, p.Current)
	}
	if events[0].Exercise != before {
		t.Error("Renamed changed the events of its caller")
	}
	if summary := Summarize(course, events).Markdown("en"); !strings.HasPrefix(summary[strings.Index(summary, "\n\n"):], "\n\n1 of ") {
		t.Errorf("the summary is\n%s\nexpected one passed exercise", summary)
	}
	if done := NewProgress(course.Renamed(append(events, Event{Did: Reset, Exercise: now}))).Of(e); done.Passed {
		t.Errorf("after a reset, the progress is %+v, expected none", done)
	}
}

// TestNameTwice checks that no exercise may have an earlier name of another exercise.
func TestNameTwice(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("course")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "00-first-steps", "10-where-it-begins.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for was, refused := range map[string]bool{"[some-other, last-stop-before-etcd]": true, "first-to-be-evicted": true, "where-it-all-began": false} {
		if err := os.WriteFile(file, append([]byte("was: "+was+"\n"), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder); (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "is taken by") {
			t.Errorf("was: %s: got %v, expected an error only if the name is taken", was, err)
		}
	}
}
