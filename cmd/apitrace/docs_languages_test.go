package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// userPages are the pages that users read. NAME.zh.md is the Chinese version of NAME.md.
var userPages = []string{
	"README.md", "docs/tree.md", "docs/scenarios.md", "docs/requests.md", "docs/diff.md", "docs/explore.md",
	"docs/workshop.md", "docs/versions.md", "docs/own-server.md", "docs/editors.md", "docs/web.md", "docs/old-articles.md",
	"docs/install.md",
}

// TestChinesePagesInStep checks that both languages of each user page and lesson have the
// same structure: the order and levels of the headings and, below each heading, the
// blocks of code, the sizes of tables, names in code and the targets of links. It ignores
// comments in blocks of code, which are translated, and outputs of commands, which
// TestDocsShowRealOutput checks.
func TestChinesePagesInStep(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, page := range userPages {
		for _, difference := range outOfStep(t, root, page) {
			t.Error(difference)
		}
	}
	lessons, err := filepath.Glob(filepath.Join(root, "docs", "lessons", "*.en.md"))
	if err != nil || len(lessons) == 0 {
		t.Fatalf("no lessons found (%v)", err)
	}
	for _, lesson := range lessons {
		for _, difference := range outOfStep(t, root, filepath.Join("docs", "lessons", filepath.Base(lesson))) {
			t.Error(difference)
		}
	}
	all, err := filepath.Glob(filepath.Join(root, "docs", "*.zh.md"))
	if err != nil || len(all) != len(userPages)-1 {
		t.Errorf("docs has %d pages in Chinese (error: %v), expected one for each of %q except README.md", len(all), err, userPages)
	}
}

// chinesePage returns the name of the Chinese translation of NAME.md or, for lessons,
// NAME.en.md: NAME.zh.md.
func chinesePage(page string) string {
	return strings.TrimSuffix(strings.TrimSuffix(page, ".md"), ".en") + ".zh.md"
}

// bothPages returns a name that both languages of a page or a picture share.
func bothPages(page string) string {
	return strings.NewReplacer(".zh.md", ".md", ".en.md", ".md", ".zh.png", ".png").Replace(page)
}

// outOfStep lists the differences between a page and its translation.
func outOfStep(t *testing.T, root, page string) (differences []string) {
	t.Helper()
	english, chinese := outlined(t, root, page), outlined(t, root, chinesePage(page))
	for i := range max(len(english), len(chinese)) {
		switch {
		case i >= len(english):
			differences = append(differences, fmt.Sprintf("%s: the heading %q has no counterpart in English", chinesePage(page), chinese[i].title))
		case i >= len(chinese):
			differences = append(differences, fmt.Sprintf("%s: the heading %q has no counterpart in Chinese", page, english[i].title))
		default:
			for _, difference := range english[i].differences(chinese[i]) {
				differences = append(differences, fmt.Sprintf("%s, %q and %q: %s", page, english[i].title, chinese[i].title, difference))
			}
		}
	}
	return differences
}

// section is the content below one heading of a page, in a form that is the same in both
// languages.
type section struct {
	level  int
	title  string
	text   string   // without code
	code   []string // the blocks, without comments and shown outputs
	tables []string // the columns of each row, such as "3 3 3"
	names  []string // names in code, sorted, each once
	links  []string // targets of links, sorted, each once; a heading is given by its number
}

func (s section) differences(other section) (texts []string) {
	if s.level != other.level {
		texts = append(texts, fmt.Sprintf("a heading of level %d and one of level %d", s.level, other.level))
	}
	for _, part := range []struct {
		name string
		a, b []string
	}{{"code", s.code, other.code}, {"tables", s.tables, other.tables}, {"names in code", s.names, other.names}, {"links", s.links, other.links}} {
		if slices.Equal(part.a, part.b) {
			continue
		}
		only := func(a, b []string) []string {
			return slices.DeleteFunc(slices.Clone(a), func(text string) bool { return slices.Contains(b, text) })
		}
		texts = append(texts, fmt.Sprintf("%s: only in English %q, only in Chinese %q (%d and %d)",
			part.name, only(part.a, part.b), only(part.b, part.a), len(part.a), len(part.b)))
	}
	return texts
}

