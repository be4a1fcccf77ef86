package workshop

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inHelp finds the names of functions that help texts give as examples of an answer.
var inHelp = regexp.MustCompile(`workshop check '([^']*\.[^']*)'`)

// TestExamplesAreNoAnswers checks that no example in a help text or a reply is an answer to
// an exercise.
func TestExamplesAreNoAnswers(t *testing.T) {
	examples := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", "cmd", "apitrace", "help", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../docs/workshop.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range inHelp.FindAllStringSubmatch(string(text), -1) {
			examples[found[1]] = file
		}
	}
	if len(examples) == 0 {
		t.Fatal("no help text has an example of an answer: does inHelp still match the examples?")
	}
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	reply := notOnPath("xyzzy", nil, nil).Reply.In("en")
	for _, e := range course.Exercises() {
		for _, answer := range e.solutions() {
			_, function, _ := strings.Cut(answer, " ")
			for _, name := range []string{answer, function} {
				if !strings.Contains(name, ".") {
					continue
				}
				if file := examples[name]; file != "" {
					t.Errorf("%s: %q is an answer to %s", file, name, e.Name)
				}
				if strings.Contains(reply, name) {
					t.Errorf("the reply %q names the answer to %s", reply, e.Name)
				}
			}
		}
	}
}
