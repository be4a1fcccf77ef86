package render

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/trace"
)

// writeHeading names the request, what it took, and what may be missing.
func (d *drawing) writeHeading(out *bufio.Writer) {
	r := d.view.Tree.Request
	end := fmt.Sprintf(" %s %d", d.arrow, r.Status)
	switch {
	case r.IsStart():
		end = ""
	case r.Status == 0:
		end = fmt.Sprintf(" %s no answer", d.arrow)
	}
	request := d.fit(oneLine(r.Method+" "+r.Path), d.width-lipgloss.Width(end)) + end
	fmt.Fprintln(out, d.Request.Render(request))
	d.writeWrapped(out, d.Facts, d.facts())
	if len(d.rec.Edited) > 0 {
		d.writeWrapped(out, d.Warning, "not upstream's program: built with edits of "+oneLine(strings.Join(d.rec.Edited, ", ")))
	}
	if path := d.view.ErrorPath; path != nil {
		d.writeWrapped(out, d.Error, d.errorPath(path))
	}
	for _, reason := range r.Incomplete {
		d.writeWrapped(out, d.Warning, "incomplete: "+oneLine(reason))
	}
	if n := unfinished(r); n > 0 && !r.IsStart() {
		d.writeWrapped(out, d.Warning, fmt.Sprintf("unfinished: %s had not returned when the trace was collected", calls(n)))
	}
	fmt.Fprintln(out)
}

// errorPath tells in one sentence how the request failed.
func (d *drawing) errorPath(path *ErrorPath) string {
	var steps []string
	before := ""
	for _, step := range path.Steps {
		name := d.view.Tree.Call(step.Call).ShortName()
		text := oneLine(step.Text)
		switch step.Kind {
		case ErrorAnswered:
			return fmt.Sprintf("no error: answered %s in %s, without a Status", text, name)
		case ErrorStatus:
			steps = append(steps, fmt.Sprintf("Status %s in %s", text, name))
		case ErrorRefused:
			steps = append(steps, "refused by admission plugin "+text)
		case ErrorBorn:
			steps, before = append(steps, fmt.Sprintf("error born in %s: %s", name, text)), text
		default:
			told := text
			if step.Kind == ErrorWrapped && before != "" { // what it said before is there to read
				told = strings.Replace(text, before, d.ellipsis, 1)
			}
			steps, before = append(steps, fmt.Sprintf("%s in %s: %s", step.Kind, name, told)), text
		}
	}
	return strings.Join(steps, " "+d.arrow+" ")
}

// facts says how many calls there were, in which programs, and how long it took.
func (d *drawing) facts() string {
	r := d.view.Tree.Request
	var processes []string
	count := map[string]int{}
	for _, call := range r.Calls {
		if count[call.Process]++; count[call.Process] == 1 {
			processes = append(processes, call.Process)
		}
	}
	texts := []string{fmt.Sprintf("%s in %s", calls(len(r.Calls)), d.duration(r.Calls[0].DurationNs))}
	for _, process := range processes {
		name := strings.TrimSpace(process + " " + oneLine(d.rec.Version(process)))
		texts = append(texts, fmt.Sprintf("%s (%s)", name, humanize.Comma(int64(count[process]))))
	}
	return strings.Join(texts, ", ")
}

func unfinished(r *trace.Request) int {
	n := 0
	for _, call := range r.Calls {
		if call.Unfinished {
			n++
		}
	}
	return n
}

func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return humanize.Comma(int64(n)) + " calls"
}

// writeFooter lists what is stored, says what is hidden and explains the signs.
func (d *drawing) writeFooter(out *bufio.Writer) {
	fmt.Fprintln(out)
	for _, key := range d.view.Tree.Request.Stored {
		d.writeWrapped(out, d.Plumbing, stored(key))
	}
	for _, delivery := range d.deliveries() {
		d.writeWrapped(out, d.Mark, delivery)
	}
	if hidden := d.hidden(); hidden != "" {
		d.writeWrapped(out, d.Facts, hidden)
	}
	if signs := d.signs(); signs != "" {
		d.writeWrapped(out, d.Facts, signs)
	}
}

