package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// A NoMatchError says that a filter lets no call of a recording through.
type NoMatchError struct {
	// Flags are the filter's, as they are spelled on the command line.
	Flags []string
	// Calls is how many calls there are.
	Calls int
	Lang  string
}

func (e *NoMatchError) Error() string {
	return saysNothingMatches.Format(e.Lang, strings.Join(e.Flags, " "), thousands(e.Calls))
}

// WriteTree draws each request of a recording as sections, each a tree of calls, with a
// heading and with a note on what is folded. Where a filter lets no call through, it draws nothing
// and returns a NoMatchError.
func WriteTree(w io.Writer, rec *trace.Recording, guide Guide, options Options) error {
	if options.Most == 0 {
		options.Most = StepsPerRequest(len(rec.Requests))
	}
	return writeListings(w, rec, guide, options, (*listing).write)
}

// writeListings writes each request's story in a way.
func writeListings(w io.Writer, rec *trace.Recording, guide Guide, options Options, write func(*listing, *bufio.Writer)) error {
	var all []*listing
	none := NoMatchError{Flags: options.Filter.Flags(), Lang: options.Lang}
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return fmt.Errorf("tree of %s %s: %w", r.Method, r.Path, err)
		}
		l := newListing(rec, view.Tell(view.NewView(tree, guide, options.Choice)), guide, options)
		if none.Calls += tree.Len(); l.story.Matching > 0 || !options.Filter.Active() {
			all = append(all, l)
		}
	}
	if len(all) == 0 && len(rec.Requests) > 0 {
		return &none
	}
	out := bufio.NewWriter(w)
	for i, l := range all {
		if i > 0 {
			out.WriteByte('\n')
		}
		write(l, out)
	}
	if left := len(rec.Requests) - len(all); left > 0 {
		all[0].writeWrapped(out, all[0].Facts, "\n"+saysNotShown.Format(options.Lang, thousands(left)))
	}
	return out.Flush()
}

// A listing is one story on its way to text.
type listing struct {
	pen
	rec        *trace.Recording
	story      *view.Story
	guide      Guide
	choice     Choice
	notes      bool
	hyperlinks bool
	// said are the sentences below the headings of sections.
	said map[*view.Section][]view.Sentence
	// noted are the functions whose note was written.
	noted map[string]bool
	// indirect is set when a step was drawn whose caller is folded.
	indirect bool
}

func newListing(rec *trace.Recording, story *view.Story, guide Guide, o Options) *listing {
	return &listing{pen: newPen(&o), rec: rec, story: story, guide: guide,
		choice: o.Choice, notes: o.Notes, hyperlinks: o.Hyperlinks, noted: map[string]bool{}}
}

func (l *listing) write(out *bufio.Writer) {
	l.writeHeading(out)
	seen := map[*view.Section]values{}
	l.said = l.sentences()
	for _, s := range l.story.Sections {
		fmt.Fprintln(out)
		l.writeSection(out, s, seen)
	}
	l.writeFooter(out)
}

// writeSection draws the heading of a section and the tree of its steps. seen are the values that
// a reader knows at the start of each section.
func (l *listing) writeSection(out *bufio.Writer, s *view.Section, seen map[*view.Section]values) {
	for _, line := range l.sectionHeading(s) {
		fmt.Fprintln(out, line)
	}
	d := &sectionDrawing{listing: l, out: out, seen: seen}
	d.node(s.Root, "", "", seen[s])
}

// sectionHeading names the layer, and says who called the section's first step.
func (l *listing) sectionHeading(s *view.Section) []string {
	title := l.title(s.Layer)
	if s.GoesOn {
		title = saysGoesOn.Format(l.lang, title)
	}
	const mostColumns = 100 // of the line behind the title
	style := l.headingStyle(s.Layer)
	lines := wrap(fmt.Sprintf("%s%s %d  %s", l.dash, l.dash, s.Number, title), l.width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	if free := min(l.width, mostColumns) - lipgloss.Width(lines[len(lines)-1]); free > 1 {
		lines[len(lines)-1] += " " + l.layerStyle(s.Layer).Render(strings.Repeat(l.dash, free-1))
	}
	indent := strings.Repeat(" ", l.timeColumns())
	for _, said := range l.said[s] {
		for _, line := range wrapNames(said.Text, l.width-len(indent)) {
			lines = append(lines, indent+l.Decisive.Render(line))
		}
	}
	for _, line := range wrapNames(l.called(s), l.width-len(indent)) {
		if line != "" {
			lines = append(lines, indent+l.Facts.Render(line))
		}
	}
	return lines
}

// sentences are those of the story, by the section in which they happened.
func (l *listing) sentences() map[*view.Section][]view.Sentence {
	if l.choice.Filter.Active() || l.story.Tree.Request.IsStart() {
		return nil
	}
	all := map[*view.Section][]view.Sentence{}
	for _, s := range view.Sentences(l.story.Tree, l.guide, l.story.ErrorPath, l.lang, 0) {
		in := l.story.SectionOf(s.Call)
		all[in] = append(all[in], s)
	}
	return all
}

// called says who called the first step of a section, and under what circumstances.
func (l *listing) called(s *view.Section) string {
	if s.Caller == nil {
		return ""
	}
	root := s.Root
	if root.Afterwards {
		return saysAfterWrite.Format(l.lang, l.duration(root.AfterNs))
	}
	text := saysCalledBy.Format(l.lang, l.name(s.Caller), s.From.Number)
	if root.Through > 0 {
		text = saysCalledThrough.Format(l.lang, l.name(s.Caller), s.From.Number, l.calls(root.Through))
	}
	if root.Crossing {
		text += saysInProcess.Format(l.lang, l.story.First(root).Process)
	}
	if root.NewGoroutine {
		text += saysOnGoroutine.In(l.lang)
	}
	return text
}

// title is the name of a layer for people.
func (l *listing) title(layer string) string {
	switch title := l.guide.Title(layer); {
	case title != "":
		return oneLine(title)
	case layer != "":
		return oneLine(layer)
	}
	return saysNoLayer.In(l.lang)
}

// calls counts calls in words.
func (p *pen) calls(n int) string { return saysCount(p.lang, n) }
