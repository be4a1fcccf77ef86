package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A noMatchError reports that a filter selects no call of a recording.
type noMatchError struct {
	// Flags are the filter's, as they are spelled on the command line.
	Flags []string
	// Calls is the number of calls of the recording.
	Calls int
	Lang  string
}

func (e *noMatchError) Error() string {
	return saysNothingMatches.Format(e.Lang, strings.Join(e.Flags, " "), thousands(e.Calls))
}

// WriteTree draws each request of a recording as sections, each a tree of calls, with a
// heading and a note on the folded calls. If a filter selects no call, it draws nothing and
// returns a noMatchError.
func WriteTree(w io.Writer, rec *trace.Recording, guide Guide, options Options) error {
	if options.Most == 0 {
		options.Most = StepsPerRequest(len(rec.Requests))
	}
	return writeListings(w, rec, guide, options, (*listing).write)
}

// writeListings writes each request's story in a way.
func writeListings(w io.Writer, rec *trace.Recording, guide Guide, options Options, write func(*listing, *bufio.Writer)) error {
	var all []*listing
	none := noMatchError{Flags: options.Filter.Flags(), Lang: options.Lang}
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return message.Errorf("tree of %s %s: %w", r.Method, r.Path, err)
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
		l.first = i == 0
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
	hideError  bool
	// said has the sentences below the headings of sections.
	said map[*view.Section][]view.Sentence
	// noted are the functions whose note was written.
	noted map[string]bool
	// diff is set where a comparison is drawn: the story is then that of the merged tree.
	diff *diffDrawing
	// callOf returns the call whose name a step has; nil for the story's call. column is the number of columns
	// before a line; 0 for the usual number. Both are set for a side of a comparison.
	callOf func(*node) *trace.Call
	column *int
	// outcomeOf replaces outcome in a comparison, where each side's request has its own.
	outcomeOf func(*node) (step *view.ErrorStep, fatal bool)
	// first is set for the first listing of a recording, which explains the signs.
	first bool
}

func newListing(rec *trace.Recording, story *view.Story, guide Guide, o Options) *listing {
	return &listing{pen: newPen(&o), rec: rec, story: story, guide: guide,
		choice: o.Choice, notes: o.Notes, hyperlinks: o.Hyperlinks, hideError: o.HideError, noted: map[string]bool{}}
}

func (l *listing) write(out *bufio.Writer) {
	l.writeHeading(out)
	l.writeKey(out)
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

// sectionHeading names the layer and the caller of the section's first step.
func (l *listing) sectionHeading(s *view.Section) []string {
	title := l.story.Title(s, l.guide, l.lang)
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
	if role := l.role(s); role != "" && len(l.said[s]) == 0 {
		general := message.For(l.lang).Sprintf("In general: %s", role)
		for _, line := range wrap(general, l.width-len(indent)) {
			lines = append(lines, indent+l.Note.Render(line))
		}
	}
	for _, line := range wrapNames(l.called(s), l.width-len(indent)) {
		if line != "" {
			lines = append(lines, indent+l.Facts.Render(line))
		}
	}
	return lines
}

// role returns the purpose of a section that has no sentences about decisions: the first sentence of the guide's
// note on its first step, with the next sentence if the first is only a name. If notes are shown, the note is
// at the step instead.
func (l *listing) role(s *view.Section) string {
	if l.diff != nil || l.notes || s.GoesOn || l.choice.Filter.Active() {
		return ""
	}
	const name = 24 // columns
	note := oneLine(l.guide.Note(l.story.First(s.Root).Function))
	for _, end := range []string{". ", "。"} {
		from := 0
		for {
			first, _, ok := strings.Cut(note[from:], end)
			if !ok {
				break
			}
			if from += len(first); lipgloss.Width(note[:from]) > name {
				note = note[:from]
				break
			}
			from += len(end)
		}
	}
	return strings.TrimRight(note, ".。")
}

// sentences returns the sentences of the story by section.
func (l *listing) sentences() map[*view.Section][]view.Sentence {
	if l.choice.Filter.Active() {
		return nil
	}
	all := map[*view.Section][]view.Sentence{}
	for _, s := range view.Sentences(l.story.Tree, l.guide, l.story.ErrorPath, l.lang, 0) {
		in := l.sectionAbout(s)
		all[in] = append(all[in], s)
	}
	return all
}

// sectionAbout returns the section of a sentence: the section of its call or, if the call is folded, a section of the
// sentence's layer that begins right below the call.
func (l *listing) sectionAbout(sentence view.Sentence) *view.Section {
	in := l.story.SectionOf(sentence.Call)
	if in.Layer == sentence.Layer {
		return in
	}
	for _, s := range l.story.Sections {
		first := s.Root.Calls[0]
		if s.From == in && s.Layer == sentence.Layer && sentence.Call < first && first < l.story.Tree.End(sentence.Call) {
			return s
		}
	}
	return in
}

// called names the caller of the first step of a section, and says how it was called.
func (l *listing) called(s *view.Section) string {
	if s.Caller == nil {
		return ""
	}
	root := s.Root
	if root.Afterwards {
		return l.afterwards(root)
	}
	entry := entry{by: s.Caller, in: s.From, indirect: root.Through > 0, newGoroutine: root.NewGoroutine, handoff: root.Handoff}
	if root.Crossing {
		entry.process = l.story.First(root).Process
	}
	if l.diff != nil {
		return l.diff.entered(root, entry)
	}
	return l.entered(entry)
}

// An entry tells how a section is entered: which step of another one calls its first step, perhaps through folded calls.
type entry struct {
	by *node
	in *view.Section
	// indirect is set if folded calls are in between. process is that of the first step, "" if it is the caller's. newGoroutine
	// and handoff are as in view.Node.
	indirect, newGoroutine bool
	process, handoff       string
}

// entered says how a section is entered.
func (l *listing) entered(e entry) string {
	p := message.For(l.lang)
	text := p.Sprintf("called by %s in %d", l.name(e.by), e.in.Number)
	if e.indirect {
		text += p.Sprintf(", indirectly")
	}
	if e.process != "" {
		text += p.Sprintf(", in another process: %s", e.process)
	}
	if e.newGoroutine {
		text += p.Sprintf(", on a new goroutine")
	}
	if e.handoff != "" {
		text += p.Sprintf(", handed over through %s", e.handoff)
	}
	return text
}

// afterwards says how long after a write of the request a step handled its event.
func (l *listing) afterwards(n *node) string {
	p, call, root := message.For(l.lang), l.story.First(n), l.story.Tree.Call(0)
	text := p.Sprintf("not called by a step above: takes up the event of the write")
	if l.diff != nil { // its merged tree has no times
		return text
	}
	if n.AfterNs > 0 {
		text += p.Sprintf(", %s after etcd began to write", l.duration(n.AfterNs))
	}
	switch after := call.StartNs - root.StartNs - root.DurationNs; {
	case root.Unfinished:
		return text
	case after >= 0:
		return text + p.Sprintf(" and %s after the request had ended", l.duration(after))
	}
	return text + p.Sprintf(", before the request had ended")
}

// title is the name of a layer for people.
func (l *listing) title(layer string) string {
	switch title := l.guide.Title(layer); {
	case title != "":
		return oneLine(title)
	case layer != "":
		return oneLine(layer)
	}
	return message.For(l.lang).Sprintf("In no layer")
}

// calls counts calls in words.
func (p *pen) calls(n int) string { return saysCount(p.lang, n) }
