package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/view"
)

// WriteStory writes a story. A line has the number of the request that proves it, the time
// since the first line, the actor, and the text. It stands below its cause. At the end are
// remarks. Texts of the recording are escaped.
func WriteStory(w io.Writer, story *view.CausalStory, options Options) error {
	out := bufio.NewWriter(w)
	d := newPen(&options.Options, &options.Layout)
	fmt.Fprintln(out, d.paint(d.Facts, fmt.Sprintf("%4s %7s  %s", "#", d.words.Sprintf("time"), d.words.Sprintf("who did what, below its cause (time since the first line)"))))
	for i := range story.Lines {
		d.writeStoryLine(out, story.Lines, i)
	}
	remarks := append(slices.Clip(story.Remarks), d.words.Sprintf("A number is that of a request or event: \"--only 2\" shows its calls."))
	for _, remark := range remarks {
		for _, line := range wrap(oneLine(remark), d.width) {
			fmt.Fprintln(out, d.paint(d.Facts, line))
		}
	}
	return out.Flush()
}

func (p *pen) writeStoryLine(out *bufio.Writer, lines []view.CausalLine, i int) {
	l := &lines[i]
	lead := fmt.Sprintf("%4d %7s  ", l.Request, l.Time)
	guides, below := p.storyGuides(lines, i)
	style := p.Key
	if l.Failed {
		style = p.Error
	}
	actor := oneLine(l.Actor) + p.colon()
	const hang = "    " // more than the guides of a line below
	for n, line := range wrap(actor+oneLine(l.Text), p.width-len(lead)-columnsOf(guides)-len(hang)) {
		if n > 0 {
			fmt.Fprintln(out, strings.Repeat(" ", len(lead))+p.paint(p.Guide, below)+hang+line)
			continue
		}
		if rest, ok := strings.CutPrefix(line, actor); ok {
			line = p.paint(style, actor) + rest
		}
		fmt.Fprintln(out, p.paint(p.Facts, lead)+p.paint(p.Guide, guides)+line)
	}
}

// storyGuides returns the lines of the tree before a line of a story, and before the rest of
// that line.
func (p *pen) storyGuides(lines []view.CausalLine, i int) (before, below string) {
	// goesOn reports whether a line of the level follows in the same branch.
	goesOn := func(level int) bool {
		next := slices.IndexFunc(lines[i+1:], func(l view.CausalLine) bool { return l.Level <= level })
		return next >= 0 && lines[i+1+next].Level == level
	}
	for level := 1; level <= lines[i].Level; level++ {
		switch on := goesOn(level); {
		case level == lines[i].Level && on:
			before, below = before+shortGuide(p.branch), below+shortGuide(p.line)
		case level == lines[i].Level:
			before, below = before+shortGuide(p.last), below+shortGuide(p.blank)
		case on:
			before, below = before+shortGuide(p.line), below+shortGuide(p.line)
		default:
			before, below = before+shortGuide(p.blank), below+shortGuide(p.blank)
		}
	}
	if i+1 < len(lines) && lines[i+1].Level > lines[i].Level {
		below += shortGuide(p.line)
	}
	return before, below
}

// shortGuide returns the lines of a tree in two columns, because a story is deep.
func shortGuide(guide string) string { return string([]rune(guide)[0]) + " " }
