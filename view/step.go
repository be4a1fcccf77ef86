package view

import (
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// A StepHead is the part of a step that traces and comparisons share. Calls are indices
// of the request's calls or, in a comparison, of the calls of the merged tree.
type StepHead struct {
	Call     int    `json:"call" description:"The step's call; the first one if it stands for several."`
	Calls    []int  `json:"calls,omitempty" description:"All calls that the step stands for; absent if it is one."`
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Name of the step: the function, a group such as admission plugins, or upstream's span or event."`
	Place    string `json:"place,omitempty" description:"Folder, file and line of the function: \"etcd3/store.go:235\"; absent if that is not one place."`
	// Leads is Node.Leads.
	Leads bool `json:"-"`
	// URL is set if Options.Hyperlinks is set.
	URL           string `json:"url,omitempty" description:"Where upstream shows the place; absent if that is not known, or if links were not asked for."`
	Layer         string `json:"layer" description:"Name of the function's layer, empty if it has none."`
	Colour        string `json:"colour" description:"Colour of the layer, as \"#rrggbb\"; empty if it has none."`
	Key           bool   `json:"key" description:"Whether the step is a key step."`
	Folded        int    `json:"folded" description:"How many folded calls have this step as the nearest shown step above."`
	Through       int    `json:"through" description:"How many folded calls lie between the step above and this one; 0 if the step above made the call itself."`
	NewGoroutine  bool   `json:"newGoroutine,omitempty" description:"Whether the step runs on a new goroutine, which the step above, or a folded call between the two, started."`
	SameGoroutine bool   `json:"sameGoroutine,omitempty" description:"Whether an earlier step of the same caller runs on this new goroutine, too."`
	Handoff       string `json:"handoff,omitempty" description:"The queue, such as raft, that handed the work of the step above to this step's goroutine; absent if there was none."`
	Process       string `json:"process,omitempty" description:"The process of the step; absent if the step above is in the same process."`
	Running       bool   `json:"running,omitempty" description:"Whether the call had not returned when the trace was collected."`
	Section       int    `json:"section,omitempty" description:"Number of the section that begins with the step; absent if none does. That section has the step's children."`
	Failure       string `json:"failure,omitempty" description:"What became of the call's error or panic; absent if it had none."`
	Fatal         bool   `json:"fatal,omitempty" description:"Whether the failure decided the request."`
	// Errors begin with their kind: "error: …".
	Errors []string `json:"errors,omitempty" description:"The texts of the error and the panic, if they began in this call and mattered."`
	// Note is set if Options.Notes is set.
	Note string `json:"note,omitempty" description:"The guide's explanation of a key step, only at the first step with this function; absent if notes were not asked for."`
}

// A SectionHead is the part of a section that traces and comparisons share.
type SectionHead struct {
	Number int    `json:"number" description:"Counts from 1."`
	Layer  string `json:"layer" description:"Name of the layer, empty if the section is in none."`
	Title  string `json:"title" description:"Title of the layer for people."`
	Colour string `json:"colour" description:"Colour of the layer, as \"#rrggbb\"; empty if it has none."`
	Called string `json:"called,omitempty" description:"How the section's first step was called, in words; absent for the first section."`
}

// Options set the content, the language and the characters of a trace or a comparison.
// The zero value is the default view in English.
type Options struct {
	Choice
	// Lang is the language of headings and sentences: "zh", or "en" by default.
	Lang string
	// ASCII replaces all signs by ASCII characters. Other texts stay as they are.
	ASCII bool
	// Notes sets StepHead.Note.
	Notes bool
	// Outline sets Trace.Outline and leaves out the sections.
	Outline bool
	// Hyperlinks sets StepHead.URL.
	Hyperlinks bool
	// HideError replaces the sentence on how a request failed, for exercises.
	HideError bool
}

// A stepWriter describes the nodes of a story as steps.
type stepWriter struct {
	Signs
	message.Printer
	rec     *trace.Recording
	story   *Story
	guide   Guide
	options Options
	// said has the sentences below the headings of sections, or is nil.
	said map[*Section][]Sentence
	// noted has the functions that already have their note.
	noted map[string]bool
	// names and places hold each text once. The start of a program has hundreds of
	// thousands of calls of some thousand functions.
	names  map[string]string // by function
	places map[sourceLine]string
}

// A sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

func newStepWriter(rec *trace.Recording, story *Story, guide Guide, o Options) stepWriter {
	signs := SignsFor(o.ASCII)
	signs.TickNs = story.Tree.Request.TickNs()
	return stepWriter{
		Signs: signs, Printer: message.For(o.Lang), rec: rec, story: story, guide: guide, options: o,
		noted: map[string]bool{}, names: map[string]string{}, places: map[sourceLine]string{},
	}
}

// An outcome is a call's effect on the failure of its request. path is the call's step
// on the error path, or nil. fatal is the result of Fatal. passed is set if the caller
// failed, too.
type outcome struct {
	path          *ErrorStep
	fatal, passed bool
}

// outcomeOf returns the outcome of call i of a request with an error path.
func outcomeOf(tree *trace.Tree, path *ErrorPath, i int) outcome {
	parent := tree.Parent(i)
	return outcome{path.At(i), Fatal(tree, path, i), parent >= 0 && hasFailed(tree.Call(parent))}
}

// head describes a node. call is the first call of the node or, in a comparison, this
// call on one side.
func (w *stepWriter) head(n *Node, call *trace.Call, o outcome) StepHead {
	out := StepHead{
		Call: n.Calls[0], Function: call.Function, Name: w.name(n, call), Layer: n.Layer, Colour: LayerColour(n.Layer), Key: n.Key,
		Folded: n.Folded() + n.Cut, Through: n.Through, NewGoroutine: n.NewGoroutine, SameGoroutine: n.SameGoroutine, Handoff: n.Handoff,
		Leads: n.Leads, Running: call.Unfinished && !w.story.Tree.Request.OfProgram(),
	}
	if len(n.Calls) > 1 {
		out.Calls = slices.Clone(n.Calls)
	}
	if at := w.at(n, call); at != nil {
		out.Place = w.place(at)
		if w.options.Hyperlinks {
			out.URL = w.rec.SourceURL(at)
		}
	}
	if n.Crossing {
		out.Process = call.Process
	}
	if out.Failure = w.failure(call, o); out.Failure != "" {
		out.Fatal = o.fatal || o.path != nil
	}
	return out
}

// tell adds the parts of a step that a link to its section does not show: the texts of
// a failure and the note.
func (w *stepWriter) tell(out *StepHead, n *Node, call *trace.Call, o outcome) {
	// The default view leaves out failures that did not make the request fail. It also
	// leaves out texts on the error path, because the sentence above the tree has them.
	if n.Origin && hasFailed(call) && (w.options.Full || w.options.Filter.Errors || o.fatal && o.path == nil) {
		out.Errors = w.errors(call)
	}
	if function := w.story.First(n).Function; w.options.Notes && n.Key && !w.noted[function] {
		w.noted[function] = true
		out.Note = w.guide.Note(function)
	}
}

// name returns the label of a group, the text of upstream's span or event, or the name
// of the function.
func (w *stepWriter) name(n *Node, call *trace.Call) string {
	switch {
	case len(n.Calls) > 1 && n.Group != "":
		return n.Group
	case Upstream(call):
		return UpstreamLabel(call)
	}
	name, known := w.names[call.Function]
	if !known {
		name = w.story.Names.Of(call)
		w.names[call.Function] = name
	}
	return name
}

// place returns the place of a call's function.
func (w *stepWriter) place(call *trace.Call) string {
	at := sourceLine{call.File, call.Line}
	place, known := w.places[at]
	if !known {
		place = w.story.Names.Place(call)
		w.places[at] = place
	}
	return place
}

// at returns a call with the place of a node, or nil if the node has no single place.
// For upstream's own tracing, this is the line of the caller: it says more than a
// place in the tracing library.
func (w *stepWriter) at(n *Node, call *trace.Call) *trace.Call {
	tree := w.story.Tree
	if parent := tree.Parent(n.Calls[0]); Upstream(call) && parent >= 0 {
		caller := tree.Call(parent)
		call = &trace.Call{Process: caller.Process, Function: caller.Function, File: caller.File, Line: call.CallerLine}
	}
	several := slices.ContainsFunc(n.Calls, func(i int) bool { return tree.Call(i).Function != w.story.First(n).Function })
	if several || call.File == "" {
		return nil
	}
	return call
}

func hasFailed(call *trace.Call) bool { return call.Error != "" || call.Panic != "" }

// failure describes the effect of a call on the request's error. It returns "" for a
// call that did not fail and has no step on the path of the error.
func (w *stepWriter) failure(call *trace.Call, o outcome) string {
	says := saysHandled
	switch {
	case o.path != nil:
		says = o.path.says()
	case !hasFailed(call):
		return ""
	case o.fatal, o.passed:
		says = saysFailed
	}
	return w.Failed + " " + says.Localize(w.Printer)
}

// says returns what the call of a step did to the error, with the line if it is known.
func (s *ErrorStep) says() message.Message {
	if at, ok := saysKindAt[s.Kind]; ok && s.Line > 0 {
		return at.With(s.Line)
	}
	return saysKind[s.Kind]
}

// errors returns the lines with a call's error and panic.
func (w *stepWriter) errors(call *trace.Call) []string {
	var lines []string
	if call.Error != "" {
		lines = append(lines, saysError.With(oneLine(call.Error)).Localize(w.Printer))
	}
	if call.Panic != "" {
		lines = append(lines, saysPanic.With(oneLine(call.Panic)).Localize(w.Printer))
	}
	return lines
}

// sectionHead describes a section. called is SectionHead.Called.
func (w *stepWriter) sectionHead(s *Section, called string) SectionHead {
	colour := LayerColour(s.Layer)
	if s.Inner { // the sections of a request inside the request follow it
		colour = LayerColour(trace.LayerExtensions)
	}
	return SectionHead{Number: s.Number, Layer: s.Layer, Title: w.story.Title(s, w.guide, w.options.Lang), Colour: colour, Called: called}
}

// An entry says how a section is entered. The step by, in the section in, calls the
// first step of the entered section, perhaps through folded calls.
type entry struct {
	by *Node
	in *Section
	// indirect is set if folded calls are in between. process is the first step's
	// process, or "" if it is also the caller's process. newGoroutine, sameGoroutine
	// and handoff are as in Node.
	indirect, newGoroutine, sameGoroutine bool
	process, handoff                      string
}

// entryOf returns how a section with a caller is entered.
func (w *stepWriter) entryOf(s *Section) entry {
	root := s.Root
	e := entry{by: s.Caller, in: s.From, indirect: root.Through > 0, newGoroutine: root.NewGoroutine, sameGoroutine: root.SameGoroutine, handoff: root.Handoff}
	if root.Crossing {
		e.process = w.story.First(root).Process
	}
	return e
}

// entered describes an entry in words.
func (w *stepWriter) entered(e entry) string {
	said := w.Sprintf("called by %s in %d", w.name(e.by, w.story.First(e.by)), e.in.Number)
	if e.indirect {
		said += w.Sprintf(", indirectly")
	}
	if e.process != "" {
		said += w.Sprintf(", in another process: %s", e.process)
	}
	switch {
	case e.sameGoroutine:
		said += w.Sprintf(", on the same new goroutine")
	case e.newGoroutine:
		said += w.Sprintf(", on a new goroutine")
	}
	if e.handoff != "" {
		said += w.Sprintf(", handed over through %s", e.handoff)
	}
	return said
}

// calledBy returns the steps that a step called: its children, except the steps that
// handle the event of a write.
func calledBy(n *Node) []*Node {
	return slices.DeleteFunc(slices.Clone(n.Children), func(child *Node) bool { return child.Afterwards })
}

// count counts calls in words.
func (w *stepWriter) count(n int) string {
	if n == 1 {
		return saysOneCall.Localize(w.Printer)
	}
	return saysCalls.With(Thousands(n)).Localize(w.Printer)
}

func oneLine(s string) string { return text.Escape(s) }

func (w *stepWriter) colon() string { return w.Sprintf(": ") }

// titleOf returns the guide's title of a layer or, if there is none, the layer's name.
func (w *stepWriter) titleOf(layer string) string {
	if title := w.guide.Title(layer); title != "" {
		return oneLine(title)
	}
	if layer != "" {
		return oneLine(layer)
	}
	return w.Sprintf("In no layer")
}

// shortTitle returns the title of a layer without the part in brackets. For the start
// of a program, it also cuts the title at the first comma: "Server start,
// configuration and background work" becomes "Server start".
func (w *stepWriter) shortTitle(layer string) string {
	title, ends := w.titleOf(layer), "(（"
	if w.story.Tree.Request.IsStart() {
		ends += ",、"
	}
	if cut := strings.IndexAny(title, ends); cut > 0 {
		title = strings.TrimSpace(title[:cut])
	}
	return title
}
