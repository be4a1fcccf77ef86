package render

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// thousands writes a number with commas.
func thousands(n int) string { return humanize.Comma(int64(n)) }

// writeHeading writes the request, its cost, and what the trace may lack.
func (l *listing) writeHeading(out *bufio.Writer) {
	r := l.story.Tree.Request
	l.writeWrapped(out, l.Request, l.request(r))
	l.writeWrapped(out, l.Facts, l.facts())
	if len(l.rec.Edited) > 0 {
		l.writeWrapped(out, l.Warning, saysEdited.Format(l.lang, oneLine(message.List(l.rec.Edited).In(l.lang))))
	}
	if path := l.story.ErrorPath; path != nil && l.hideError {
		l.writeWrapped(out, l.Facts, saysHidden.In(l.lang))
	} else if path != nil {
		l.writeWrapped(out, l.Error, l.errorPath(path))
	}
	for _, reason := range r.Lacks() {
		l.writeWrapped(out, l.Warning, saysIncomplete.Format(l.lang, oneLine(reason.In(l.lang))))
	}
	if r.Calls[0].Unfinished && !r.OfProgram() {
		l.writeWrapped(out, l.Warning, saysUnfinished.In(l.lang))
	} else if running := l.stillRunning(); len(running) > 0 {
		l.writeWrapped(out, l.Facts, saysStillRunning.Format(l.lang, message.List(running)))
	}
}

// request is the line that names a request and its answer.
func (l *listing) request(r *trace.Request) string {
	text := oneLine(r.Method + " " + r.Path)
	switch {
	case r.OfProgram():
		return text
	case r.Status == 0:
		return fmt.Sprintf("%s %s %s", text, l.arrow, saysNoAnswer.In(l.lang))
	}
	return fmt.Sprintf("%s %s %d", text, l.arrow, r.Status)
}

