package main

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// TestEveryCommandHasHelp checks that every command has a help file with a one-line
// summary, a long text and examples. Every help file must belong to a command.
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
		if c.Name() == "help" || c.Name() == "completion" { // cobra's own
			return
		}
		file := "help/" + commandline.FileName(c)
		delete(unused, file)
		checkHelp(t, file)
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRoot("apitrace", console.Standard()))
	for file := range unused {
		t.Errorf("%s belongs to no command", file)
	}
}

// imperative matches a short summary that begins with a verb in the imperative: "Show …",
// not "Shows …". It has no full stop.
var imperative = regexp.MustCompile(`^[A-Z][a-z]*([a-rt-z]|ss) [^.]{1,80}[^. ]$`)

func checkHelp(t *testing.T, file string) {
	t.Helper()
	content, err := helpTexts.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	h, err := commandline.ParseHelp(string(content))
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	first, _, _ := strings.Cut(h.Short, " ")
	if !imperative.MatchString(h.Short) || strings.HasSuffix(first, "ing") || first == "The" || first == "A" {
		t.Errorf("%s: the summary is %q: expected one line in the imperative, without a full stop", file, h.Short)
	}
	if h.Long == "" || !strings.Contains(h.Examples, "  apitrace") {
		t.Errorf("%s: expected a text, and examples that begin with \"  apitrace\"", file)
	}
}

// TestEveryCommandHasHelpInChinese checks that every command, including cobra's own,
// has help in Chinese. The help must have the same arguments and the same examples,
// with comments in Chinese.
func TestEveryCommandHasHelpInChinese(t *testing.T) {
	files, err := fs.Glob(helpTexts, "help/zh/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, file := range files {
		unused[file] = true
	}
	root := newRoot("apitrace", console.Standard())
	root.InitDefaultHelpCmd()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		file := "help/zh/" + commandline.FileName(c)
		delete(unused, file)
		content, err := helpTexts.ReadFile(file)
		if err != nil {
			t.Error(err)
			return
		}
		h, err := commandline.ParseHelp(string(content))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if h.Use != c.Use {
			t.Errorf("%s: use %q, expected %q", file, h.Use, c.Use)
		}
		if got, want := shell(h.Examples), shell(c.Example); c.Example != "" && got != want {
			t.Errorf("%s: the examples are\n%s\nexpected\n%s", file, got, want)
		}
		for _, text := range []string{h.Short, h.Long} {
			if !chinese.MatchString(text) {
				t.Errorf("%s: %q is not Chinese", file, text)
			}
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
	for file := range unused {
		t.Errorf("%s belongs to no command", file)
	}
}

var chinese = regexp.MustCompile(`\p{Han}`)

// shell returns the lines of the examples without comments.
func shell(examples string) string {
	return regexp.MustCompile(`(?m)^  #.*\n`).ReplaceAllString(examples, "")
}

// TestChineseHelpHasNoEnglishProse checks that every text, heading and description of a
// flag is translated. Chinese help may have code, names and englishTerms in English.
func TestChineseHelpHasNoEnglishProse(t *testing.T) {
	var out strings.Builder
	std := console.Standard()
	std.Printer = message.For("zh")
	root := newRoot("apitrace", std)
	root.SetOut(&out)
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		out.Reset()
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		if c.HasParent() && !strings.Contains(out.String(), "\n全局参数：\n") {
			t.Errorf("%s: the help has no list of global flags:\n%s", c.CommandPath(), out.String())
		}
		for line := range strings.Lines(out.String()) {
			if english := englishIn(strings.TrimSuffix(line, "\n")); english != "" {
				t.Errorf("%s: English in the help: %q in\n%s", c.CommandPath(), english, line)
			}
		}
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if !chinese.MatchString(flag.Usage) {
				t.Errorf("%s --%s: %q is not Chinese", c.CommandPath(), flag.Name, flag.Usage)
			}
		})
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
}

var (
	// notProse matches text that is not prose: the usage, the lines of examples that a
	// shell runs, a command in a list, flags with their type or value, and quotations.
	notProse = regexp.MustCompile(`^ {2}[^# -].*? {2,}|^ {2}[^# -].*$|^ {4}\S.*$|^ +(-\w, )?--[^ \[]+( \w+)?(\[.*\])? {3}|"[^"]*"|--[a-z-]+( [a-z]+)?`)
	// englishTerms are terms that Chinese engineers write in English, and names of two
	// words.
	englishTerms = regexp.MustCompile(`Model Context Protocol|Debug Adapter Protocol|VS Code|JSON Schema|Server-Side Apply|OpenTelemetry Collector|file exporter|unix socket`)
	englishWords = regexp.MustCompile(`^[A-Z][A-Za-z ]*:$|[A-Za-z][a-z'-]+ [A-Za-z][A-Za-z'-]*`)
)

// englishIn returns the English heading or the first run of two English words in a line
// of help.
func englishIn(line string) string {
	return englishWords.FindString(englishTerms.ReplaceAllString(notProse.ReplaceAllString(line, ""), ""))
}

// TestHelpFitsATerminal checks that no line of help is wider than 80 columns, in both
// languages. Usage lines, the list of default releases and cobra's own texts on
// completion may be wider.
func TestHelpFitsATerminal(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		var out strings.Builder
		std := console.Standard()
		std.Printer = message.For(lang)
		root := newRoot("apitrace", std)
		root.SetOut(&out)
		var walk func(*cobra.Command)
		walk = func(c *cobra.Command) {
			out.Reset()
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				if lipgloss.Width(line) > 80 && !strings.HasSuffix(line, " [flags]") && !strings.Contains(line, "[v1.") && !strings.Contains(line, "package manager.") {
					t.Errorf("%s, %s: %d columns, expected at most 80: %s", c.CommandPath(), lang, lipgloss.Width(line), line)
				}
			}
			for _, child := range c.Commands() {
				walk(child)
			}
		}
		walk(root)
	}
}
