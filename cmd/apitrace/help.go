package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// helpTexts are what --help prints above the flags: a file for each command, named after its path, with
// hyphens for the spaces: help/workshop-next.txt; help/apitrace.txt is the program's own. A translation
// has the same name in a folder of its language: help/zh/workshop-next.txt. The format is
//
//	Use: NAME ARGUMENTS
//	Short: One line, which begins with a verb in the imperative.
//
//	The long text, and behind the line "Examples:" the examples.
//
//go:embed help
var helpTexts embed.FS

// helpText is the content of a file of helpTexts.
type helpText struct{ use, short, long, examples string }

// parseHelp reads the format of helpTexts.
func parseHelp(content string) (helpText, error) {
	use, rest, okUse := strings.Cut(strings.TrimPrefix(content, "Use: "), "\nShort: ")
	short, rest, okShort := strings.Cut(rest, "\n\n")
	long, examples, okExamples := strings.Cut(rest, "\nExamples:\n\n")
	h := helpText{use: use, short: short, long: strings.TrimSuffix(long, "\n"), examples: strings.TrimSuffix(examples, "\n")}
	if !strings.HasPrefix(content, "Use: ") || !okUse || !okShort || !okExamples || strings.Contains(use+short, "\n") {
		return h, message.Errorf("expected the lines \"Use: …\" and \"Short: …\", an empty line, a text, and examples behind a line \"Examples:\"")
	}
	return h, nil
}

// newCommand makes the command that help/NAME.txt describes. It panics without a valid file, which a test
// of all commands finds.
func newCommand(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	content, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	h, err := parseHelp(string(content))
	if err != nil {
		panic(message.Errorf("help/%s.txt: %w", name, err))
	}
	return &cobra.Command{
		Use: h.use, Short: h.short, Long: h.long, Example: h.examples,
		Args: args, RunE: run, SuggestionsMinimumDistance: 2,
	}
}
