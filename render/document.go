package render

import (
	"slices"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A Document is the drawing of WriteTree for one request, as data: the same sections, steps and
// sentences, for a front end with a layout of its own. Calls are indices of the request's calls.
type Document struct {
	Lang    string `json:"lang" description:"The language of all sentences, en or zh."`
	Request string `json:"request" description:"Names the request and its answer: \"GET /api/v1/nodes/n1 → 200\"."`
	Facts   string `json:"facts" description:"How many calls there were, in which programs, and how long they took."`
	Failure string `json:"failure,omitempty" description:"How the request failed, in one sentence; absent if it did not, or that is not known."`
	// Warnings say what the trace may lack, or what in it is not upstream's.
	Warnings []string `json:"warnings" description:"What the trace may lack, or what in it is not upstream's."`
	Running  string   `json:"running,omitempty" description:"The functions that were still running when the trace was collected; absent if none was."`
	// Stored are the changes in etcd and where their events went.
	Stored   []string          `json:"stored" description:"What the request left in etcd, and where the events of that went."`
	Calls    int               `json:"calls" description:"How many calls the request has in all."`
	Folded   int               `json:"folded" description:"How many of them are folded: shown by no step."`
	Sections []DocumentSection `json:"sections" description:"The sections of the request's way, in order of entry."`
}

// A DocumentSection is a view.Section in words.
type DocumentSection struct {
	Number    int                `json:"number" description:"Counts from 1."`
	Layer     string             `json:"layer" description:"Name of the layer, empty if the section is in none."`
	Title     string             `json:"title" description:"Title of the layer for people."`
	Colour    string             `json:"colour" description:"Colour of the layer, as \"#rrggbb\"; empty if it has none."`
	Sentences []DocumentSentence `json:"sentences" description:"What happened in the section."`
	Called    string             `json:"called,omitempty" description:"Who called the section's first step; absent for the first section."`
	Caller    int                `json:"caller" description:"The call that did, -1 for the first section."`
	From      int                `json:"from" description:"Number of the section that the caller is in, 0 for the first section."`
	Root      DocumentStep       `json:"root" description:"The step with which the request enters the layer."`
}

// A DocumentSentence is a view.Sentence.
type DocumentSentence struct {
	Call int    `json:"call" description:"The call of which it tells."`
	Text string `json:"text" description:"The sentence, without a full stop."`
}

// A DocumentStep is a view.Node in words.
type DocumentStep struct {
	Call     int    `json:"call" description:"The step's call; the first one if it stands for several."`
	Calls    []int  `json:"calls,omitempty" description:"All calls that the step stands for; absent if it is one."`
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"What the step is called."`
	Place    string `json:"place,omitempty" description:"Folder, file and line of the function: \"etcd3/store.go:235\"; absent if that is not one place."`
	Layer    string `json:"layer" description:"Name of the function's layer, empty if it has none."`
	Colour   string `json:"colour" description:"Colour of the layer."`
	Key      bool   `json:"key" description:"Whether it is a key step."`
	Time     string `json:"time" description:"How long its calls took: \"1.49ms\"; empty if only their entry was recorded."`
	// DurationNs is the time that Time writes.
	DurationNs   int64           `json:"durationNs" description:"The same in nanoseconds, 0 if time is empty; time in which several ran counts once."`
	Folded       int             `json:"folded" description:"How many calls are folded of which this step is the nearest caller."`
	Through      int             `json:"through" description:"How many folded calls lie between the step above and this one; 0 if that called this one itself."`
	NewGoroutine bool            `json:"newGoroutine,omitempty" description:"Whether it runs on a new goroutine: one that its caller, or a call between the two, started."`
	Handoff      string          `json:"handoff,omitempty" description:"The queue, such as raft, through which its caller handed it over to another goroutine; absent if it did not."`
	Process      string          `json:"process,omitempty" description:"The process that is entered with the step; absent if it is the caller's."`
	Section      int             `json:"section,omitempty" description:"Number of the section that begins with the step; absent if none does. Its own children are there."`
	Values       []DocumentValue `json:"values" description:"The values of the step that its callers do not have."`
	Plugins      []string        `json:"plugins,omitempty" description:"The admission plugins of the step, by what they did."`
	Failure      string          `json:"failure,omitempty" description:"What became of the call's error or panic; absent if it had none."`
	Fatal        bool            `json:"fatal,omitempty" description:"Whether the failure decided the request."`
	Errors       []string        `json:"errors,omitempty" description:"The texts of the error and the panic, where they began and mattered."`
	Note         string          `json:"note,omitempty" description:"What the guide says of a key step, at its first call."`
	Children     []DocumentStep  `json:"children" description:"The steps that it called, or that calls folded below it called."`
}

// A DocumentValue is a value as the tree shows it.
type DocumentValue struct {
	Name    string `json:"name" description:"Full name of the attribute."`
	Text    string `json:"text" description:"Short name and value: \"verb=get\"."`
	Decides bool   `json:"decides,omitempty" description:"Whether the request was decided by it."`
}

// NewDocument returns the document of request i of a recording, counted from 0. It uses only the
// choice and the language of the options.
func NewDocument(rec *trace.Recording, i int, guide Guide, o Options) (*Document, error) {
	if o.Most == 0 {
		o.Most = StepsPerRequest(len(rec.Requests))
	}
	r := &rec.Requests[i]
	tree, err := trace.NewTree(r)
	if err != nil {
		return nil, message.Errorf("tree of %s %s: %w", r.Method, r.Path, err)
	}
	w := &documentWriter{
		listing: newListing(rec, view.Tell(view.NewView(tree, guide, o.Choice)), guide, Options{Choice: o.Choice, Lang: o.Lang, Notes: true}),
		seen:    map[*view.Section]values{},
	}
	return w.document(), nil
}

type documentWriter struct {
	*listing
	seen map[*view.Section]values
}

func (w *documentWriter) document() *Document {
	r := w.story.Tree.Request
	w.said = w.sentences()
	doc := &Document{
		Lang: w.lang, Request: w.request(r), Facts: w.facts(), Warnings: []string{}, Stored: []string{},
		Calls: w.story.Tree.Len(), Folded: w.story.Folded,
	}
	if len(w.rec.Edited) > 0 {
		doc.Warnings = append(doc.Warnings, saysEdited.Format(w.lang, oneLine(message.List(w.rec.Edited).In(w.lang))))
	}
	if path := w.story.ErrorPath; path != nil {
		doc.Failure = w.errorPath(path)
	}
	for _, reason := range r.Lacks() {
		doc.Warnings = append(doc.Warnings, saysIncomplete.Format(w.lang, oneLine(reason.In(w.lang))))
	}
	if r.Calls[0].Unfinished && !r.OfProgram() {
		doc.Warnings = append(doc.Warnings, saysUnfinished.In(w.lang))
	} else if running := w.stillRunning(); len(running) > 0 {
		doc.Running = saysStillRunning.Format(w.lang, message.List(running))
	}
	for _, key := range r.Stored {
		doc.Stored = append(doc.Stored, w.stored(key))
	}
	doc.Stored = append(doc.Stored, w.deliveries()...)
	for _, s := range w.story.Sections {
		doc.Sections = append(doc.Sections, w.section(s, w.said[s]))
	}
	return doc
}

func (w *documentWriter) section(s *view.Section, said []view.Sentence) DocumentSection {
	out := DocumentSection{
		Number: s.Number, Layer: s.Layer, Title: w.story.Title(s, w.guide, w.lang), Colour: view.LayerColour(s.Layer),
		Sentences: []DocumentSentence{}, Called: w.called(s), Caller: -1,
	}
	for _, sentence := range said {
		out.Sentences = append(out.Sentences, DocumentSentence{sentence.Call, sentence.Text})
	}
	if s.Caller != nil {
		out.Caller, out.From = s.Caller.Calls[0], s.From.Number
	}
	out.Root = w.step(s.Root, w.seen[s])
	return out
}

// step describes a step and the steps that it called in its section.
func (w *documentWriter) step(n *node, above values) DocumentStep {
	out := w.stepAlone(n)
	texts, shown := w.values(n, above)
	if plugins := w.story.Plugins(n); len(plugins) > 1 {
		for _, group := range view.GroupPlugins(plugins) {
			if w.leavesOut(group) {
				continue
			}
			out.Plugins = append(out.Plugins, w.pluginsLine(group))
		}
	} else {
		for _, t := range texts {
			out.Values = append(out.Values, DocumentValue{t.name, t.text, t.decides})
		}
	}
	if w.tellsFailure(n) {
		out.Errors = w.failures(w.story.First(n))
	}
	if function := w.story.First(n).Function; n.Key && !w.noted[function] {
		w.noted[function] = true
		out.Note = w.guide.Note(function)
	}
	for _, child := range n.Children {
		if child.Opens != nil {
			w.seen[child.Opens] = shown
		}
		if child.Afterwards { // which the step did not call
			continue
		}
		if child.Opens != nil {
			link := w.stepAlone(child)
			link.Section, link.Name = child.Opens.Number, w.story.Title(child.Opens, w.guide, w.lang)
			out.Children = append(out.Children, link)
			continue
		}
		out.Children = append(out.Children, w.step(child, shown))
	}
	return out
}

// stepAlone describes a step without the fields that depend on other steps.
func (w *documentWriter) stepAlone(n *node) DocumentStep {
	call := w.story.First(n)
	ns, _ := w.story.DurationNs(n)
	out := DocumentStep{
		Call: n.Calls[0], Function: call.Function, Name: w.name(n), Layer: n.Layer, Colour: view.LayerColour(n.Layer), Key: n.Key,
		Time: w.time(n), DurationNs: ns, Folded: n.Folded() + n.Cut, Through: n.Through, NewGoroutine: n.NewGoroutine, Handoff: n.Handoff,
		Values: []DocumentValue{}, Children: []DocumentStep{},
	}
	if len(n.Calls) > 1 {
		out.Calls = slices.Clone(n.Calls)
	}
	if at := w.at(n); at != nil {
		out.Place = w.story.Names.Place(at)
	}
	if n.Crossing {
		out.Process = call.Process
	}
	out.Failure, _ = w.failure(n)
	_, fatal := w.outcome(n)
	out.Fatal = fatal && out.Failure != ""
	return out
}