var (
	pictureInDocs = regexp.MustCompile("(?s)(<!-- [a-z ]+ -->\n\n)```\n.*?\n```\n") // see docs/lessons/drawings_test.go
	headingOfPage = regexp.MustCompile(`^(#+) (.*)$`)
	tableRow      = regexp.MustCompile(`^\|.*\|$`)
	nameInCode    = regexp.MustCompile("(?s)``[^`].*?``|`[^`]+`")
	linkInPage    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	commentInCode = regexp.MustCompile(`(^|\s+)# .*$`)
	chineseWord   = regexp.MustCompile(`\p{Han}`)
)

// outlined returns the sections of a page.
func outlined(t *testing.T, root, page string) []section {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	text := shownInDocs.ReplaceAllString(string(data), "```\n$1```\n")
	text = drawnInDocs.ReplaceAllString(text, "```\n$1```\n")
	text = pictureInDocs.ReplaceAllString(text, "$1```\n```\n")
	var sections []section
	here := &section{}
	fence, block := "", []string(nil)
	printed := false // whether the indented lines are the output of the command above them
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") && fence == "":
			fence, block = trimmed, []string{trimmed}
		case fence != "" && trimmed == "```":
			here.code = append(here.code, strings.Join(block, "\n"))
			fence = ""
		case fence != "":
			block = append(block, commentInCode.ReplaceAllString(line, ""))
		case headingOfPage.MatchString(line):
			m := headingOfPage.FindStringSubmatch(line)
			sections = append(sections, section{level: len(m[1]), title: m[2]})
			here = &sections[len(sections)-1]
			here.text = m[2] + "\n"
		case strings.HasPrefix(line, "    ") && printed: // the output is in the language of the page
		case strings.HasPrefix(line, "    ") && !strings.HasPrefix(trimmed, "-"):
			printed = strings.HasPrefix(trimmed, "$ ")
			here.code = append(here.code, commentInCode.ReplaceAllString(line, ""))
		default:
			printed = false
			if tableRow.MatchString(trimmed) {
				here.tables = append(here.tables, fmt.Sprint(strings.Count(strings.ReplaceAll(trimmed, `\|`, ""), "|")-1))
			}
			here.text += line + "\n"
		}
	}
	for i := range sections {
		s := &sections[i]
		s.addInline(t, root, page)
		slices.Sort(s.names)
		slices.Sort(s.links)
		s.names, s.links = slices.Compact(s.names), slices.Compact(s.links)
	}
	return sections
}

// addInline adds the names in code and the links of the text. It leaves out names with
// Chinese characters, and spokenNames.
func (s *section) addInline(t *testing.T, root, page string) {
	t.Helper()
	for _, name := range nameInCode.FindAllString(s.text, -1) {
		name = strings.Join(strings.Fields(name), " ") // it may go on in the next line
		if !chineseWord.MatchString(name) && !slices.Contains(spokenNames, name) {
			s.names = append(s.names, name)
		}
	}
	for _, m := range linkInPage.FindAllStringSubmatch(nameInCode.ReplaceAllString(s.text, ""), -1) {
		if target := linkTarget(t, root, page, m[1]); target != "" {
			s.links = append(s.links, target)
		}
	}
}

// spokenNames are texts that apitrace prints, set as code. On Chinese pages they are
// Chinese, so the comparison leaves them out.
var spokenNames = []string{"`▸ 2 Authentication`", "`▸ 6 Routing`", "`still running`", "`was`", "`was called by`"}

// listsBoth reports whether a page links to both languages of other pages.
func listsBoth(page string) bool { return bothPages(page) == "docs/workshop.md" }

