package text

import (
	"slices"
	"testing"
)

// TestWrap checks that a line ends at a blank, next to a wide character or
// after Chinese punctuation, and that no line begins with closing punctuation.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"v1.30.4、v1.31.0、v1.32.0", 18, []string{"v1.30.4、v1.31.0、", "v1.32.0"}},
		{"版本一、版本二。", 6, []string{"版本", "一、版", "本二。"}},
		{"见（说明）一", 4, []string{"见", "（说", "明）", "一"}},
		{"一行\n又一行， x（y） 1 → z", 40, []string{"一行又一行，x（y）1 → z"}},
		{"“it”s", 20, []string{"“it”s"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s in %d columns: got %q, expected %q", c.text, c.width, got, c.want)
		}
	}
}

// TestBlank checks Blank, and that Wrap joins the lines of a paragraph by the
// same rule.
func TestBlank(t *testing.T) {
	for _, c := range []struct{ line, next, want string }{
		{"one", "two", " "},
		{"版本", "列表", ""},
		{"版本", "v1.30.4", " "},
		{"v1.30.4", "版本", " "},
		{"serve", "（后台）", ""},
		{"版本", "（后台）", ""},
		{"（后台）", "serve", ""},
		{"版本（", "v1.30.4）", ""},
		{"版本：", "-n", ""},
		{"v1.30.4", "。", ""},
		{"（RBAC）", "→", " "},
		{"the “list”", "of", " "},
		{"在", "“list”", " "},
	} {
		if got := Blank(c.line, c.next); got != c.want {
			t.Errorf("Blank(%q, %q) = %q, expected %q", c.line, c.next, got, c.want)
		}
		if lines, want := Wrap(c.line+"\n"+c.next, 40), c.line+c.want+c.next; !slices.Equal(lines, []string{want}) {
			t.Errorf("the lines %q and %q become %q, expected the line %q", c.line, c.next, lines, want)
		}
	}
}
