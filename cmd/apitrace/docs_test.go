package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// shownInDocs matches a block of a page that begins with a command and continues with its
// output.
var shownInDocs = regexp.MustCompile("(?ms)^```\n(\\$ (apitrace [^\n]*)\n)(.*?)^```\n")

// drawnInDocs matches a Mermaid diagram, which GitHub draws. A comment in the diagram names
// the command that prints it.
var drawnInDocs = regexp.MustCompile("(?ms)^```mermaid\n(%% \\$ (apitrace [^\n]*)\n)(.*?)^```\n")

// TestDocsNameTheDisk checks that the documents and "apitrace doctor" state the same
// disk space for a build.
func TestDocsNameTheDisk(t *testing.T) {
	need := program.FormatBytes(apiserver.Space())
	for _, page := range []string{"README.md", "README.zh.md", "docs/install.md", "docs/install.zh.md", "docs/lessons/leaders.en.md", "docs/lessons/leaders.zh.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), need) {
			t.Errorf("%s does not say that a build needs %s", page, need)
		}
	}
}

// TestDocsShowRealOutput compares the outputs on the pages with the outputs of the
// commands, which read the embedded recordings. A line "…" stands for lines that the
// page omits. Commands on pages that end in .zh.md run with a Chinese locale.
// "make docs" updates the pages.
func TestDocsShowRealOutput(t *testing.T) {
	testenv.Costly(t, "runs the commands of all documents")
	pages := []string{"README.md", "README.zh.md"}
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), "docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) { blocks[page] = compareShownOutput(t, filepath.Join(root, page)) })
	}
	for page, want := range map[string]int{"README.md": 1, "README.zh.md": 1, "docs/tree.md": 3, "docs/tree.zh.md": 3, "docs/changes.md": 4} {
		if blocks[page] < want {
			t.Errorf("%s shows the output of %d commands: expected %d or more", page, blocks[page], want)
		}
	}
}

// compareShownOutput compares, or updates, one page and returns how many outputs it shows.
func compareShownOutput(t *testing.T, file string) (blocks int) {
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	locale := "en_US.UTF-8"
	if strings.HasSuffix(file, ".zh.md") {
		locale = "zh_CN.UTF-8"
	}
	var drifted []string
	got := string(page)
	for begin, shown := range map[string]*regexp.Regexp{"```\n": shownInDocs, "```mermaid\n": drawnInDocs} {
		got = shown.ReplaceAllStringFunc(got, func(block string) string {
			blocks++
			m := shown.FindStringSubmatch(block)
			output := printed(t, m[2], locale)
			if isExcerpt(m[3], output) {
				return block
			}
			drifted = append(drifted, m[2])
			return begin + m[1] + output + "```\n"
		})
	}
	switch {
	case len(drifted) == 0:
	case *update:
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show the output of these commands; \"make docs\" updates it:\n%s", file, strings.Join(drifted, "\n"))
	}
	return blocks
}

// printed runs a command line of a page and returns its output, 80 columns wide. The shell
// runs the part after a "|".
func printed(t *testing.T, line, locale string) string {
	for _, name := range []string{"NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "LC_MESSAGES", "LANG"} {
		t.Setenv(name, "")
	}
	t.Setenv("LC_ALL", locale)
	command, filter, filtered := strings.Cut(line, " | ")
	args := strings.Fields(command)
	for i, arg := range args {
		args[i] = strings.Trim(arg, "'")
	}
	var out bytes.Buffer
	if err := execute(t.Context(), args, &console.Streams{Out: &out, Err: t.Output(), Printer: message.For(output.LanguageOf(args, os.Getenv))}); err != nil && !errors.Is(err, errDifferent) {
		t.Fatalf("%s: %v", line, err)
	}
	if !filtered {
		return out.String()
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", filter)
	shell.Stdin = &out
	shell.Env = append(os.Environ(), "LC_ALL=C") // otherwise the patterns of grep depend on the installed locales
	text, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(text)
}

// isExcerpt reports whether text is equal to whole, or consists of parts of whole in the
// same order, with a line "…" for each omitted part. An empty text is not an excerpt.
func isExcerpt(text, whole string) bool {
	if strings.Trim(text, "…\n") == "" {
		return false
	}
	first := true
	for part := range strings.SplitSeq(text, "…\n") {
		before, behind, ok := strings.Cut(whole, part)
		if !ok || first && before != "" {
			return false
		}
		first, whole = false, behind
	}
	return whole == "" || strings.HasSuffix(text, "…\n")
}

// TestLessonsAreTranslated checks that each lesson exists in both languages, and shows the
// output of the same commands.
func TestLessonsAreTranslated(t *testing.T) {
	lessons, err := filepath.Glob(filepath.Join("..", "..", "docs", "lessons", "*.md"))
	if err != nil || len(lessons) == 0 {
		t.Fatalf("no lessons found (%v)", err)
	}
	commands := map[string][]string{} // by the name of the lesson and its language
	for _, file := range lessons {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		key := strings.TrimSuffix(filepath.Base(file), ".md")
		commands[key] = []string{}
		for _, shown := range []*regexp.Regexp{shownInDocs, drawnInDocs} {
			for _, m := range shown.FindAllStringSubmatch(string(page), -1) {
				commands[key] = append(commands[key], m[2])
			}
		}
	}
	for key, here := range commands {
		name, language, _ := strings.Cut(key, ".")
		other := map[string]string{"en": "zh", "zh": "en"}[language]
		there, ok := commands[name+"."+other]
		if !ok {
			t.Errorf("the lesson %s has no translation, %s.%s.md", key, name, other)
		}
		if ok && !slices.Equal(here, there) {
			t.Errorf("%s.md shows the commands\n%s\nand its translation shows\n%s\nexpected the same commands", key, strings.Join(here, "\n"), strings.Join(there, "\n"))
		}
	}
}
