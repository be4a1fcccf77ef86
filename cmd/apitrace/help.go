package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts are what --help prints above the flags: a file for each command, named after its path. What
// comes behind the line examplesLine are its examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

const examplesLine = "\nExamples:\n\n"

// addHelp gives a command, and those below it, their texts. Those of the program itself are in the file
// apitrace.txt; path is "" for it.
func addHelp(command *cobra.Command, path string) {
	name := strings.ReplaceAll(path, " ", "-")
	if name == "" {
		name = "apitrace"
	}
	if text, err := helpTexts.ReadFile("help/" + name + ".txt"); err == nil { // a test finds commands without
		long, examples, _ := strings.Cut(string(text), examplesLine)
		command.Long, command.Example = strings.TrimSuffix(long, "\n"), strings.TrimSuffix(examples, "\n")
	}
	for _, child := range command.Commands() {
		addHelp(child, strings.TrimSpace(path+" "+child.Name()))
	}
}
