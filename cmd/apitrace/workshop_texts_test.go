package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/workshop"
)

// inTexts finds the commands that texts tell a learner to type.
var inTexts = regexp.MustCompile("`apitrace ([^`]+)`")

// commandWords matches the words of a command line. Quotes within quotes are not
// supported.
var commandWords = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// commandsOf lists the commands that the texts of an exercise name, each once. It leaves
// out commands that do more than show existing data.
func commandsOf(e *workshop.Exercise) [][]string {
	readers := []string{"show", "routes", "explain", "history", "diff", "compare"}
	var commands [][]string
	for _, text := range e.Texts() {
		for _, found := range inTexts.FindAllStringSubmatch(text.En+text.Zh, -1) {
			words := commandWords.FindAllString(found[1], -1)
			for i := range words {
				words[i] = strings.Trim(words[i], `'"`)
			}
			trace := !e.Live() && words[0] == "workshop" && len(words) > 1 && words[1] == "trace"
			known := slices.ContainsFunc(commands, func(c []string) bool { return slices.Equal(c, words) })
			if (trace || slices.Contains(readers, words[0])) && !known {
				commands = append(commands, words)
			}
		}
	}
	return commands
}

// TestCommandsInTexts runs the commands that questions, hints, replies and explanations
// name. Each must work, and filters must find something. Tests in e2e/commands run the
// commands that show source code.
func TestCommandsInTexts(t *testing.T) {
	testenv.Costly(t, "runs the commands of all exercises")
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	p := newTestLearner(t, "en")
	typed := map[string]bool{}
	for _, e := range course.Exercises() {
		if _, err := p.types("start", e.Name); err != nil {
			t.Fatal(err)
		}
		for _, command := range commandsOf(e) {
			// The output depends on the exercise only if the command shows the
			// exercise's trace.
			line := strings.Join(command, " ")
			if command[0] == "workshop" {
				line = e.Name + ": " + line
			}
			if typed[line] {
				continue
			}
			typed[line] = true
			var out, notices bytes.Buffer
			err := execute(t.Context(), append([]string{"apitrace"}, command...), &console.Streams{Out: &out, Err: &notices})
			if differs := (command[0] == "diff" || command[0] == "compare") && exitCode(err) == 1; err != nil && !differs {
				t.Errorf("%s: %q: %v", e.Name, command, err)
			}
			if strings.Contains(out.String(), "none matches") {
				t.Errorf("%s: the filter of %q finds nothing", e.Name, command)
			}
		}
	}
	if len(typed) < 40 {
		t.Errorf("the texts name %d commands that can run here, expected at least 40: does inTexts still match them?", len(typed))
	}
	t.Logf("%d commands run", len(typed))
}
