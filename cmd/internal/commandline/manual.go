package commandline

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// WriteManual writes a page for man(1) for the program and for each of its commands into a folder, which it makes if
// it is missing. The pages give the program's name and version, and as date that of SOURCE_DATE_EPOCH or else today.
// It changes the texts of the commands: the caller does not use them afterwards.
func WriteManual(root *cobra.Command, folder, version string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return message.Errorf("writing the manual pages: %w", err)
	}
	escapeTexts(root, map[*pflag.Flag]bool{})
	err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{
		Header: &doc.GenManHeader{Source: root.Name() + " " + version, Manual: root.Name()},
		Path:   folder, CommandSeparator: "-",
	})
	if err != nil {
		return message.Errorf("writing the manual pages: %w", err)
	}
	return nil
}

// escapeTexts protects the short and long texts, and the descriptions of flags that are not yet done, from the Markdown that cobra
// takes them for.
func escapeTexts(command *cobra.Command, done map[*pflag.Flag]bool) {
	command.DisableAutoGenTag = true
	command.Short, command.Long = markdown.Replace(command.Short), escapeMarkdown(command.Long)
	escape := func(flag *pflag.Flag) {
		if !done[flag] {
			done[flag] = true
			flag.Usage = markdown.Replace(flag.Usage)
		}
	}
	command.Flags().VisitAll(escape)
	command.PersistentFlags().VisitAll(escape)
	for _, child := range command.Commands() {
		escapeTexts(child, done)
	}
}

var markdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`)

// escapeMarkdown escapes the paragraphs of a text and makes a block of code of each paragraph with an indented line.
func escapeMarkdown(long string) string {
	paragraphs := strings.Split(long, "\n\n")
	for i, p := range paragraphs {
		if asItIs(p) {
			paragraphs[i] = "    " + strings.ReplaceAll(p, "\n", "\n    ")
			continue
		}
		paragraphs[i] = markdown.Replace(p)
	}
	return strings.Join(paragraphs, "\n\n")
}
