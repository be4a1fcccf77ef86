package view

import (
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Trace is a description of one request for a reader, as plain data in one language:
// sentences, sections and steps. The text output, the web page and the editors draw it,
// each with its own layout. A field that names a call holds its index in the request.
type Trace struct {
	Lang    string `json:"lang" description:"The language of all sentences, en or zh."`
	Number  int    `json:"number" description:"Number of the request in its recording, from 1."`
	Of      int    `json:"of" description:"How many requests the recording has."`
	Request string `json:"request" description:"Names the request and its answer: \"GET /api/v1/nodes/n1 → 200\"."`
	Facts   string `json:"facts" description:"How many calls there were, in which programs, and how long they took."`
	Failure string `json:"failure,omitempty" description:"How the request failed, in one sentence; absent if the request did not fail, or if it is not known how."`
	// ErrorPath is empty if Failure is empty, or if FailureHidden is set.
	ErrorPath []TraceSentence `json:"errorPath,omitempty" description:"The steps of the error path, from the origin of the error on, each with its call. \"failure\" joins them to one sentence."`
	// FailureHidden is set by Options.HideError.
	FailureHidden bool     `json:"failureHidden,omitempty" description:"Whether \"failure\" says only that the request failed, not how."`
	Warnings      []string `json:"warnings" description:"Edits of upstream's program, packages that are traced only because --trace named them, parts that the trace may lack, and whether the request had not returned."`
	Running       string   `json:"running,omitempty" description:"The functions that were still running when the trace was collected; absent if there were none, if the request itself had not returned, and for the start or end of a program."`
	Stored        []string `json:"stored" description:"What the request changed in etcd."`
	// The sentences in Delivered name other requests of the recording by number.
	Delivered []string `json:"delivered" description:"The watch requests that received the events of this request's changes."`
	Calls     int      `json:"calls" description:"How many calls the request has in all."`
	Folded    int      `json:"folded" description:"How many of the request's calls are hidden, without the calls that \"cut\" counts."`
	Cut       int      `json:"cut,omitempty" description:"How many of the request's calls are hidden because they lie deeper than the depth that was asked for."`
	// Depth is Choice.Depth.
	Depth int `json:"depth,omitempty" description:"The depth that was asked for; absent if none was."`
	// Filtered is set if Choice.Filter is set.
	Filtered *Filtered `json:"filtered,omitempty" description:"What the filter selects; absent without a filter."`
	// Outline is set if Options.Outline is set.
	Outline  []OutlineSentence `json:"outline,omitempty" description:"The request in a few sentences; absent if that was not asked for."`
	Sections []TraceSection    `json:"sections" description:"The sections of the trace, in the order in which the request enters them. Sections that handle the events of its own writes come last."`
}

// Filtered says which calls a filter selects.
type Filtered struct {
	// Flags are the command-line flags of the filter.
	Flags    []string `json:"flags" description:"The filter, as flags of the command line."`
	Matching int      `json:"matching" description:"How many calls match."`
	Plumbing int      `json:"plumbing" description:"How many of the matching calls are folded because they are not key steps."`
	Handled  int      `json:"handled" description:"With --errors: how many calls returned an error but are not selected, usually because a caller handled the error."`
	// Leading counts the calls with Node.Leads. The filter does not select them. They are
	// shown because they lead to a match of Filter.Grep, or because they are the first call.
	Leading int `json:"-"`
}

// A TraceSection describes a Section of a Story for a reader.
type TraceSection struct {
	SectionHead
	Sentences []TraceSentence `json:"sentences" description:"What happened in the section."`
	// Role is the beginning of the guide's note on the first step.
	Role   string    `json:"role,omitempty" description:"What the section's first step is for. Only sections without sentences have it."`
	Caller int       `json:"caller" description:"The call of the step above the section's first step, -1 for the first section. It called the first step, unless the section handles the event of the request's own write."`
	From   int       `json:"from" description:"Number of the section that contains \"caller\"; 0 for the first section."`
	Root   TraceStep `json:"root" description:"The step with which the request enters the layer."`
}

// A TraceSentence is a Sentence of a section.
type TraceSentence struct {
	Call int    `json:"call" description:"The call that the sentence is about."`
	Text string `json:"text" description:"The sentence, without a full stop."`
	Line int    `json:"line,omitempty" description:"The line in the call's file at which the call made or changed the error. Absent if the sentence is no step of the error path, or the line was not recorded."`
}

// An OutlineSentence is a Sentence with its section and the function that it is about.
type OutlineSentence struct {
	TraceSentence
	Number int    `json:"number" description:"Number of the section that the sentence belongs to. Several sentences may belong to one section."`
	Layer  string `json:"layer" description:"Name of the layer, empty for none."`
	Title  string `json:"title" description:"Short title of the layer."`
	Name   string `json:"name" description:"The function that was called."`
	Place  string `json:"place" description:"Where the function is declared."`
	Took   string `json:"took" description:"How long the call took, or why that is not known."`
	// Servers are in order: each passes requests that it does not serve on to the next.
	Servers []Server `json:"servers,omitempty" description:"The servers that pass the request on to one another, if the sentence is about them."`
}

// A TraceStep describes a Node of a Story for a reader.
type TraceStep struct {
	StepHead
	Time string `json:"time" description:"How long its calls took: \"1.49ms\"; empty if only their entry was recorded."`
	// DurationNs is the duration that Time shows as text.
	DurationNs int64        `json:"durationNs" description:"How long the step's calls took, in nanoseconds; 0 if \"time\" is empty. Time in which several of the calls ran at once counts once."`
	Values     []Value      `json:"values" description:"The recorded values of the step. Only the full view has redundant values: empty values, and values that a step above or a sentence already shows."`
	Plugins    []PluginLine `json:"plugins,omitempty" description:"The admission plugins of the step, by what they did."`
	Children   []TraceStep  `json:"children" description:"The steps that this step called, directly or through folded calls."`
}

// A PluginLine describes admission plugins that handled the request in the same way.
type PluginLine struct {
	Text    string `json:"text" description:"The verdict and the plugins, or a remark about all of them."`
	Decides bool   `json:"decides,omitempty" description:"Whether the plugins accepted after calls of other code, or did not accept. False for plugins that were not called."`
	// Calls are the plugins that Text names, in its order.
	Calls []PluginCall `json:"calls,omitempty" description:"The plugins that the text names, in its order, with their calls."`
}

// A PluginCall is a plugin with its call.
type PluginCall struct {
	Name string `json:"name" description:"Name of the plugin."`
	Call int    `json:"call" description:"Index of the call."`
}

// A NoMatchError reports that a filter selects no call.
type NoMatchError struct {
	// Flags are the command-line flags of the filter.
	Flags []string
	// Calls is the number of calls of the recording.
	Calls int
	Lang  string
}

func (e *NoMatchError) Error() string {
	return saysNothingMatches.Format(e.Lang, strings.Join(e.Flags, " "), Thousands(e.Calls))
}

// StepsPerRequest returns the number of steps that the default view shows for each
// request if it shows this many requests one below the other. It does not depend on
// the terminal's width, so that all readers see the same tree.
func StepsPerRequest(requests int) int {
	const alone, together, least = 46, 60, 20
	if requests <= 1 {
		return alone
	}
	return max(least, together/requests)
}

// NewTraces returns the traces of a recording's requests. With a filter, it leaves out
// requests without a matching call. If no request has a matching call, it returns a
// NoMatchError.
func NewTraces(rec *trace.Recording, guide Guide, o Options) ([]*Trace, error) {
	all := []*Trace{}
	none := NoMatchError{Flags: o.Filter.Flags(), Lang: o.Lang}
	for i := range rec.Requests {
		t, err := NewTrace(rec, i, guide, o)
		if err != nil {
			return nil, err
		}
		if none.Calls += t.Calls; t.Filtered == nil || t.Filtered.Matching > 0 {
			all = append(all, t)
		}
	}
	if len(all) == 0 && len(rec.Requests) > 0 {
		return nil, &none
	}
	return all, nil
}

// NewTrace returns the trace of request i of a recording, counted from 0. If
// Choice.Most is 0, StepsPerRequest sets it, for all requests of the recording.
func NewTrace(rec *trace.Recording, i int, guide Guide, o Options) (*Trace, error) {
	if o.Most == 0 {
		o.Most = StepsPerRequest(len(rec.Requests))
	}
	r := &rec.Requests[i]
	tree, err := trace.NewTree(r)
	if err != nil {
		return nil, message.Errorf("building the call tree of %s %s: %w", r.Method, r.Path, err)
	}
	w := &traceWriter{stepWriter: newStepWriter(rec, Tell(NewView(tree, guide, o.Choice)), guide, o), seen: map[*Section]values{}}
	return w.trace(i), nil
}

// StoryTexts holds the texts of a Story: the same sentences and roles as in a Trace.
type StoryTexts struct {
	// Failure describes the steps of the error path, from the origin of the error on.
	Failure []TraceSentence
	// Sections has the sentences of each section, Roles the roles of the sections
	// without sentences.
	Sections [][]TraceSentence
	Roles    []string
	// Stored says what the request changed in etcd.
	Stored []TraceSentence

	writer *traceWriter
}

// Like a TraceStep, a StepText describes calls that are drawn as one step.
type StepText struct {
	Name    string
	Values  []Value
	Plugins []PluginLine

	seen values // what a reader knows from the step and the steps above it
}

// Step describes calls that are drawn as one step. The story need not have a Node with
// these calls. above is the step that they are drawn below, or nil for the first step.
// Values that a reader has seen at above are left out.
func (t *StoryTexts) Step(calls []int, above *StepText) *StepText {
	w := t.writer
	call := w.story.Tree.Call(calls[0])
	n := &Node{
		Calls: calls, Layer: w.guide.Layer(call.Function), Key: w.guide.Key(call.Function), Group: w.guide.Group(call.Function),
		Handoff: call.Attributes[trace.AttrHandoff],
	}
	out := &StepText{Name: w.name(n, call)}
	var before values
	if above != nil {
		before = above.seen
	}
	out.Values, out.seen = w.values(n, before)
	if groups, one := w.pluginGroups(n); len(groups) > 0 && !one {
		out.Values, out.Plugins = nil, w.plugins(groups)
	}
	return out
}

// NewStoryTexts returns the sentences of a story of a recording.
func NewStoryTexts(rec *trace.Recording, story *Story, guide Guide, o Options) *StoryTexts {
	w := &traceWriter{stepWriter: newStepWriter(rec, story, guide, o)}
	w.said = w.sentences()
	texts := &StoryTexts{writer: w, Sections: make([][]TraceSentence, len(story.Sections)), Roles: make([]string, len(story.Sections))}
	if story.ErrorPath != nil {
		texts.Failure = w.errorSteps(story.ErrorPath)
	}
	for _, key := range story.Tree.Request.Stored {
		texts.Stored = append(texts.Stored, TraceSentence{Call: w.storedBy(key), Text: w.stored(key)})
	}
	for i, s := range story.Sections {
		for _, sentence := range w.said[s] {
			texts.Sections[i] = append(texts.Sections[i], TraceSentence{Call: sentence.Call, Text: sentence.Text})
		}
		if len(texts.Sections[i]) == 0 {
			texts.Roles[i] = w.role(s)
		}
	}
	return texts
}

// A traceWriter describes the story of a request.
type traceWriter struct {
	stepWriter
	// seen are the values known to a reader at each section's start.
	seen map[*Section]values
}

func (w *traceWriter) trace(i int) *Trace {
	r, v := w.story.Tree.Request, w.story.View
	t := &Trace{
		Lang: w.Lang(), Number: i + 1, Of: len(w.rec.Requests), Request: w.request(r), Facts: w.facts(), Warnings: w.warnings(), Running: w.running(),
		Stored: []string{}, Delivered: w.deliveries(i), Calls: w.story.Tree.Len(), Folded: v.Folded, Cut: v.Cut, Depth: w.options.Depth,
	}
	if path := w.story.ErrorPath; path != nil && w.options.HideError {
		t.Failure, t.FailureHidden = saysHidden.Localize(w.Printer), true
	} else if path != nil {
		t.ErrorPath = w.errorSteps(path)
		t.Failure = w.joined(t.ErrorPath)
	}
	for _, key := range r.Stored {
		t.Stored = append(t.Stored, w.stored(key))
	}
	if w.options.Filter.Active() {
		t.Filtered = &Filtered{Flags: w.options.Filter.Flags(), Matching: v.Matching, Plumbing: v.Plumbing, Handled: v.Handled, Leading: v.Leading}
	}
	if w.options.Outline {
		t.Outline = w.outline()
		return t
	}
	w.said = w.sentences()
	for _, s := range w.story.Sections {
		t.Sections = append(t.Sections, w.section(s))
	}
	return t
}

func (w *traceWriter) section(s *Section) TraceSection {
	out := TraceSection{SectionHead: w.sectionHead(s, w.called(s)), Sentences: []TraceSentence{}, Caller: -1}
	for _, sentence := range w.said[s] {
		out.Sentences = append(out.Sentences, TraceSentence{Call: sentence.Call, Text: sentence.Text})
	}
	if len(out.Sentences) == 0 {
		out.Role = w.role(s)
	}
	if s.Caller != nil {
		out.Caller, out.From = s.Caller.Calls[0], s.From.Number
	}
	out.Root = w.step(s.Root, w.seen[s])
	return out
}

// step describes a step and the steps that it called in its section.
func (w *traceWriter) step(n *Node, above values) TraceStep {
	out := w.stepAlone(n)
	texts, shown := w.values(n, above)
	if n.Leads { // the filter does not select the step, so its values are left out
		texts, shown = nil, above
	}
	if groups, one := w.pluginGroups(n); len(groups) > 0 && !one {
		out.Plugins = w.plugins(groups)
	} else {
		out.Values = append(out.Values, texts...)
	}
	w.tell(&out.StepHead, n, w.story.First(n), w.outcome(n))
	for _, child := range n.Children {
		if child.Opens != nil {
			w.seen[child.Opens] = shown
		}
	}
	if called := calledBy(n); len(called) > 0 {
		out.Children = make([]TraceStep, 0, len(called))
		for _, child := range called {
			if child.Opens != nil {
				link := w.stepAlone(child)
				link.Section = child.Opens.Number
				out.Children = append(out.Children, link)
				continue
			}
			out.Children = append(out.Children, w.step(child, shown))
		}
	}
	return out
}

// stepAlone describes a step without the fields that depend on other steps.
func (w *traceWriter) stepAlone(n *Node) TraceStep {
	ns, _ := w.story.DurationNs(n)
	return TraceStep{
		StepHead: w.head(n, w.story.First(n), w.outcome(n)), Time: w.story.Time(n, w.Signs), DurationNs: ns, Values: []Value{}, Children: []TraceStep{},
	}
}

func (w *traceWriter) outcome(n *Node) outcome {
	return outcomeOf(w.story.Tree, w.story.ErrorPath, n.Calls[0])
}

// pluginGroups groups the admission plugins of a node. A group has Again set if the same
// phase of admission came to its plugins before. one reports whether the node has exactly
// one plugin.
func (w *traceWriter) pluginGroups(n *Node) (groups []PluginGroup, one bool) {
	all := w.story.Plugins(n)
	if len(all) == 0 {
		return nil, false
	}
	return GroupPlugins(all, w.story.pluginsBefore(all[0])), len(all) == 1
}

// plugins lists the admission plugins of a step, one line per group. A group has the
// plugins that handled the request in the same way: they accepted after calls of other
// code, accepted without one, were not called in this phase, or gave the same other verdict.
// In a second round, only the full view lists the plugins that take no part in the phase. In
// the mutating phase, a last line says that changes by built-in plugins are not recorded.
func (w *traceWriter) plugins(groups []PluginGroup) []PluginLine {
	var lines []PluginLine
	accepted := false
	for _, group := range groups {
		if group.Again && group.Kind == PluginsNotCalled && !w.options.Full {
			continue
		}
		line := w.pluginLine(group)
		line.Decides = group.Kind != PluginsAlone && group.Kind != PluginsNotCalled
		lines = append(lines, line)
		accepted = accepted || group.Kind == PluginsCalling || group.Kind == PluginsAlone
	}
	if first := w.story.Tree.Call(groups[0].Plugins[0].Call); accepted && strings.HasSuffix(first.Function, ".Admit") {
		lines = append(lines, PluginLine{Text: pluginsMayChange.Localize(w.Printer)})
	}
	return lines
}

// pluginLine names the plugins of a group.
func (w *traceWriter) pluginLine(group PluginGroup) PluginLine {
	var names []string
	var calls []PluginCall
	for _, p := range group.Plugins {
		names, calls = append(names, p.Name), append(calls, PluginCall{p.Name, p.Call})
	}
	return PluginLine{Text: oneLine(group.Title(w.Lang()) + w.colon() + message.List(names).Localize(w.Printer)), Calls: calls}
}

// sentences returns the sentences of the story by section. If a filter is active, it
// leaves out sentences about calls that the filter does not select. Without
// Filter.Grep, it keeps all sentences about shown calls.
func (w *traceWriter) sentences() map[*Section][]Sentence {
	all := map[*Section][]Sentence{}
	selects := w.story.Selects(&w.options.Filter, w.guide)
	for _, s := range Sentences(w.story.Tree, w.guide, w.story.ErrorPath, w.Lang(), 0) {
		shown := w.story.sections[s.Call] != nil && w.options.Filter.Grep == nil
		if w.options.Filter.Active() && !shown && !selects(s.Call) {
			continue
		}
		in := w.sectionAbout(s)
		all[in] = append(all[in], s)
	}
	return all
}

// sectionAbout returns the section that a sentence belongs to. This is the section of its
// call or, if the call is folded, of the nearest shown call above. If this section is of
// another layer than the sentence, sectionAbout prefers the first section of the sentence's
// layer that is entered from this section and begins below the call.
func (w *traceWriter) sectionAbout(sentence Sentence) *Section {
	in := w.story.SectionOf(sentence.Call)
	if in.Layer == sentence.Layer {
		return in
	}
	for _, s := range w.story.Sections {
		first := s.Root.Calls[0]
		if s.From == in && s.Layer == sentence.Layer && sentence.Call < first && first < w.story.Tree.End(sentence.Call) {
			return s
		}
	}
	return in
}

// mostSentences is how many sentences an outline of a whole request has at most.
const mostSentences = 15

// outline returns the sentences about calls that the filter selects.
func (w *traceWriter) outline() []OutlineSentence {
	all := []OutlineSentence{}
	selects := w.story.Selects(&w.options.Filter, w.guide)
	most := mostSentences
	if w.options.Filter.Active() {
		most = 0
	}
	for _, s := range Sentences(w.story.Tree, w.guide, w.story.ErrorPath, w.Lang(), most) {
		if !selects(s.Call) {
			continue
		}
		call := w.story.Tree.Call(s.Call)
		all = append(all, OutlineSentence{
			TraceSentence: TraceSentence{Call: s.Call, Text: s.Text}, Number: w.sectionAbout(s).Number, Layer: s.Layer, Title: w.shortTitle(s.Layer), Name: w.story.Names.Of(call),
			Place: w.story.Names.Place(call), Took: w.took(call), Servers: s.Servers,
		})
	}
	return all
}

// took returns the duration of a call, or says why there is none. The recorded
// duration of an unfinished call ends when the trace was collected. This may be long
// after the end of all other calls, so took does not return it.
func (w *traceWriter) took(call *trace.Call) string {
	switch {
	case call.Unfinished:
		return saysRunning.Localize(w.Printer)
	case call.Leaf:
		return saysEntryOnly.Localize(w.Printer)
	}
	return w.Duration(call.DurationNs)
}

// role returns the purpose of a section without sentences: the first sentence of the
// guide's note on the first step. A text of at most 24 columns is probably only a name,
// so the next sentences are added. role returns "" for a section that only continues a
// layer (Section.GoesOn). It also returns "" under a filter without layers, because such
// a filter shows only some steps of a section.
func (w *traceWriter) role(s *Section) string {
	if s.GoesOn || w.options.Filter.Active() && len(w.options.Filter.Layers) == 0 {
		return ""
	}
	const name = 24 // columns
	note := oneLine(w.guide.Note(w.story.First(s.Root).Function))
	for _, end := range []string{". ", "。"} {
		from := 0
		for {
			first, _, ok := strings.Cut(note[from:], end)
			if !ok {
				break
			}
			if from += len(first); text.Columns(note[:from]) > name {
				note = note[:from]
				break
			}
			from += len(end)
		}
	}
	return strings.TrimRight(note, ".。")
}

// called names the step that called a section's first step, and says how. It returns ""
// for the first section.
func (w *traceWriter) called(s *Section) string {
	switch {
	case s.Caller == nil:
		return ""
	case s.Root.Afterwards:
		return w.afterwards(s.Root)
	}
	return w.entered(w.entryOf(s))
}

// afterwards describes a step that handled the event of a write of the request. It says
// how long after the write the step began, and whether the request had ended by then.
func (w *traceWriter) afterwards(n *Node) string {
	call, root := w.story.First(n), w.story.Tree.Call(0)
	said := saysAfterwards.Localize(w.Printer)
	if n.AfterNs > 0 {
		said += w.Sprintf(", %s after etcd began to write", w.Duration(n.AfterNs))
	}
	switch after := call.StartNs - root.StartNs - root.DurationNs; {
	case root.Unfinished:
		return said
	case after >= 0:
		return said + w.Sprintf(" and %s after the request had ended", w.Duration(after))
	}
	return said + w.Sprintf(", before the request had ended")
}
