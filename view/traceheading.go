package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// request returns the line of a request and its answer.
func (w *traceWriter) request(r *trace.Request) string {
	said := oneLine(r.Method + " " + r.SentPath())
	switch {
	case r.OfProgram(), r.IsEvent():
		return said
	case r.Status == 0:
		return fmt.Sprintf("%s %s %s", said, w.Arrow, saysNoAnswer.Localize(w.Printer))
	}
	return fmt.Sprintf("%s %s %d", said, w.Arrow, r.Status)
}

// facts returns the number of calls and the duration, in all and of each program.
func (w *traceWriter) facts() string {
	r := w.story.Tree.Request
	texts := []string{saysCallsIn.With(w.count(len(r.Calls)), w.Duration(r.Took().Nanoseconds())).Localize(w.Printer)}
	if w.TickNs > 0 {
		texts = append(texts, w.Sprintf("the clock ticks in %s", w.Micro))
	}
	if r.IsStop() {
		texts = append(texts, w.Sprintf("calls that began or returned after the signal, and the calls that led to them"))
	}
	for i, p := range programTimes(w.story.Tree) {
		calls := message.Of("%s", Thousands(p.Calls))
		if i > 0 && p.TotalNs > 0 {
			calls = message.Of("%s in %s", Thousands(p.Calls), w.Duration(p.TotalNs))
		}
		texts = append(texts, w.Sprintf("%s (%s)", strings.TrimSpace(p.Process+" "+oneLine(w.rec.Version(p.Process))), calls))
	}
	return w.Clauses(texts...)
}

// warnings names edits of upstream's program, packages that --trace added, and parts
// that the trace may lack. It also says whether the request had not returned.
func (w *traceWriter) warnings() []string {
	r, texts := w.story.Tree.Request, []string{}
	if len(w.rec.Edited) > 0 {
		texts = append(texts, saysEdited.With(oneLine(message.List(w.rec.Edited).Localize(w.Printer))).Localize(w.Printer))
	}
	if more := w.rec.More(); len(more) > 0 {
		texts = append(texts, saysMoreTraced.With(oneLine(message.List(more).Localize(w.Printer))).Localize(w.Printer))
	}
	for _, reason := range r.Lacks() {
		texts = append(texts, saysIncomplete.With(oneLine(reason.Localize(w.Printer))).Localize(w.Printer))
	}
	if w.unfinished() {
		texts = append(texts, saysUnfinished.Localize(w.Printer))
	}
	return texts
}

// unfinished reports whether the request had not returned when the trace was collected.
func (w *traceWriter) unfinished() bool {
	r := w.story.Tree.Request
	return r.Calls[0].Unfinished && !r.OfProgram()
}

// running names the functions that had not returned when the trace was collected,
// although the request had. This is normal for goroutines that outlive a request, such
// as a watch or a loop of the cache.
func (w *traceWriter) running() string {
	if w.story.Tree.Request.OfProgram() || w.unfinished() {
		return ""
	}
	var names []string
	for i := range w.story.Tree.Len() {
		call := w.story.Tree.Call(i)
		if !call.Unfinished || w.waitsForOther(i) {
			continue
		}
		name := w.Sprintf("%s (%s)", w.story.Names.Of(call), w.story.Names.Place(call))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return saysStillRunning.With(message.List(names)).Localize(w.Printer)
}

// waitsForOther reports whether a call below call i is unfinished, too.
func (w *traceWriter) waitsForOther(i int) bool {
	for below := i + 1; below < w.story.Tree.End(i); below++ {
		if w.story.Tree.Call(below).Unfinished {
			return true
		}
	}
	return false
}

// joined returns the steps of an error path as one sentence.
func (w *traceWriter) joined(steps []TraceSentence) string {
	texts := make([]string, len(steps))
	for i, step := range steps {
		texts[i] = step.Text
	}
	return strings.Join(texts, " "+w.Arrow+" ")
}

// errorSteps describes each step of the error path.
func (w *traceWriter) errorSteps(path *ErrorPath) (steps []TraceSentence) {
	say := func(step ErrorStep, m message.Message, args ...any) {
		steps = append(steps, TraceSentence{step.Call, m.With(args...).Localize(w.Printer), step.Line})
	}
	before := ""
	for _, step := range path.Steps {
		call := w.story.Tree.Call(step.Call)
		name := w.story.Names.Of(call)
		said := oneLine(step.Text.Localize(w.Printer))
		switch step.Kind {
		case ErrorAnswered:
			steps = nil
			say(step, pathAnswered, said, name)
			return steps
		case ErrorTimedOut:
			say(step, pathTimedOut, name, said)
		case ErrorPanicked:
			say(step, pathPanicked, name, said)
			before = said
		case ErrorStatus:
			say(step, pathStatus, said, name)
		case ErrorRefused:
			say(step, pathRefused, said)
		case ErrorBorn:
			if step.Line > 0 {
				say(step, pathBornAt, name, w.story.Names.PlaceIn(call, step.Line), said)
			} else {
				say(step, pathBorn, name, said)
			}
			before = said
		default:
			shown := said
			if step.Kind == ErrorWrapped && before != "" { // the earlier text is already shown
				shown = strings.Replace(said, before, w.Ellipsis, 1)
			}
			say(step, pathStep, saysKind[step.Kind].Localize(w.Printer), name, shown)
			before = said
		}
	}
	return steps
}

// deliveries names the watch requests of the recording that delivered the events of
// request i's writes.
func (w *traceWriter) deliveries(i int) []string {
	texts := []string{}
	for _, it := range w.rec.Deliveries(i) {
		call := &w.rec.Requests[it.Request].Calls[it.Call]
		texts = append(texts, saysDelivered.With(it.Revision, it.Request+1, call.ShortName(), w.Duration(it.AfterNs)).Localize(w.Printer))
	}
	return texts
}

// stored describes a change in etcd:
// "etcd: PUT /registry/deployments/default/nginx, revision 213, 1.2 kB, protobuf apps/v1".
func (w *traceWriter) stored(key trace.StoredKey) string {
	texts := []string{key.Op + " " + key.Key, saysRevision.With(key.Revision).Localize(w.Printer)}
	if key.Size > 0 {
		texts = append(texts, humanize.Bytes(uint64(key.Size)))
	}
	if kind := strings.TrimSpace(key.Encoding + " " + key.APIVersion); kind != "" {
		texts = append(texts, kind)
	}
	return saysStored.With(oneLine(w.Clauses(texts...))).Localize(w.Printer)
}

// storedBy returns the call of etcd's client that made a change in etcd, or 0 if it is not known.
func (w *traceWriter) storedBy(key trace.StoredKey) int {
	for i := range w.story.Tree.Len() {
		attributes := w.story.Tree.Call(i).Attributes
		if keyOf(attributes) == key.Key && attributes[trace.AttrEtcdTxnSucceeded] == "true" && attributes[trace.AttrEtcdRevision] == strconv.FormatInt(key.Revision, 10) {
			return i
		}
	}
	return 0
}