// stillRunning names the functions that had not returned when the trace was collected. That is
// as it should be for goroutines that outlive the request: a watch, a loop of the cache.
func (l *listing) stillRunning() []string {
	if l.story.Tree.Request.OfProgram() {
		return nil
	}
	var names []string
	for i := range l.story.Tree.Len() {
		call := l.story.Tree.Call(i)
		if !call.Unfinished || l.waitsForOther(i) {
			continue
		}
		name := message.For(l.lang).Sprintf("%s (%s)", l.story.Names.Of(call), l.story.Names.Place(call))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// waitsForOther reports whether a call below call i is unfinished, too.
func (l *listing) waitsForOther(i int) bool {
	for below := i + 1; below < l.story.Tree.End(i); below++ {
		if l.story.Tree.Call(below).Unfinished {
			return true
		}
	}
	return false
}

// errorPath describes in one sentence how the request failed.
func (l *listing) errorPath(path *view.ErrorPath) string {
	var steps []string
	before := ""
	for _, step := range path.Steps {
		name := l.story.Names.Of(l.story.Tree.Call(step.Call))
		text := oneLine(step.Text.In(l.lang))
		switch step.Kind {
		case view.ErrorAnswered:
			return saysAnswered.Format(l.lang, text, name)
		case view.ErrorStatus:
			steps = append(steps, saysStatus.Format(l.lang, text, name))
		case view.ErrorRefused:
			steps = append(steps, saysRefused.Format(l.lang, text))
		case view.ErrorBorn:
			steps, before = append(steps, saysBorn.Format(l.lang, name, text)), text
		default:
			told := text
			if step.Kind == view.ErrorWrapped && before != "" { // what it said before is there to read
				told = strings.Replace(text, before, l.ellipsis, 1)
			}
			steps, before = append(steps, saysStep.Format(l.lang, saysKind[step.Kind].In(l.lang), name, told)), text
		}
	}
	return strings.Join(steps, " "+l.arrow+" ")
}

// facts returns the number of calls, the programs, and the duration.
func (l *listing) facts() string {
	r := l.story.Tree.Request
	var processes []string
	count := map[string]int{}
	for i := range r.Calls {
		process := r.Calls[i].Process
		if count[process]++; count[process] == 1 {
			processes = append(processes, process)
		}
	}
	texts := []string{saysCallsIn.Format(l.lang, l.calls(len(r.Calls)), l.duration(r.Calls[0].DurationNs))}
	if r.IsStop() {
		texts = append(texts, message.For(l.lang).Sprintf("those that began or returned after the signal and those that led there"))
	}
	for _, process := range processes {
		name := strings.TrimSpace(process + " " + oneLine(l.rec.Version(process)))
		texts = append(texts, message.For(l.lang).Sprintf("%s (%s)", name, thousands(count[process])))
	}
	return message.For(l.lang).Clauses(texts...)
}

// writeKey explains the signs of the tree in three lines, once for a recording.
func (l *listing) writeKey(out *bufio.Writer) {
	v, p := l.story.View, message.For(l.lang)
	var texts []string
	if l.first {
		texts = l.signs()
	}
	if v.Folded > 0 {
		texts = append(texts, p.Plural(v.Folded, "--view full shows the %s folded call", "--view full shows the %s folded calls", thousands(v.Folded)))
	}
	for _, line := range fillLines(texts, p.Sprintf("; "), l.width) {
		l.writeWrapped(out, l.Facts, line)
	}
}

// fillLines puts texts on lines without breaking one.
func fillLines(texts []string, between string, width int) []string {
	var lines []string
	for _, text := range texts {
		last := len(lines) - 1
		if last >= 0 && lipgloss.Width(lines[last]+between+text+strings.TrimSpace(between)) <= width {
			lines[last] += between + text
			continue
		}
		if last >= 0 {
			lines[last] += strings.TrimSpace(between)
		}
		lines = append(lines, text)
	}
	return lines
}

// signs explains the signs of a tree and how to read its lines.
func (l *listing) signs() []string {
	v, p := l.story.View, message.For(l.lang)
	direct := strings.TrimSpace(l.branch)
	var texts []string
	if v.Folded > 0 {
		texts = append(texts, p.Sprintf("%s calls directly, %s through folded calls", direct, strings.ReplaceAll(direct, l.dash, l.dashed)),
			p.Sprintf("%s9: 9 calls are folded there", l.folded))
	} else {
		texts = append(texts, p.Sprintf("%s: called by the step above", direct))
	}
	if len(l.story.Sections) > 1 {
		texts = append(texts, p.Sprintf("%s 2: goes on in section 2", l.into))
	}
	return append(texts, p.Sprintf("calls in order of time"), p.Sprintf("times include calls below"), p.Sprintf("file:line: where the function begins"))
}

// writeFooter lists the stored objects, and says which calls are hidden and how to show them.
func (l *listing) writeFooter(out *bufio.Writer) {
	l.writeStored(out)
	for _, delivery := range l.deliveries() {
		l.writeWrapped(out, l.Mark, delivery)
	}
	for _, text := range l.hidden() {
		l.writeWrapped(out, l.Facts, text)
	}
}

// writeStored lists the keys that the request changed in etcd.
func (l *listing) writeStored(out *bufio.Writer) {
	fmt.Fprintln(out)
	for _, key := range l.story.Tree.Request.Stored {
		l.writeWrapped(out, l.Decisive, l.stored(key))
	}
}

// deliveries names the other requests of the recording in which the events of this one's writes were sent.
func (l *listing) deliveries() []string {
	var texts []string
	self := slices.IndexFunc(l.rec.Requests, func(r trace.Request) bool { return r.TraceID == l.story.Tree.Request.TraceID })
	if self < 0 {
		return nil
	}
	for _, it := range l.rec.Deliveries(self) {
		call := &l.rec.Requests[it.Request].Calls[it.Call]
		texts = append(texts, saysDelivered.Format(l.lang, it.Revision, it.Request+1, call.ShortName(), l.duration(it.AfterNs)))
	}
	return texts
}

// stored describes a change in etcd:
// "etcd: PUT /registry/deployments/default/nginx, revision 213, 1.2 kB, protobuf apps/v1".
func (l *listing) stored(key trace.StoredKey) string {
	texts := []string{key.Op + " " + key.Key, saysRevision.Format(l.lang, key.Revision)}
	if key.Size > 0 {
		texts = append(texts, humanize.Bytes(uint64(key.Size)))
	}
	kind := strings.TrimSpace(key.Encoding + " " + key.APIVersion)
	if kind != "" {
		texts = append(texts, kind)
	}
	return saysStored.Format(l.lang, oneLine(message.For(l.lang).Clauses(texts...)))
}

// hidden says how many calls are hidden and which flag shows them.
func (l *listing) hidden() []string {
	v := l.story.View
	var texts []string
	if l.choice.Filter.Active() {
		texts = append(texts, l.matching())
	}
	if v.Cut > 0 {
		texts = append(texts, saysCut.Format(l.lang, thousands(v.Cut), l.choice.Depth))
	}
	return texts
}

// matching says how many calls the filter selects, and how many of them are not shown.
func (l *listing) matching() string {
	v, flags := l.story.View, strings.Join(l.choice.Filter.Flags(), " ")
	if v.Matching == 0 {
		return saysNoMatch.Format(l.lang, flags)
	}
	text := message.Plural(v.Matching, "%s call matches %s", "%s calls match %s", thousands(v.Matching), flags).In(l.lang)
	if v.Plumbing > 0 {
		text += saysNoKeySteps.Format(l.lang, thousands(v.Plumbing))
	}
	if v.Handled > 0 {
		text += saysMoreHandled.Format(l.lang, thousands(v.Handled))
	}
	return text
}
