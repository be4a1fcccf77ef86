package render

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// anyChoice draws a view.Choice.
func anyChoice(t *rapid.T) view.Choice {
	choice := view.Choice{
		Full: rapid.Bool().Draw(t, "full"), Depth: rapid.IntRange(0, 4).Draw(t, "depth"),
		Most: rapid.IntRange(0, 5).Draw(t, "most"), Upstream: rapid.Bool().Draw(t, "upstream"),
	}
	if rapid.Bool().Draw(t, "filter") {
		choice.Filter = view.Filter{
			Errors: rapid.Bool().Draw(t, "errors"), Etcd: rapid.Bool().Draw(t, "etcd"),
			MinDuration: time.Duration(rapid.SampledFrom([]int{0, 1 << 40}).Draw(t, "min-duration")),
			Layers:      rapid.SampledFrom([][]string{nil, {"key1", "group1"}}).Draw(t, "layers"),
			Grep:        rapid.SampledFrom([]*regexp.Regexp{nil, regexp.MustCompile("key|长")}).Draw(t, "grep"),
		}
	}
	return choice
}

// TestLinesFit checks for any trace that no line is wider than the width, except a
// line with only a part of a name. It also checks that recorded texts are escaped.
func TestLinesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := viewtest.AnyRecording(t)
		o := Options{Options: view.Options{Choice: anyChoice(t), ASCII: rapid.Bool().Draw(t, "ascii"), Hyperlinks: rapid.Bool().Draw(t, "links"), Notes: rapid.Bool().Draw(t, "notes"), Lang: rapid.SampledFrom([]string{"", "zh"}).Draw(t, "lang")}, Layout: Layout{Width: rapid.IntRange(40, 130).Draw(t, "width")}}
		if rapid.Bool().Draw(t, "colour") {
			o.Palette = Colours()
		}
		var out strings.Builder
		var none *view.NoMatchError
		if err := writeTree(&out, rec, viewtest.ByName{}, o); err != nil && !errors.As(err, &none) {
			t.Fatal(err)
		}
		if err := writeOutline(&out, rec, viewtest.ByName{}, o); err != nil && !errors.As(err, &none) {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if width := lipgloss.Width(line); width > o.Width && !oneName(line) {
				t.Fatalf("a line has %d columns, expected at most %d: %q", width, o.Width, line)
			}
			if strings.Contains(line, "\r") || strings.Contains(line, "\x1b[44mc") || strings.Contains(line, "\x1b]8;;http://x") || !utf8.ValidString(line) {
				t.Fatalf("expected recorded texts to be escaped in the line %q", line)
			}
			if !o.Hyperlinks && !o.Palette.Key.GetBold() && strings.Contains(line, "\x1b") {
				t.Fatalf("expected no escape sequence without colours and links in the line %q", line)
			}
		}
	})
}

// oneName reports whether a line has only one word with letters, such as a part of a
// function's name. Lines of the tree and a time do not count as words.
func oneName(line string) bool {
	words := 0
	for word := range strings.FieldsSeq(ansi.Strip(line)) {
		if strings.ContainsFunc(word, unicode.IsLetter) && !times.MatchString(word) {
			words++
		}
	}
	return words == 1
}

// times matches the text of a duration.
var times = regexp.MustCompile(`^>?[0-9.]+[nµum]?s$`)
