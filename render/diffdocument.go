package render

import (
	"time"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A DiffDocument is the JSON of WriteDiffJSON for a comparison. Other programs rely
// on it. So its fields keep their names and meanings. New fields may be added.
type DiffDocument struct {
	A    DiffSide `json:"a"`
	B    DiffSide `json:"b"`
	Same bool     `json:"same"`
	// Remarks name differences that the traces of both sides cannot show. Only
	// comparisons of checkouts have them.
	Remarks []string `json:"remarks,omitempty"`
	// Requests are the requests of both sides, in order.
	Requests []DiffRequest `json:"requests"`
}

// A DiffSide describes one of the two recordings.
type DiffSide struct {
	Name        string `json:"name"`
	Scenario    string `json:"scenario"`
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion"`
	// Edited lists the files that differ from upstream's.
	Edited []string `json:"edited,omitempty"`
	// Edition is trace.Recording.Edition: it identifies the packages that were
	// traced. It is absent if unknown.
	Edition string `json:"edition,omitempty"`
	// Recorded is the time of the recording; absent if unknown. Live is set if the
	// command that compares the recordings also made this one.
	Recorded time.Time `json:"recorded,omitzero"`
	Live     bool      `json:"live,omitempty"`
}

// A DiffRequest describes the differences of one request. If only one side has the
// request, the status and the calls of the other side are absent, and so are all
// fields after Same.
type DiffRequest struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	StatusA int    `json:"statusA,omitempty"`
	StatusB int    `json:"statusB,omitempty"`
	CallsA  int    `json:"callsA,omitempty"`
	CallsB  int    `json:"callsB,omitempty"`
	Same    bool   `json:"same"`
	// Layers describe the changes in sentences. Unchanged has the titles of the other
	// layers.
	Layers    []DiffLayer  `json:"layers,omitempty"`
	Unchanged []string     `json:"unchanged,omitempty"`
	Changes   []DiffChange `json:"changes,omitempty"`
	// Script is the edit script from the calls of A to B.
	Script []diff.Edit `json:"script,omitempty"`
}

// A DiffLayer is a view.LayerSummary with its texts.
type DiffLayer struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Sentences has the texts of Statements.
	Sentences  []string        `json:"sentences"`
	Statements []DiffStatement `json:"statements"`
	Smaller    int             `json:"smaller"`
}

// A DiffStatement is a view.Statement with its text.
type DiffStatement struct {
	Kind view.StatementKind `json:"kind"`
	Text string             `json:"text"`
	// Evidence has lines that say how the statement is known, or which condition it
	// depends on.
	Evidence []string `json:"evidence,omitempty"`
}

// A DiffChange is one change.
type DiffChange struct {
	Kind diff.Kind `json:"kind"`
	// Telling is set for changes in the default view.
	Telling  bool   `json:"telling"`
	Layer    string `json:"layer"`
	Sentence string `json:"sentence"`
	// Evidence has lines that say how the sentence is known, or which condition it
	// depends on.
	Evidence []string  `json:"evidence,omitempty"`
	A        *DiffCall `json:"a,omitempty"`
	B        *DiffCall `json:"b,omitempty"`
	// Calls, Times and Wraps describe an addition or removal. Calls is its number
	// of calls. Times is how often it occurs in this place. Wraps is set if calls
	// of both sides are below it.
	Calls int  `json:"calls,omitempty"`
	Times int  `json:"times,omitempty"`
	Wraps bool `json:"wraps,omitempty"`
	// CountA and CountB count a repeated call.
	CountA int                  `json:"countA,omitempty"`
	CountB int                  `json:"countB,omitempty"`
	Values []view.ComparedValue `json:"values,omitempty"`
	// Reason explains an addition or removal from the sources; absent if there is no
	// explanation.
	Reason *DiffReason `json:"reason,omitempty"`
	// OwnNsA and OwnNsB are set if the call differs only in time: its time without its
	// callees, in nanoseconds.
	OwnNsA int64 `json:"ownNsA,omitempty"`
	OwnNsB int64 `json:"ownNsB,omitempty"`
	// Compare is the address where upstream shows the changes of the file. It is
	// absent if the call is in different files, or if the address is not known.
	Compare string `json:"compare,omitempty"`
}

// A DiffReason explains from the sources why only one side has a call.
type DiffReason struct {
	// Why is "call" if only this side's caller has the call in its text, and "function"
	// if only this side's source has the function. It is "other way" if both sources
	// have the call but only this side ran it. It is "no span" if the function has no
	// span on the other side, and "not traced" if its package is not traced there.
	Why diff.Why `json:"why,omitempty"`
	// Way is how the caller reaches the call. It is "calls" if the caller's text
	// has the call, and "through" if code without spans is in between. It is
	// "process" or "queue" if the call is in another program or goroutine.
	// Otherwise it is "leads".
	Way diff.WayKind `json:"way"`
	// By is the package, program or queue in between.
	By string `json:"by,omitempty"`
	// Package is the package that is not traced if Why is "not traced".
	Package string `json:"package,omitempty"`
	// Gate is a feature gate that the call depends on. Its default differs on the other
	// side.
	Gate *DiffGate `json:"gate,omitempty"`
}

// A DiffGate is a feature gate with its default in B.
type DiffGate struct {
	Name  string `json:"name"`
	On    bool   `json:"on" description:"Default of the gate in B."`
	Since string `json:"since" description:"First minor version with this default: \"v1.36\"."`
}

