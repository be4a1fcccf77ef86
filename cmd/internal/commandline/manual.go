package commandline

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// WriteManual writes pages for man(1) into a folder: for the program and each of its
// commands. It makes the folder if necessary. The pages have the program's name and
// version, and the date of SOURCE_DATE_EPOCH or today's. WriteManual changes the
// commands' texts, so the caller must not use the commands afterwards.
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

// escapeTexts escapes the short and long texts and the descriptions of flags, because
// cobra reads them as Markdown. It adds each flag to done, so that no flag is escaped
// twice.
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

// escapeMarkdown escapes the paragraphs of a text. A paragraph with an indented line
// becomes a block of code.
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
