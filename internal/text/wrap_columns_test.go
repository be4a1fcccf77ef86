package text

import (
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
)

// TestWrapCountsColumns checks the width of lines with characters that take no
// column or two, and with escape sequences.
func TestWrapCountsColumns(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"e\u0301x e\u0301 y", 4, []string{"e\u0301x e\u0301", "y"}}, // an accent takes no column
		{"中 文 a 字", 6, []string{"中文 a", "字"}},
		{"abcdefgh ij", 5, []string{"abcde", "fgh", "ij"}},
		{"\x1b[31mred text\x1b[0m on", 8, []string{"\x1b[31mred text\x1b[0m", "on"}},
		{"\x1b]8;;file a\x1b\\link\x1b]8;;\x1b\\ to", 4, []string{"\x1b]8;;file a\x1b\\link\x1b]8;;\x1b\\", "to"}}, // a blank within a sequence
	} {
		got := Wrap(c.text, c.width)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: got %q, expected %q", c.text, c.width, got, c.want)
		}
		for _, line := range got {
			if w := lipgloss.Width(line); w > c.width {
				t.Errorf("the line %q has %d columns, expected at most %d", line, w, c.width)
			}
		}
	}
}
