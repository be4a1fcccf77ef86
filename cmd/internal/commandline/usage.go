package commandline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// columns is the width of help. The long text and the descriptions of flags are wrapped
// to it.
const columns = 80

func init() { cobra.AddTemplateFunc("wrapFlags", wrapFlags) }

// UsageTemplate adapts cobra's template of usage texts: it wraps flags'
// descriptions, and has headings in the printer's language.
func UsageTemplate(template string, p message.Printer) string {
	if p.Lang() == "en" {
		return strings.ReplaceAll(template, ".FlagUsages |", fmt.Sprintf(".FlagUsagesWrapped %d |", columns))
	}
	var pairs []string
	for _, heading := range []message.Message{
		message.Of("Usage:"), message.Of("Aliases:"), message.Of("Examples:"), message.Of("Available Commands:"),
		message.Of("Additional Commands:"), message.Of("Global Flags:"), message.Of("Flags:"), message.Of("Additional help topics:"),
		message.Of("Use %q for more information about a command.", "{{.CommandPath}} [command] --help"),
	} {
		pairs = append(pairs, heading.String(), heading.Localize(p))
	}
	for _, flags := range []string{".LocalFlags.FlagUsages", ".InheritedFlags.FlagUsages"} {
		pairs = append(pairs, flags, "wrapFlags "+flags)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

var (
	flagLine     = regexp.MustCompile(`^( +(?:-\w, )?--.*?) {3,}(\S.*)$`)
	defaultValue = regexp.MustCompile(` \(default (.*)\)$`)
)

// wrapFlags wraps flags with Chinese descriptions. pflag cannot: it counts bytes and
// breaks only at blanks.
func wrapFlags(usages string) string {
	var b strings.Builder
	for line := range strings.Lines(usages) {
		line = strings.TrimSuffix(line, "\n")
		if parts := flagLine.FindStringSubmatch(line); parts != nil {
			indent := len(line) - len(parts[2])
			description := defaultValue.ReplaceAllString(parts[2], message.For("zh").Sprintf(" (default %s)", "$1"))
			line = line[:indent] + strings.Join(text.Wrap(description, columns-indent), "\n"+strings.Repeat(" ", indent))
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// translateFlags translates a command's flags into the printer's language.
func translateFlags(command *cobra.Command, p message.Printer, values []string) {
	command.InitDefaultHelpFlag()
	describe := func(flag *pflag.Flag) {
		switch flag.Name {
		case "help": // this flag and the next are cobra's
			flag.Usage = p.Sprintf("help for %s", command.DisplayName())
		case "no-descriptions":
			flag.Usage = p.Sprintf("disable completion descriptions")
		default:
			flag.Usage = p.Text(flag.Usage, values...)
		}
	}
	command.Flags().VisitAll(describe)
	command.PersistentFlags().VisitAll(describe)
}
