package main

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command says in one line what it does, at length when one wants it, and shows how it is called; and
// every text belongs to a command.
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
		if c.Short == "" || c.Long == "" || !strings.Contains(c.Example, "apitrace ") {
			t.Errorf("%q needs a line, and %s with a text and examples", c.CommandPath(), file)
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRoot("apitrace", standardStreams()))
	for file := range unused {
		t.Errorf("%s is the text of no command", file)
	}
}
