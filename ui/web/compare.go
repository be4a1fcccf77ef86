package web

import (
	"net/http"
	"slices"
	"sync"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// The parameters that name two recordings: diffSides names one scenario on two
// releases, compareSides names two scenarios on one release.
var (
	diffSides = []parameter{
		{name: "scenario", doc: "Name of a scenario.", kind: "string", required: true},
		{name: "from", doc: "The older release.", kind: "string", required: true},
		{name: "to", doc: "The newer release.", kind: "string", required: true},
	}
	compareSides = []parameter{
		{name: "release", doc: "The release.", kind: "string", required: true},
		{name: "from", doc: "The scenario of side A.", kind: "string", required: true},
		{name: "to", doc: "The scenario of side B.", kind: "string", required: true},
	}
)

var (
	paramPair  = parameter{name: "request", doc: "Number of the pair of requests, from 1.", kind: "integer", least: 1, otherwise: "1"}
	paramTree  = parameter{name: "show", doc: "The changes to return: the changes that concern key steps, or all.", kind: "string", values: []string{"telling", "all"}, otherwise: "telling"}
	paramLayer = parameter{name: "layer", doc: "Only changes in this layer.", kind: "string"}
)

// comparisonRoutes returns the routes of a comparison. sides are the parameters
// that name the recordings.
func (a *api) comparisonRoutes(path, name, what string, sides []parameter) []route {
	with := func(more ...parameter) []parameter { return slices.Concat(sides, more) }
	return []route{
		{path: path, id: name, doc: "Describe how " + what + ", in the format of \"apitrace " + name + " -o json\" without the script",
			query: with(paramLang), sample: diffSample, handle: a.diff},
		{path: path + "/tree", id: name + "Tree", doc: "Return how " + what + ": the sentences with their places, and one tree of both sides with marks",
			query: with(paramPair, paramTree, paramLayer, paramLang), sample: view.Comparison{}, handle: a.diffTree},
		{path: path + "/source", id: name + "Source", doc: "Compare the text of the function of a call of that tree on both sides",
			query:  with(paramPair, parameter{name: "call", doc: "Number of the call in the tree of both sides.", kind: "integer", required: true}),
			sample: SourceDiff{}, handle: a.diffSource},
	}
}

// A compared has two recordings, and their comparison in memory. mu
// guards comparers and trees.
type compared struct {
	a, b    *loaded
	options render.DiffOptions // without language and selection

	once sync.Once
	*diff.Comparison

	mu        sync.Mutex
	comparers map[string]*view.Comparer // by language
	trees     map[diffTreeKey]*view.Comparison
}

type diffTreeKey struct {
	pair              int
	lang, show, layer string
}

// mostComparedSteps is the maximum number of calls in a tree. Without it, the
// tree of two server starts would have 30 MB.
const mostComparedSteps = 5000

// mostCompared is the number of comparisons that a library
// keeps. A comparison of two server starts takes 300 MB.
const mostCompared = 3

// comparedOf returns the comparison that the query of a request names.
func (a *api) comparedOf(r *restful.Request) (*compared, error) {
	sides := [2][2]string{{r.QueryParameter("from"), r.QueryParameter("scenario")}, {r.QueryParameter("to"), r.QueryParameter("scenario")}}
	if release := r.QueryParameter("release"); release != "" {
		sides = [2][2]string{{release, r.QueryParameter("from")}, {release, r.QueryParameter("to")}}
	}
	var of [2]*loaded
	for i, side := range sides {
		l, err := a.library.load(side[0], side[1])
		if err != nil {
			return nil, err
		}
		of[i] = l
	}
	return a.library.compare(of[0], of[1]), nil
}

func newCompared(a, b *loaded) *compared {
	c := &compared{a: a, b: b, comparers: map[string]*view.Comparer{}, trees: map[diffTreeKey]*view.Comparison{}}
	c.options.NameA, c.options.NameB = a.release, b.release
	if a.scenario != b.scenario {
		c.options.NameA, c.options.NameB = a.scenario, b.scenario
	}
	return c
}

// compare returns the comparison of two recordings. It compares them if the
// library does not keep their comparison.
func (l *library) compare(a, b *loaded) *compared {
	l.mu.Lock()
	at := slices.IndexFunc(l.compared, func(c *compared) bool { return c.a == a && c.b == b })
	var c *compared
	if at >= 0 {
		c = l.compared[at]
		l.compared = append(slices.Delete(l.compared, at, at+1), c)
	} else {
		c = newCompared(a, b)
		l.compared = append(l.compared, c)
		if len(l.compared) > mostCompared {
			l.compared = slices.Delete(l.compared, 0, 1)
		}
	}
	l.mu.Unlock()
	c.once.Do(func() { c.Comparison = diff.CompareRecordings(a.rec, b.rec, diff.Options{}) })
	return c
}

// guide returns the guide for both recordings.
func (c *compared) guide(lang string) (view.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return guide.ForReader(lang, c.a.rec, c.b.rec), nil
}

// drawing returns the render options for a language.
func (c *compared) drawing(lang string) render.DiffOptions {
	o := c.options
	o.Lang = lang
	return o
}

// pairOf returns the comparison and the index of the
// pair of requests that the query of a request names.
func (a *api) pairOf(r *restful.Request) (*compared, int, error) {
	c, err := a.comparedOf(r)
	if err != nil {
		return nil, 0, err
	}
	n := int(number(r, "request", 1))
	if n > len(c.Requests) {
		return nil, 0, notFound(message.Errorf("there is no request %d: both sides together have %d", n, len(c.Requests)), message.Of("the numbers begin at 1"))
	}
	return c, n - 1, nil
}

func (a *api) diff(r *restful.Request) (any, error) {
	c, err := a.comparedOf(r)
	if err != nil {
		return nil, err
	}
	lang := queryOf(r, paramLang)
	guide, err := c.guide(lang)
	if err != nil {
		return nil, err
	}
	doc, err := render.NewDiffDocument(c.Comparison, guide, c.drawing(lang))
	if err != nil {
		return nil, err
	}
	for i := range doc.Requests {
		doc.Requests[i].Script = nil
	}
	return doc, nil
}

func (a *api) diffTree(r *restful.Request) (any, error) {
	c, n, err := a.pairOf(r)
	if err != nil {
		return nil, err
	}
	return c.tree(diffTreeKey{n, queryOf(r, paramLang), queryOf(r, paramTree), r.QueryParameter("layer")})
}

func (c *compared) tree(key diffTreeKey) (*view.Comparison, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trees[key] != nil {
		return c.trees[key], nil
	}
	comparer, err := c.comparer(key.lang)
	if err != nil {
		return nil, err
	}
	var layers []string
	if key.layer != "" {
		guide, err := c.guide(key.lang)
		if err != nil {
			return nil, err
		}
		if guide.Title(key.layer) == "" {
			return nil, notFound(message.Errorf("there is no layer %q", key.layer), message.Of("request the tree without this parameter: it lists the names of the layers"))
		}
		layers = []string{key.layer}
	}
	c.trees[key] = comparer.Pair(key.pair).Comparison(view.Choice{Full: key.show == "all", Filter: view.Filter{Layers: layers}})
	return c.trees[key], nil
}

// comparer returns the maker of the trees and sentences in a language. The caller must hold
// c.mu.
func (c *compared) comparer(lang string) (*view.Comparer, error) {
	if c.comparers[lang] != nil {
		return c.comparers[lang], nil
	}
	guide, err := c.guide(lang)
	if err != nil {
		return nil, err
	}
	for _, other := range c.comparers {
		c.comparers[lang] = other.In(lang, guide)
		return c.comparers[lang], nil
	}
	o := c.drawing(lang).ComparisonOptions
	o.MostSteps = mostComparedSteps
	o.EverySentence = true // beside the tree of one layer, the page shows the sentences of all layers
	c.comparers[lang], err = view.NewComparer(c.Comparison, guide, o)
	return c.comparers[lang], err
}

// differences returns the differences in a pair of requests. Both sides must
// have a request in the pair.
func (c *compared) differences(pair int) (*view.Differences, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	comparer, err := c.comparer("en")
	if err != nil {
		return nil, err
	}
	return comparer.Pair(pair).Differences(), nil
}

func (a *api) diffSource(r *restful.Request) (any, error) {
	c, n, err := a.pairOf(r)
	if err != nil {
		return nil, err
	}
	if c.Requests[n].Diff == nil {
		return nil, notFound(message.Errorf("only one side has request %d: there is nothing to compare", n+1), message.Of("choose a request that both sides have"))
	}
	differences, err := c.differences(n)
	if err != nil {
		return nil, err
	}
	call := int(number(r, "call", 0))
	if most := differences.Merged.Tree.Len(); call >= most {
		return nil, notFound(message.Errorf("there is no call %d: the tree of both sides has %d", call, most), message.Of("the numbers begin at 0"))
	}
	f := differences.ChangedFunction(call)
	if f == nil {
		return SourceDiff{Hunks: []SourceHunk{}, Hunk: -1, Missing: printerFor(r.Request).Sprintf("no caller of this call is on both sides")}, nil
	}
	return a.compareSource(c, f, printerFor(r.Request))
}

// compareSource compares the two texts of a function. If a source is not
// available, the answer has the reason instead.
func (a *api) compareSource(c *compared, f *view.ChangedFunction, p message.Printer) (any, error) {
	out := SourceDiff{
		A: c.sideOf(c.a.rec, f.A), B: c.sideOf(c.b.rec, f.B), Hunks: []SourceHunk{}, Hunk: -1, Line: f.Line, OnB: f.OnB,
	}
	if f.A.File == f.B.File {
		out.Compare = trace.CompareURL(c.a.rec, c.b.rec, f.B)
	}
	functionA, textA, err := a.read(c.a.rec, f.A)
	if err == nil {
		var functionB *source.Function
		var textB *Source
		if functionB, textB, err = a.read(c.b.rec, f.B); err == nil {
			return out, out.compare(functionA, functionB, textA, textB)
		}
	}
	missing := errorOf(err)
	if missing.status != http.StatusNotFound {
		return nil, err
	}
	said := missing.in(p)
	out.Missing, out.Action = said.Message, said.Action
	return out, nil
}

func (c *compared) sideOf(rec *trace.Recording, call *trace.Call) *SourceSide {
	return &SourceSide{
		Function: call.Function, Name: call.ShortName(), File: call.File, Line: call.Line,
		Program: call.Process + " " + rec.Version(call.Process), URL: rec.SourceURL(call),
	}
}

// compare adds the hunks that differ between a and b. It also
// sets Same, and Hunk to the index of the hunk with Line.
func (d *SourceDiff) compare(a, b *source.Function, textA, textB *Source) error {
	hunks, err := source.Hunks(source.Version{Function: a, Of: textA.Program}, source.Version{Function: b, Of: textB.Program})
	if err != nil {
		return err
	}
	d.Same = len(hunks) == 0
	for i, h := range hunks {
		out := SourceHunk{FromA: h.FromA, CountA: h.CountA, FromB: h.FromB, CountB: h.CountB, Lines: []SourceDiffLine{}}
		for _, line := range h.Lines {
			l := SourceDiffLine{A: line.A, B: line.B}
			if line.B != 0 {
				l.Tokens = textB.tokens(line.B)
			} else {
				l.Tokens = textA.tokens(line.A)
			}
			out.Lines = append(out.Lines, l)
		}
		from, count := h.FromA, h.CountA
		if d.OnB {
			from, count = h.FromB, h.CountB
		}
		if d.Line >= from && d.Line < from+count {
			d.Hunk = i
		}
		d.Hunks = append(d.Hunks, out)
	}
	return nil
}

// tokens returns the tokens of a line, or none if the line is after the last line.
func (s *Source) tokens(number int) []Token {
	if at := number - s.Lines[0].Number; at < len(s.Lines) {
		return s.Lines[at].Tokens
	}
	return []Token{}
}
