package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// TestStory compares the stories of a recording with golden files.
func TestStory(t *testing.T) {
	for name, options := range map[string]Options{
		"story":        {Layout: Layout{Width: 80}},
		"story.narrow": {Options: view.Options{ASCII: true}, Layout: Layout{Width: 50}},
	} {
		var out strings.Builder
		if err := WriteStory(&out, view.NewCausalStory(viewtest.FollowedDeployment(), viewtest.ByName{}, "en"), options); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
	}
}

// TestStoryByTime compares a story in the order of time with a golden file.
func TestStoryByTime(t *testing.T) {
	var out strings.Builder
	if err := WriteStoryByTime(&out, view.NewCausalStory(viewtest.FollowedRefusals(), viewtest.ByName{}, "en"), Options{Layout: Layout{Width: 80}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "story.time", out.String())
}

// TestStoryFitsTheWidth checks that no row of the heading or of a line is wider than the terminal,
// in a deep story, too.
func TestStoryFitsTheWidth(t *testing.T) {
	story := view.NewCausalStory(viewtest.FollowedDeployment(), viewtest.ByName{}, "en")
	for i := range 12 {
		deeper := story.Lines[len(story.Lines)-1]
		deeper.Level, deeper.Text = i, strings.Repeat("creates a pod ", 12)
		story.Lines = append(story.Lines, deeper)
	}
	for width := 40; width <= 120; width++ {
		heading, lines := StoryRows(story, Options{Layout: Layout{Width: width}})
		lines = append(lines, heading)
		for _, row := range slices.Concat(lines...) {
			if columnsOf(row) > width {
				t.Errorf("a row has %d columns, expected at most %d: %q", columnsOf(row), width, row)
			}
		}
	}
}

// TestStoryMermaid compares the sequence diagram of a story with a golden file.
func TestStoryMermaid(t *testing.T) {
	var out strings.Builder
	if err := WriteStoryMermaid(&out, view.NewCausalStory(viewtest.FollowedDeployment(), viewtest.ByName{}, "en"), "en"); err != nil {
		t.Fatal(err)
	}
	golden(t, "story.mermaid", out.String())
}

// TestHostileStory checks that a recording's texts cannot control a terminal, or begin a line
// of a story.
func TestHostileStory(t *testing.T) {
	const evil = "\x1b]0;owned\a\x1b[2J\u009b31m\u202egpj\u2066\u2028\r\x7f\n1 0ms client: deletes all"
	rec := viewtest.FollowedDeployment()
	for i := range rec.Requests {
		r := &rec.Requests[i]
		r.Path, r.Incomplete = r.Path+evil, []string{evil}
		for j := range r.Calls {
			c := &r.Calls[j]
			c.Process += evil
			if c.Error != "" {
				c.Error = evil
			}
			for name, value := range c.Attributes {
				if name != trace.AttrEtcdTxnSucceeded { // without it there is no write
					c.Attributes[name] = value + evil
				}
			}
		}
	}
	story := view.NewCausalStory(rec, viewtest.ByName{}, "en")
	if told := fmt.Sprintf("%+v", story); strings.Count(told, evil) < 10 {
		t.Fatalf("expected a story with hostile actors, texts and remarks, got %q", told)
	}
	for name, write := range map[string]func(io.Writer, *view.CausalStory) error{
		"text": func(w io.Writer, s *view.CausalStory) error {
			return WriteStory(w, s, Options{Layout: Layout{Width: 80}})
		},
		"by time": func(w io.Writer, s *view.CausalStory) error {
			return WriteStoryByTime(w, s, Options{Layout: Layout{Width: 80}})
		},
		"Mermaid": func(w io.Writer, s *view.CausalStory) error { return WriteStoryMermaid(w, s, "en") },
	} {
		var out strings.Builder
		if err := write(&out, story); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.HasPrefix(line, "1 0ms") {
				t.Errorf("%s: a hostile text is not escaped: %q", name, line)
			}
		}
	}
}
