package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/view"
)

// WriteStory writes a story. A line has the number of the request that proves it, the time
// since the first line, the actor, and the text. It stands below its cause. At the end are
// remarks. Texts of the recording are escaped.
func WriteStory(w io.Writer, story *view.CausalStory, options Options) error {
	out, d := bufio.NewWriter(w), newPen(&options.Options, &options.Layout)
	heading, lines := StoryRows(story, options)
	writeRows(out, heading)
	for _, rows := range lines {
		writeRows(out, rows)
	}
	d.writeStoryRemarks(out, story.Remarks)
	return out.Flush()
}

func writeRows(out *bufio.Writer, rows []string) {
	for _, row := range rows {
		fmt.Fprintln(out, row)
	}
}

// StoryRows returns the rows of text of a story's heading and of each of its lines, as
// WriteStory writes them.
func StoryRows(story *view.CausalStory, options Options) (heading []string, lines [][]string) {
	d := newPen(&options.Options, &options.Layout)
	title := d.words.Sprintf("who did what, below its cause (time since the first line)")
	heading = d.storyHeading(fmt.Sprintf("%4s %7s  ", "#", d.words.Sprintf("time")), title)
	for i := range story.Lines {
		l := &story.Lines[i]
		guides, below := d.storyGuides(story.Lines, i)
		lines = append(lines, d.storyLine(l, fmt.Sprintf("%4d %7s  ", l.Request, l.Time), guides, below))
	}
	return heading, lines
}

// storyHeading returns the heading of a story: the names of the columns, and the title beside them.
func (p *pen) storyHeading(columns, title string) (rows []string) {
	for _, line := range wrap(title, max(least, p.width-columnsOf(columns))) {
		rows = append(rows, p.paint(p.Facts, columns+line))
		columns = strings.Repeat(" ", columnsOf(columns))
	}
	return rows
}

// WriteStoryByTime writes a story as WriteStory does, but in the order of time. A line has the
// number of its cause, unless its cause is the line above.
func WriteStoryByTime(w io.Writer, story *view.CausalStory, options Options) error {
	out, d := bufio.NewWriter(w), newPen(&options.Options, &options.Layout)
	title := d.words.Sprintf("who did what, in the order of time (time since the first line)")
	writeRows(out, d.storyHeading(fmt.Sprintf("%4s %7s %5s  ", "#", d.words.Sprintf("time"), d.words.Sprintf("cause")), title))
	above := -1
	for _, i := range story.ByTime() {
		l, cause := &story.Lines[i], ""
		if c := story.Cause(i); c >= 0 && c != above {
			cause = strconv.Itoa(story.Lines[c].Request)
		}
		writeRows(out, d.storyLine(l, fmt.Sprintf("%4d %7s %5s  ", l.Request, l.Time, cause), "", ""))
		above = i
	}
	d.writeStoryRemarks(out, append(slices.Clip(story.Remarks), d.words.Sprintf("The column \"cause\" has the number of the line that caused a line. It is empty if that is the line above, and for the requests of the client.")))
	return out.Flush()
}

// writeStoryRemarks writes the end of a story.
func (p *pen) writeStoryRemarks(out *bufio.Writer, remarks []string) {
	remarks = append(slices.Clip(remarks), p.words.Sprintf("A number is that of a request or event: \"--only 2\" shows its calls."))
	for _, remark := range remarks {
		for _, line := range wrap(oneLine(remark), p.width) {
			fmt.Fprintln(out, p.paint(p.Facts, line))
		}
	}
}

// storyLine returns the rows of a line behind its lead. guides and below are the results of
// storyGuides.
func (p *pen) storyLine(l *view.CausalLine, lead, guides, below string) (rows []string) {
	style := p.Key
	if l.Failed {
		style = p.Error
	}
	actor := oneLine(l.Actor) + p.colon()
	const hang = "    " // more than the guides of a line below
	room := p.width - len(lead) - columnsOf(guides) - len(hang)
	if over := least - room; over > 0 { // too deep for the width
		guides, below, room = p.cutLeft(guides, over), p.cutLeft(below, over), least
	}
	below += strings.Repeat(" ", columnsOf(guides)+len(hang)-columnsOf(below))
	for n, line := range wrap(actor+oneLine(l.Text), room) {
		if n > 0 {
			rows = append(rows, strings.Repeat(" ", len(lead))+p.paint(p.Guide, below)+line)
			continue
		}
		if rest, ok := strings.CutPrefix(line, actor); ok {
			line = p.paint(style, actor) + rest
		}
		rows = append(rows, p.paint(p.Facts, lead)+p.paint(p.Guide, guides)+line)
	}
	return rows
}

// cutLeft removes columns at the left of guides, and marks this with an ellipsis.
func (p *pen) cutLeft(guides string, columns int) string {
	return ansi.TruncateLeft(guides, columns+columnsOf(p.Ellipsis), p.Ellipsis)
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
