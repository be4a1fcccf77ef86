package commandline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// columns is the width of help. The long text and the descriptions of flags are wrapped
// to it.
const columns = 80

func init() {
	cobra.AddTemplateFunc("wrapFlags", wrapFlags)
	cobra.AddTemplateFunc("flagSections", flagSections)
}

// sectionOf is the key of a flag's annotation with the place and the title of its section.
const sectionOf = "apitrace_section"

// A Section is a part of the flags in the help.
type Section struct {
	// Place orders the sections. Flags without a section are first.
	Place int
	Title message.Message
}

// InSection calls add, and puts the flags that the call defines into a section of the help.
func InSection(command *cobra.Command, section Section, add func()) {
	before := map[string]bool{}
	command.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	add()
	command.Flags().VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] && f.Annotations[sectionOf] == nil {
			value := []string{strconv.Itoa(section.Place), section.Title.String()}
			_ = command.Flags().SetAnnotation(f.Name, sectionOf, value) // fails only for an unknown flag
		}
	})
}

// flagSections describes flags: first those without a section, then each section.
func flagSections(flags *pflag.FlagSet, lang string) string {
	sections := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		section := strings.Join(f.Annotations[sectionOf], " ")
		if sections[section] == nil {
			sections[section] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		sections[section].AddFlag(f)
	})
	p := message.For(lang)
	var texts []string
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		of := sections[section]
		if !of.HasAvailableFlags() {
			continue
		}
		usages := of.FlagUsagesWrapped(columns)
		if lang != "en" {
			usages = wrapFlags(of.FlagUsages())
		}
		heading := message.Of("Flags:").Localize(p)
		if _, title, ok := strings.Cut(section, " "); ok {
			heading = p.Text(title)
		}
		texts = append(texts, heading+"\n"+strings.TrimRight(usages, "\n"))
	}
	return strings.Join(texts, "\n\n")
}

// UsageTemplate returns cobra's template of usage texts with wrapped descriptions of
// flags, and with headings in the printer's language.
func UsageTemplate(template string, p message.Printer) string {
	template = strings.Replace(template, "\nFlags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", fmt.Sprintf("\n{{flagSections .LocalFlags %q}}", p.Lang()), 1)
	if p.Lang() == "en" {
		return strings.ReplaceAll(template, ".FlagUsages |", fmt.Sprintf(".FlagUsagesWrapped %d |", columns))
	}
	var pairs []string
	for _, heading := range []message.Message{
		message.Of("Usage:"), message.Of("Aliases:"), message.Of("Examples:"), message.Of("Available Commands:"),
		message.Of("Additional Commands:"), message.Of("Global Flags:"), message.Of("Additional help topics:"),
		message.Of("Use %q for more information about a command.", "{{.CommandPath}} [command] --help"),
	} {
		pairs = append(pairs, heading.String(), heading.Localize(p))
	}
	pairs = append(pairs, ".InheritedFlags.FlagUsages", "wrapFlags .InheritedFlags.FlagUsages")
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

// translateFlags translates the descriptions of a command's flags into the printer's
// language.
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
