package text

import (
	"slices"
	"testing"
)

// A line ends at blanks, around wide characters and behind their punctuation, which begins no line.
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
			t.Errorf("%s at %d: %q, expected %q", c.text, c.width, got, c.want)
		}
	}
}
