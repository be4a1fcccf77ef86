package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/workshop"
)

// TestVerifyTheCourse runs "workshop verify" for every twentieth exercise. If no recording
// has a function, the command looks it up in the sources. TestCourse in package workshop
// verifies all exercises with the recordings alone.
func TestVerifyTheCourse(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for i, e := range exercises(t) {
		if i%20 == 0 {
			verify(m, 1, e.Name)
		}
	}
}

// TestSlowVerifyTheCourse verifies all exercises.
func TestSlowVerifyTheCourse(t *testing.T) {
	testenv.Slow(t)
	verify(newMachine(t), len(exercises(t)))
}

// verify verifies n exercises: the named exercise, or all.
func verify(m *machine, n int, name ...string) {
	m.Helper()
	out, notices, status := m.run(append([]string{"workshop", "verify"}, name...)...)
	if status != 0 || strings.Count(out, "✓") != n {
		m.Errorf("workshop verify %q: exit status %d, expected 0 and %d verified exercises:\n%s%s", name, status, n, out, notices)
	}
}

// TestLiveExercises solves every third exercise that asks for a request, on a real
// server.
func TestLiveExercises(t *testing.T) {
	t.Parallel()
	n := 0
	verifyLive(withServer(t), t, func(e *workshop.Exercise) bool {
		if e.Change != nil {
			return false
		}
		n++
		return n%3 == 1
	})
}

// TestSlowLiveExercises solves all exercises that ask for a request.
func TestSlowLiveExercises(t *testing.T) {
	testenv.Slow(t)
	verifyLive(withServer(t), t, func(e *workshop.Exercise) bool { return e.Change == nil })
}

// TestNightlyChanges solves the exercises that ask for a change of the server. Each
// needs a build of a minute. TestSlowChangeTheServer, which "make test-all" runs, plays
// one of them as a learner does.
func TestNightlyChanges(t *testing.T) {
	testenv.Nightly(t)
	verifyLive(newMachine(t), t, func(e *workshop.Exercise) bool { return e.Change != nil })
}

func verifyLive(m *machine, t *testing.T, choose func(*workshop.Exercise) bool) {
	for _, e := range exercises(t) {
		if !e.Live() || !choose(e) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			out, notices, status := m.run("workshop", "verify", "--live", e.Name)
			if status != 0 || !strings.Contains(unwrapped(out), unwrapped("✓ "+e.Name)) {
				t.Errorf("workshop verify --live: exit status %d, expected 0 and the exercise in\n%s%s", status, out, notices)
			}
		})
	}
}

func exercises(t *testing.T) []*workshop.Exercise {
	t.Helper()
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return course.Exercises()
}

// sourceCommand matches commands in the course's files that show source code.
var sourceCommand = regexp.MustCompile("`apitrace\\s+(source [^`]+)`")

// TestSourcesInTexts runs every fifth command that shows source code in the questions,
// hints, replies and explanations. A test in cmd/apitrace runs the commands that need
// no source.
func TestSourcesInTexts(t *testing.T) {
	t.Parallel()
	typeSources(t, 5)
}

// TestSlowSourcesInTexts runs all commands that show source code.
func TestSlowSourcesInTexts(t *testing.T) {
	testenv.Slow(t)
	typeSources(t, 1)
}

func typeSources(t *testing.T, step int) {
	m := newMachine(t)
	files, err := filepath.Glob("../../workshop/course/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	typed := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range sourceCommand.FindAllSubmatch(text, -1) {
			line := string(bytes.Join(bytes.Fields(found[1]), []byte(" ")))
			if typed[line] {
				continue
			}
			typed[line] = true
			if len(typed)%step != 0 {
				continue
			}
			var args []string
			for _, word := range strings.Fields(line) {
				args = append(args, strings.Trim(word, `'"`))
			}
			if _, notices, status := m.run(args...); status != 0 {
				t.Errorf("%s: apitrace %s: exit status %d\n%s", file, line, status, notices)
			}
		}
	}
	if len(typed) < 3 {
		t.Errorf("the texts have %d commands that show source code, expected at least 3: does sourceCommand still match them?", len(typed))
	}
}
