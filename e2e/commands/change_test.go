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

// A changer is a learner at an exercise that asks for a change of the server.
type changer struct {
	*machine
	exercise *workshop.Exercise
	// file is the learner's copy, pristine what was in it.
	file, pristine string
}

// newChanger starts the exercise, and has a copy of the file that is not changed yet.
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
	c.fails(2, "nothing of the server is changed yet", "workshop", "check")
	c.file, _, _ = strings.Cut(c.sees("this is your copy", "edit", e.Change.File), "\n")
	text, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	c.pristine = string(text)
	return c
}

// sees runs a command that must succeed, and print a text.
func (c *changer) sees(want string, args ...string) string {
	c.Helper()
	return c.fails(0, want, args...)
}

// fails runs a command that must end with a status, and print a text or end with it.
func (c *changer) fails(status int, want string, args ...string) string {
	c.Helper()
	out, notices, got := c.run(args...)
	if out += notices; got != status || !strings.Contains(unwrapped(out), unwrapped(want)) {
		c.Fatalf("%q ends with status %d, expected %d and %q:\n%s", args, got, status, want, out)
	}
	return out
}

// saves writes the learner's copy.
func (c *changer) saves(text string) {
	c.Helper()
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

// solved is the text of the copy with the solution in it.
func (c *changer) solved() string {
	c.Helper()
	text, err := c.exercise.Edited(c.pristine, c.exercise.Solution.Edits)
	if err != nil {
		c.Fatal(err)
	}
	return text
}

// TestSlowChangeTheServer plays an exercise that asks for a change as a learner does: with nothing changed, with what
// does not compile, and with the solution.
func TestSlowChangeTheServer(t *testing.T) {
	testenv.Slow(t)
	c := newChanger(t, "your-own-rule")
	c.fails(2, "your copy is as upstream's: change "+c.file, "workshop", "check")
	lines := strings.Count(c.pristine, "\n")
	c.saves(c.pristine + "var mine int = \"one\"\n")
	c.fails(1, fmt.Sprintf("your change does not compile: %s:%d: cannot use \"one\"", c.file, lines+1), "workshop", "check")
	c.saves(c.solved())
	out := c.sees("✓ Right", "workshop", "check")
	for _, want := range []string{"is built with your edit of " + c.exercise.Change.File, "THIS SERVER IS CHANGED by your edits of " + c.exercise.Change.File} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	marked := "not upstream's program: built with edits of " + c.exercise.Change.File
	c.sees(marked, "workshop", "trace", "--view", "outline")
	// A scenario that expects other answers shows its trace, too.
	c.sees(marked, "run", c.exercise.Scenario, "--view", "outline")
	c.sees("is upstream's again", "edit", "--revert", "--all")
}

// BenchmarkChange saves a new text of a file of the server, and waits until "apitrace workshop check" has judged the
// effect: compiled, linked, started, asked. The files are one that little depends on, and one that much does.
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