// linkTarget returns the target of a link in a form that both languages share: a heading is
// given by its number. For the link to the page's other language, it returns "".
func linkTarget(t *testing.T, root, page, link string) string {
	t.Helper()
	if strings.Contains(link, "://") {
		return link
	}
	file, anchor, _ := strings.Cut(link, "#")
	path := page
	if file != "" {
		path = filepath.Join(filepath.Dir(page), file)
	}
	target, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Errorf("%s: the file of the link %s cannot be read: %v", page, link, err)
		return link
	}
	same, chinese := bothPages(path), strings.HasSuffix(page, ".zh.md")
	if same == bothPages(page) && file != "" {
		return ""
	}
	if !strings.HasSuffix(path, ".zh.md") && chinese {
		if _, err := os.Stat(filepath.Join(root, chinesePage(path))); err == nil && !listsBoth(page) {
			t.Errorf("%s: the link %s leads to a page in the other language", page, link)
		}
	} else if strings.HasSuffix(path, ".zh.md") && !chinese && !listsBoth(page) {
		t.Errorf("%s: the link %s leads to a page in the other language", page, link)
	}
	if anchor == "" {
		return same
	}
	number := 0
	for line := range strings.SplitSeq(shownInDocs.ReplaceAllString(string(target), ""), "\n") {
		if m := headingOfPage.FindStringSubmatch(line); m != nil {
			if number++; anchorOf(m[2]) == anchor {
				return fmt.Sprintf("%s#%d", same, number)
			}
		}
	}
	t.Errorf("%s: the page of the link %s has no such heading", page, link)
	return link
}

// anchorOf returns the anchor that GitHub makes for a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestLinksOfPages follows the links of all pages: the page and the heading must exist. A
// Chinese page must link to the Chinese version of a page, if there is one.
func TestLinksOfPages(t *testing.T) {
	root := filepath.Join("..", "..")
	pages := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/lessons/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			page, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			outlined(t, root, page) // reports links without a target
			pages++
		}
	}
	if pages < 40 {
		t.Errorf("found %d pages, expected 40 or more", pages)
	}
}

// TestPagesOutOfStepAreFound changes the Chinese version of a page in each way that
// outOfStep must notice.
func TestPagesOutOfStepAreFound(t *testing.T) {
	const english = "# A\n\n[zh](a.zh.md)\n\n```sh\nrun x # why\n```\n\n## B\n\n`a` and [c](b.md#e-f)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n    run y\n"
	chinese := strings.NewReplacer("# A", "# 甲", "a.zh.md", "a.md", "# B", "# 乙", "why", "为什么", " and ", "和", "b.md#e-f", "b.zh.md#戊己").Replace(english)
	for _, tt := range []struct{ part, from, to string }{
		{"", "", ""},
		{"heading of level", "## 乙", "### 乙"},
		{"code", "run x", "run z"},
		{"code", "run y", "run z"},
		{"tables", "| 1 | 2 |\n", ""},
		{"tables", "| 1 | 2 |", "| 1 | 2 | 3 |"},
		{"names in code", "`a`", "`b`"},
		{"links", "[c](b.zh.md#戊己)", "c"},
		{"links", "b.zh.md#戊己", "b.zh.md"},
	} {
		root := t.TempDir()
		for file, text := range map[string]string{
			"a.md": english, "a.zh.md": strings.Replace(chinese, tt.from, tt.to, 1), "b.md": "# D\n## E, F", "b.zh.md": "# 丁\n## 戊、己",
		} {
			if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := outOfStep(t, root, "a.md")
		if tt.part == "" && len(got) > 0 || tt.part != "" && (len(got) != 1 || !strings.Contains(got[0], tt.part)) {
			t.Errorf("%q instead of %q: got %q, expected one difference with %q in it, or none if that is \"\"", tt.to, tt.from, got, tt.part)
		}
	}
}
