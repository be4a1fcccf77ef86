package learner

import (
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/workshop"
)

func TestLay(t *testing.T) {
	const in = `# A title

A paragraph of *some* words with ` + "`a --flag` and `registry.(*Store).Get`" + `, which
goes on here.

    code   that is wider than the rest of the text
    and has a second line

- An **item** that is longer than a line can be.
- Another
`
	const want = `# A title

A paragraph of some words with
` + "`a --flag` and\n`registry.(*Store).Get`" + `, which
goes on here.

  code   that is wider than the rest of the text
  and has a second line

• An item that is longer than a
  line can be.
• Another
`
	if got := (typesetter{width: 32}).lay(in); got != want {
		t.Errorf("laid out as\n%s\nexpected\n%s", got, want)
	}
	if got := (typesetter{width: 32, colour: true}).lay("*a* `b`"); !strings.Contains(got, "\x1b[") || strings.ContainsAny(got, "*`") {
		t.Errorf("with colours: got %q, expected escape sequences in place of the marks", got)
	}
	// Chinese lines are joined without a blank, and a full stop does not begin a line.
	if got, want := (typesetter{width: 20}).lay("一二三四五六七\n八九十。一 `x`\n八"), "一二三四五六七八九\n十。一 `x` 八\n"; got != want {
		t.Errorf("laid out as %q, expected %q", got, want)
	}
	// Lines are also joined without a blank after full-width punctuation.
	if got, want := (typesetter{width: 40}).lay("一二。\n`x`、\ny（z）\na"), "一二。`x`、y（z）a\n"; got != want {
		t.Errorf("laid out as %q, expected %q", got, want)
	}
}

// closing are characters that may not begin a line of Chinese.
var closing = regexp.MustCompile(`^ *[，。；：！？、）】》”’]`)

// TestLayTexts formats all texts of the course and the lessons. No mark of emphasis may
// be left, no line may be too wide, and no line may begin with punctuation that closes
// the line before.
func TestLayTexts(t *testing.T) {
	texts := map[string]string{}
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range course.Exercises() {
		for _, text := range e.Texts() {
			texts[e.Name+" "+text.En] = text.En
			texts[e.Name+" "+text.Zh] = text.Zh
		}
	}
	for _, name := range lessons.Names() {
		for _, lang := range []string{"en", "zh"} {
			if texts[name+" "+lang], err = lessons.Page(name, lang); err != nil {
				t.Fatal(err)
			}
		}
	}
	code := regexp.MustCompile("(?sm)`[^`]*`|^  .*?$")
	emphasis := regexp.MustCompile(`.{0,20}(\*\*|(^|\s)\*\S|\S\*\s).{0,20}`)
	for _, width := range []int{70, 80, 88} {
		for name, markdown := range texts {
			laid := typesetter{width: width}.lay(markdown)
			if mark := emphasis.FindString(code.ReplaceAllString(laid, "")); mark != "" {
				t.Errorf("%.60s: %q is left: a mark of emphasis, or a name without backquotes", name, mark)
			}
			for line := range strings.Lines(laid) {
				if closing.MatchString(line) {
					t.Errorf("%.60s: a line begins with punctuation: %q", name, line)
				}
				if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > width && !strings.HasPrefix(line, "  ") {
					t.Errorf("%.60s: %d columns, expected at most %d: %q", name, w, width, line)
				}
			}
		}
	}
}
