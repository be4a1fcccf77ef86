// Package commandline translates the help of commands, checks arguments, and completes them.
//
// It knows no command of apitrace; the commands and their help files are in cmd/apitrace.
package commandline

import (
	"io/fs"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A Help is the content of the help file of a command. The format of the file is
//
//	Use: NAME ARGUMENTS
//	Short: One line, which begins with a verb in the imperative.
//
//	The long text, and after the line "Examples:" the examples.
//
// The paragraphs of the long text are wrapped again, to the width of help. A paragraph
// with an indented line stays as it is.
type Help struct{ Use, Short, Long, Examples string }

// ParseHelp reads the content of a help file.
func ParseHelp(content string) (Help, error) {
	use, rest, okUse := strings.Cut(strings.TrimPrefix(content, "Use: "), "\nShort: ")
	short, rest, okShort := strings.Cut(rest, "\n\n")
	long, examples, okExamples := strings.Cut(rest, "\nExamples:\n\n")
	h := Help{Use: use, Short: short, Long: wrapParagraphs(strings.TrimSuffix(long, "\n")), Examples: strings.TrimSuffix(examples, "\n")}
	if !strings.HasPrefix(content, "Use: ") || !okUse || !okShort || !okExamples || strings.Contains(use+short, "\n") {
		return h, message.Errorf("expected the lines \"Use: …\" and \"Short: …\", an empty line, a text, and examples behind a line \"Examples:\"")
	}
	return h, nil
}

// quoted matches a quotation, such as a command, in the long text. It stays on one line.
var quoted = regexp.MustCompile(`"[^"\n]{1,40}"`)

// noBreak stands for a blank at which a line must not be broken.
const noBreak = "\ue000"

// wrapParagraphs wraps each paragraph, except those with an indented line.
func wrapParagraphs(long string) string {
	paragraphs := strings.Split(long, "\n\n")
	for i, p := range paragraphs {
		if !asItIs(p) {
			p = quoted.ReplaceAllStringFunc(p, func(q string) string { return strings.ReplaceAll(q, " ", noBreak) })
			paragraphs[i] = strings.ReplaceAll(strings.Join(text.Wrap(p, columns), "\n"), noBreak, " ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// asItIs reports whether a paragraph has an indented line. Such a paragraph is not
// wrapped.
func asItIs(paragraph string) bool {
	return strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") || strings.Contains(paragraph, "\n ") || strings.Contains(paragraph, "\n\t")
}

// FileName returns the name of a command's help file: the command's path without the
// program, with hyphens for spaces, such as workshop-next.txt. The file of the program
// itself is apitrace.txt.
func FileName(command *cobra.Command) string {
	if !command.HasParent() {
		return command.Name() + ".txt"
	}
	name := command.Name()
	for command = command.Parent(); command.HasParent(); command = command.Parent() {
		name = command.Name() + "-" + name
	}
	return name + ".txt"
}

// Translate translates a program's help from English into the printer's language. The
// folder holds a help file for each command. A command without a valid file keeps its
// English text, and so does a flag with a description that is not in the catalogue.
// values are the variable parts of descriptions, such as the default release.
func Translate(root *cobra.Command, folder fs.FS, p message.Printer, values ...string) {
	if p.Lang() == "en" {
		return
	}
	root.InitDefaultHelpCmd()
	translate(root, folder, p, values)
}

func translate(command *cobra.Command, folder fs.FS, p message.Printer, values []string) {
	if content, err := fs.ReadFile(folder, FileName(command)); err == nil {
		if h, err := ParseHelp(string(content)); err == nil {
			command.Short, command.Long, command.Example = h.Short, h.Long, h.Examples
		}
	}
	for _, group := range command.Groups() {
		group.Title = p.Text(group.Title)
	}
	translateFlags(command, p, values)
	for _, child := range command.Commands() {
		translate(child, folder, p, values)
	}
}
