package main

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session/console"
)

// Every command has a file that says in one line what it does, then at length, and shows how it is called;
// and every file belongs to a command.
func TestEveryCommandHasHelp(t *testing.T) {
	files, err := fs.Glob(helpTexts, "help/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, file := range files {
		unused[file] = true
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" { // which are cobra's
			return
		}
		file := "help/apitrace.txt"
		if c.HasParent() {
			_, path, _ := strings.Cut(c.CommandPath(), " ")
			file = "help/" + strings.ReplaceAll(path, " ", "-") + ".txt"
		}
		delete(unused, file)
		checkHelp(t, file)
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRoot("apitrace", console.Standard()))
	for file := range unused {
		t.Errorf("%s is the text of no command", file)
	}
}

// imperative is a summary of at most 90 characters that begins with a verb in the imperative: "Show …",
// not "Shows …", "Showing …" or "The …".
var imperative = regexp.MustCompile(`^[A-Z][a-z]*([a-rt-z]|ss) [^.]{1,80}[^. ]$`)

func checkHelp(t *testing.T, file string) {
	t.Helper()
	content, err := helpTexts.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	h, err := parseHelp(string(content))
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	first, _, _ := strings.Cut(h.short, " ")
	if !imperative.MatchString(h.short) || strings.HasSuffix(first, "ing") || first == "The" || first == "A" {
		t.Errorf("%s: the summary is %q: expected one line in the imperative, without a full stop", file, h.short)
	}
	if h.long == "" || !strings.Contains(h.examples, "  apitrace") {
		t.Errorf("%s: expected a text, and examples that begin with \"  apitrace\"", file)
	}
}

// A translation is of a command that there is, and says the same of its arguments.
func TestTranslatedHelpBelongsToACommand(t *testing.T) {
	files, err := fs.Glob(helpTexts, "help/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var both [2]helpText
		for i, name := range []string{file, "help/" + path.Base(file)} {
			content, err := helpTexts.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if both[i], err = parseHelp(string(content)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if both[0].use != both[1].use {
			t.Errorf("%s: use %q, expected %q", file, both[0].use, both[1].use)
		}
	}
}

func TestHelpThatIsIncomplete(t *testing.T) {
	for _, content := range []string{
		"", "Use: show\n", "Use: show\nShort: Show\n\nText.\n", "Show\n\nText.\n\nExamples:\n\n  apitrace show\n",
		"Use: show\n\nShort: Show\n\nText.\n\nExamples:\n\n  apitrace show\n",
	} {
		if h, err := parseHelp(content); err == nil {
			t.Errorf("%q is read as %+v, expected an error", content, h)
		}
	}
}