// deliveries says in which other requests of the recording the events of this one's writes went
// out: "revision 271 went out in request 1: cacher.(*cacheWatcher).sendWatchCacheEvent +1.31ms".
func (d *drawing) deliveries() []string {
	var texts []string
	self := slices.IndexFunc(d.rec.Requests, func(r trace.Request) bool { return r.TraceID == d.view.Tree.Request.TraceID })
	if self < 0 {
		return nil
	}
	for _, it := range d.rec.Deliveries(self) {
		call := &d.rec.Requests[it.Request].Calls[it.Call]
		texts = append(texts, fmt.Sprintf("%s revision %d went out in request %d: %s +%s", d.later, it.Revision, it.Request+1, call.ShortName(), d.duration(it.AfterNs)))
	}
	d.used.later = d.used.later || len(texts) > 0
	return texts
}

// stored describes a change in etcd:
// "PUT /registry/deployments/default/nginx, revision 213, 1.2 kB, protobuf apps/v1".
func stored(key trace.StoredKey) string {
	texts := []string{key.Op + " " + key.Key, fmt.Sprintf("revision %d", key.Revision)}
	if key.Size > 0 {
		texts = append(texts, humanize.Bytes(uint64(key.Size)))
	}
	kind := strings.TrimSpace(key.Encoding + " " + key.APIVersion)
	if kind != "" {
		texts = append(texts, kind)
	}
	return oneLine(strings.Join(texts, ", "))
}

// hidden says how many calls are not to be seen and which flag shows them.
func (d *drawing) hidden() string {
	v := d.view
	var texts []string
	if d.choice.Filter.Active() {
		texts = append(texts, d.matching())
	} else if v.Folded > 0 {
		texts = append(texts, fmt.Sprintf("%s folded (%s)", humanize.Comma(int64(v.Folded)), strings.Join(d.why(), ", ")))
	}
	if v.Collapsed > 0 {
		texts = append(texts, fmt.Sprintf("%s collapsed (%s)", humanize.Comma(int64(v.Collapsed)), d.times))
	}
	if len(texts) > 0 && !d.choice.Filter.Active() {
		texts[len(texts)-1] += ": --view full"
	}
	if v.Cut > 0 {
		texts = append(texts, fmt.Sprintf("%s cut: --depth %d", humanize.Comma(int64(v.Cut)), d.choice.Depth))
	}
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s %s", calls(v.Tree.Len()), strings.Join(texts, ", "))
}

// matching says what the filter found, and what of it is not shown.
func (d *drawing) matching() string {
	v, flags := d.view, strings.Join(d.choice.Filter.flags(), " ")
	verb := "match"
	if v.Matching == 1 {
		verb = "matches"
	}
	text := fmt.Sprintf("%s %s %s", humanize.Comma(int64(v.Matching)), verb, flags)
	if v.Matching == 0 {
		text = "none matches " + flags
	}
	if v.Plumbing > 0 {
		text += fmt.Sprintf(", %s of them no key steps: --view full", humanize.Comma(int64(v.Plumbing)))
	}
	if v.Handled > 0 {
		text += fmt.Sprintf(", %s more had an error that a caller dealt with: --view full", humanize.Comma(int64(v.Handled)))
	}
	return text
}

// why says which of the folded calls a reader may miss.
func (d *drawing) why() []string {
	texts := []string{d.folded}
	if n := d.view.LessTelling; n > 0 {
		texts = append(texts, humanize.Comma(int64(n))+" key steps")
	}
	return texts
}

// signs explains the signs that this drawing used.
func (d *drawing) signs() string {
	var texts []string
	explain := func(used bool, text string) {
		if used {
			texts = append(texts, text)
		}
	}
	explain(d.choice.Filter.Active() && d.view.Folded > 0, d.folded+"N folded")
	explain(d.used.on, strings.TrimSpace(d.on)+" called by the line before")
	later := " +time since etcd's write, its event on the way to those who watch"
	if d.diff != nil {
		later = " etcd's event on the way to those who watch"
	}
	explain(d.used.later, d.later+later)
	explain(d.used.newGoroutine, "go goroutine")
	explain(d.used.crossing, d.into+" process")
	explain(d.used.from, d.from+"N called in line N")
	explain(d.used.deeper, "+N levels deeper than drawn")
	explain(d.used.failed, d.failed+" failed")
	explain(d.used.upstream, d.mark+" upstream span")
	return strings.Join(texts, ", ")
}

func (d *drawing) writeWrapped(out *bufio.Writer, style lipgloss.Style, text string) {
	for _, line := range wrap(text, d.width) {
		fmt.Fprintln(out, style.Render(line))
	}
}