// A DiffCall is a call on one side, with its caller and its place.
type DiffCall struct {
	Function string `json:"function"`
	Caller   string `json:"caller,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Process  string `json:"process"`
	URL      string `json:"url,omitempty"`
	// Index is the call's index in its request.
	Index int `json:"index"`
}

// NewDiffDocument returns the document of a comparison.
func NewDiffDocument(c *diff.Comparison, guide view.Guide, options DiffOptions) (*DiffDocument, error) {
	doc, err := newDiffDocument(c, guide, options)
	if err != nil {
		return nil, err
	}
	for i := range c.Requests {
		if d := c.Requests[i].Diff; d != nil {
			doc.Requests[i].Script = d.Script()
		}
	}
	return doc, nil
}

// newDiffDocument returns the document without scripts. WriteDiffJSON writes these
// one by one.
func newDiffDocument(c *diff.Comparison, guide view.Guide, options DiffOptions) (*DiffDocument, error) {
	comparer, err := view.NewComparer(c, guide, options.ComparisonOptions)
	if err != nil {
		return nil, err
	}
	doc := &DiffDocument{A: diffSide(c.A, options.NameA, options.LiveA), B: diffSide(c.B, options.NameB, options.LiveB), Same: c.Same()}
	for i := range c.Requests {
		doc.Requests = append(doc.Requests, diffRequest(c, i, comparer))
	}
	for _, remark := range options.Remarks {
		doc.Remarks = append(doc.Remarks, remark.In(options.Lang))
	}
	return doc, nil
}

func diffSide(rec *trace.Recording, name string, live bool) DiffSide {
	return DiffSide{Name: name, Scenario: rec.Scenario, K8sVersion: rec.K8sVersion, EtcdVersion: rec.EtcdVersion, Recorded: rec.Recorded, Live: live, Edited: rec.Edited, Edition: rec.Edition}
}

func diffRequest(c *diff.Comparison, i int, comparer *view.Comparer) DiffRequest {
	pair := &c.Requests[i]
	r := DiffRequest{Same: pair.Same()}
	if pair.A != nil {
		r.Method, r.Path, r.StatusA, r.CallsA = pair.A.Method, pair.A.Path, pair.A.Status, len(pair.A.Calls)
	}
	if pair.B != nil {
		r.Method, r.Path, r.StatusB, r.CallsB = pair.B.Method, pair.B.Path, pair.B.Status, len(pair.B.Calls)
	}
	s := comparer.Pair(i).Summary()
	if s == nil {
		return r
	}
	for _, l := range s.Layers {
		layer := DiffLayer{Name: l.Layer, Title: l.Title, Sentences: []string{}, Statements: []DiffStatement{}, Smaller: l.Smaller}
		for i := range l.Statements {
			st := comparer.Sentence(&l.Statements[i])
			layer.Sentences, layer.Statements = append(layer.Sentences, st.Text), append(layer.Statements, DiffStatement{st.Kind, st.Text, st.Evidence})
		}
		r.Layers = append(r.Layers, layer)
	}
	r.Unchanged = s.Unchanged
	for _, change := range s.Changes {
		r.Changes = append(r.Changes, diffChange(c, s, comparer, change))
	}
	return r
}

func diffChange(c *diff.Comparison, s *view.Summary, comparer *view.Comparer, change view.ShownChange) DiffChange {
	var sentences, evidence []string
	for _, st := range s.Of(&change) {
		said := comparer.Sentence(&st)
		sentences, evidence = append(sentences, said.Text), append(evidence, said.Evidence...)
	}
	out := DiffChange{
		Kind: change.Kind, Telling: change.Telling, Layer: change.Layer, Sentence: comparer.Join(sentences), Evidence: evidence,
		Calls: change.Calls, Times: change.Times, Wraps: change.Wraps, CountA: change.CountA, CountB: change.CountB, OwnNsA: change.OwnNsA, OwnNsB: change.OwnNsB,
		A: diffCall(c.A, s.Diff.A, change.A), B: diffCall(c.B, s.Diff.B, change.B),
	}
	if change.Kind == diff.Added || change.Kind == diff.Removed {
		out.Reason = diffReason(s.Reason(&change))
	}
	for _, v := range change.Values {
		out.Values = append(out.Values, view.ComparedValue(v))
	}
	if out.A != nil && out.B != nil && out.A.File == out.B.File {
		out.Compare = trace.CompareURL(c.A, c.B, s.Diff.B.Call(change.B))
	}
	return out
}

func diffReason(r diff.Reason) *DiffReason {
	if r.Way.Kind == "" {
		return nil
	}
	out := &DiffReason{Why: r.Why, Way: r.Way.Kind, By: r.Way.By, Package: r.Package}
	if r.Gate != "" {
		out.Gate = &DiffGate{Name: r.Gate, On: r.On, Since: r.Since}
	}
	return out
}

func diffCall(rec *trace.Recording, tree *trace.Tree, i int) *DiffCall {
	if i == diff.None {
		return nil
	}
	call := tree.Call(i)
	out := &DiffCall{Function: call.Function, File: call.File, Line: call.Line, Process: call.Process, URL: rec.SourceURL(call), Index: i}
	if parent := tree.Parent(i); parent >= 0 {
		out.Caller = tree.Call(parent).Function
	}
	return out
}
