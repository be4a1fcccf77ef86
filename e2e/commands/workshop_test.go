package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/workshop"
)

// TestVerifyTheCourse proves all exercises that need no server, in the sources, too: functions that no recording has
// are looked up in them.
func TestVerifyTheCourse(t *testing.T) {
	needsServer(t)
	t.Setenv(program.StateEnv, t.TempDir())
	out, notices, status := apitrace(t, "workshop", "verify")
	if status != 0 || strings.Count(out, "✓") != len(exercises(t)) {
		t.Errorf("exit status %d\n%s%s", status, out, notices)
	}
}

// TestLiveExercises solves the exercises that ask for a request on a real server.
func TestLiveExercises(t *testing.T) {
	verifyLive(t, func(e *workshop.Exercise) bool { return e.Change == nil })
}

// TestNightlyChanges solves the exercises that ask for a change of the server: each is a build of a minute.
// TestSlowChangeTheServer, which "make test-all" runs, plays one of them as a learner does.
func TestNightlyChanges(t *testing.T) {
	testenv.Nightly(t)
	verifyLive(t, func(e *workshop.Exercise) bool { return e.Change != nil })
}

func verifyLive(t *testing.T, choose func(*workshop.Exercise) bool) {
	needsServer(t)
	t.Setenv(program.StateEnv, t.TempDir())
	for _, e := range exercises(t) {
		if !e.Live() || !choose(e) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			out, notices, status := apitrace(t, "workshop", "verify", "--live", e.Name)
			if status != 0 || !strings.Contains(unwrapped(out), unwrapped("✓ "+e.Name)) {
				t.Errorf("exit status %d\n%s%s", status, out, notices)
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

// sourceCommand finds the commands in the course's files that show source code.
var sourceCommand = regexp.MustCompile("`apitrace\\s+(source [^`]+)`")

// TestSourcesInTexts types the commands that show source code and that questions, hints, replies and explanations
// name. Those that need no source are typed in cmd/apitrace.
func TestSourcesInTexts(t *testing.T) {
	needsServer(t)
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
			var args []string
			for _, word := range strings.Fields(line) {
				args = append(args, strings.Trim(word, `'"`))
			}
			if _, notices, status := apitrace(t, args...); status != 0 {
				t.Errorf("%s: apitrace %s: exit status %d\n%s", file, line, status, notices)
			}
		}
	}
	if len(typed) < 3 {
		t.Errorf("%d commands were typed: how they are written must have changed", len(typed))
	}
}
