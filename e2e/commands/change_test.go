package commands

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/workshop"
)

// A changer is a learner with an exercise that asks for a change of the server.
type changer struct {
	*machine
	exercise *workshop.Exercise
	// file is the path of the learner's copy. pristine is its original text.
	file, pristine string
}

// newChanger starts the exercise. The learner's copy of the file is not changed yet.
func newChanger(t testing.TB, name string) *changer {
	m := newMachine(t)
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	e, err := course.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &changer{machine: m, exercise: e}
	c.sees("apitrace edit "+e.Change.File, "workshop", "start", name)
	c.fails(2, "the server is not changed yet", "workshop", "check")
	c.file, _, _ = strings.Cut(c.sees("this is your copy", "edit", e.Change.File), "\n")
	text, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	c.pristine = string(text)
	return c
}

// sees runs a command. It must succeed and print want.
func (c *changer) sees(want string, args ...string) string {
	c.Helper()
	return c.fails(0, want, args...)
}

// fails runs a command. It must end with the exit status and print want.
func (c *changer) fails(status int, want string, args ...string) string {
	c.Helper()
	out, notices, got := c.run(args...)
	if out += notices; got != status || !strings.Contains(unwrapped(out), unwrapped(want)) {
		c.Fatalf("%q ends with status %d, expected %d and %q:\n%s", args, got, status, want, out)
	}
	return out
}

// saves writes a text to the learner's copy.
func (c *changer) saves(text string) {
	c.Helper()
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

// solved returns the original text with the solution.
func (c *changer) solved() string {
	c.Helper()
	text, err := c.exercise.Edited(c.pristine, c.exercise.Solution.Edits)
	if err != nil {
		c.Fatal(err)
	}
	return text
}

// TestSlowChangeTheServer plays an exercise that asks for a change. Like a learner, it
// checks the unchanged copy, then a change that does not compile, then the solution.
func TestSlowChangeTheServer(t *testing.T) {
	testenv.Slow(t)
	c := newChanger(t, "your-own-rule")
	c.fails(2, "your copy does not differ from upstream's file: change "+c.file, "workshop", "check")
	lines := strings.Count(c.pristine, "\n")
	c.saves(c.pristine + "var mine int = \"one\"\n")
	c.fails(1, fmt.Sprintf("your change does not compile: %s:%d: cannot use \"one\"", c.file, lines+1), "workshop", "check")
	c.saves(c.solved())
	out := c.sees("✓ Right", "workshop", "check")
	for _, want := range []string{"is built with your edit of " + c.exercise.Change.File, "THIS SERVER IS CHANGED by your edits of " + c.exercise.Change.File} {
		if !strings.Contains(out, want) {
			t.Errorf("workshop check does not print %q:\n%s", want, out)
		}
	}
	marked := "not upstream's program: built with edits of " + c.exercise.Change.File
	c.sees(marked, "workshop", "trace", "--view", "outline")
	// The trace is shown although the scenario expects other answers.
	c.sees(marked, "run", c.exercise.Scenario, "--view", "outline")
	c.sees("is upstream's again", "edit", "--revert", "--all")
}

// BenchmarkChange saves a new text of a server file and waits for "apitrace workshop
// check". The command compiles, links and starts the server, sends the request, and
// judges the effect. It measures two files: one that few packages depend on, and one that
// many depend on.
func BenchmarkChange(b *testing.B) {
	for _, name := range []string{"your-own-rule", "a-filter-of-your-own"} {
		b.Run(name, func(b *testing.B) {
			c := newChanger(b, name)
			var took []time.Duration
			for b.Loop() {
				c.saves(fmt.Sprintf("%s\nvar mine = %d\n", c.solved(), time.Now().UnixNano()))
				start := time.Now()
				c.sees("✓ Right", "workshop", "check")
				took = append(took, time.Since(start))
			}
			b.ReportMetric(slices.Max(took).Seconds(), "s/slowest")
		})
	}
}
