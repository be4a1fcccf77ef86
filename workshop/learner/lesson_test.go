package learner

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/docs/lessons"
)

// TestPageAbout finds lessons by words of their titles and headings.
func TestPageAbout(t *testing.T) {
	for text, want := range map[string]string{"watch": "06-watch", "Filter Chain": "02-filter-chain", "过滤器链": "02-filter-chain", "storage": "05-storage"} {
		for _, lang := range []string{"en", "zh"} {
			if got, err := pageAbout(text, lang); got != want {
				t.Errorf("%s, %s: got %q, %v, expected %s", text, lang, got, err, want)
			}
		}
	}
	for text, want := range map[string]string{
		"wacth":     `did you mean "watch"?`,
		"frobnicat": "a word of a title, or one of 01-url-to-handler, ",
		"step":      "several lessons are about \"step\": choose one\n  apitrace workshop lesson 03-get: A GET, step by step\n  apitrace workshop lesson 04-create: ",
	} {
		if got, err := pageAbout(text, "en"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v, expected the error %q", text, got, err, want)
		}
	}
}

func TestForTerminal(t *testing.T) {
	const page = "See [the map](code-map.zh.md), [the course](../workshop.md) and [Go](https://go.dev).\n\n```mermaid\n%% $ apitrace show get-node -o mermaid\nsequenceDiagram\n```\n\n| a | b | c | |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | |\n| `4` | | 6 | 7 |\n"
	const want = "See the map (`apitrace workshop lesson code-map`), the course and [Go](https://go.dev).\n\n```\n$ apitrace show get-node -o mermaid\n```\n\n- 1: 2; c: 3\n- `4`; c: 6; 7\n"
	if got := forTerminal(page, "en"); got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// TestLessonsForTerminal checks that no diagram, no table and no link to a page is left, and
// that links to lessons lead to existing lessons.
func TestLessonsForTerminal(t *testing.T) {
	for _, name := range lessons.Names() {
		for _, lang := range []string{"en", "zh"} {
			page, err := lessons.Page(name, lang)
			if err != nil {
				t.Fatal(err)
			}
			for _, left := range []string{".md)", "```mermaid", "| --- |"} {
				if strings.Contains(forTerminal(page, lang), left) {
					t.Errorf("%s.%s: %q is left for the terminal, expected none", name, lang, left)
				}
			}
			for _, m := range toLesson.FindAllStringSubmatch(page, -1) {
				if _, err := lessons.Page(m[2], lang); err != nil {
					t.Errorf("%s.%s: a link leads to no lesson: %v", name, lang, err)
				}
			}
		}
	}
}
