package learner

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/docs/lessons"
)

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
