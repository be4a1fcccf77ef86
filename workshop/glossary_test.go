package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/scenarios"
)

// chineseTexts returns all Chinese texts of apitrace, by the file or the object that has
// them.
func chineseTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range course.Chapters {
		texts[c.Name] = c.Title.Zh + "\n" + c.Teaches.Zh
	}
	for _, e := range course.Exercises() {
		for _, text := range e.Texts() {
			texts[e.File] += text.Zh + "\n"
		}
	}
	for _, name := range lessons.Names() {
		if texts["lesson "+name], err = lessons.Page(name, "zh"); err != nil {
			t.Fatal(err)
		}
	}
	all, err := scenarios.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		texts["scenario "+s.Name] = s.Title.Zh + "\n" + s.Description.Zh
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range guide.Layers {
		texts["layer "+l.Name] = l.Title.Zh
	}
	for _, s := range guide.Steps {
		texts["note of "+fmt.Sprint(s.Function)] += s.Note.Zh + "\n"
	}
	pages, err := filepath.Glob("../docs/*.zh.md")
	if err != nil {
		t.Fatal(err)
	}
	help, err := filepath.Glob("../cmd/apitrace/help/zh/*.txt")
	if err != nil || len(help) == 0 {
		t.Fatalf("found %d help files in Chinese and the error %v, expected at least one file", len(help), err)
	}
	for _, page := range append(append(pages, "../README.zh.md", "../internal/message/zh.po"), help...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
	}
	return texts
}

// TestGlossary checks that no text has a word that docs/glossary.md replaces by another
// one.
func TestGlossary(t *testing.T) {
	page, err := os.ReadFile("../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := chineseTexts(t)
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|[^|]*\|([^|]*)\|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) < 30 {
		t.Fatalf("found %d terms in the glossary, expected 30 or more: has the format of its table changed?", len(rows))
	}
	for _, row := range rows[1:] {
		for word := range strings.SplitSeq(row[3], ",") {
			word = strings.TrimSpace(word)
			if word == "" || strings.HasPrefix(word, "---") {
				continue
			}
			for from, text := range texts {
				if i := strings.Index(text, word); i >= 0 {
					line, _, _ := strings.Cut(text[strings.LastIndexByte(text[:i], '\n')+1:], "\n")
					t.Errorf("%s has %q, but the glossary has %q for %q: %s", from, word, row[2], row[1], line)
				}
			}
		}
	}
}

// TestChineseLines checks that no Chinese line begins with punctuation that belongs to the
// line before.
func TestChineseLines(t *testing.T) {
	closing := regexp.MustCompile(`(?m)^\s*[，。；：！？、）】》”’].*$`)
	for from, text := range chineseTexts(t) {
		if line := closing.FindString(text); line != "" {
			t.Errorf("%s: a line begins with punctuation: %s", from, strings.TrimSpace(line))
		}
	}
}
